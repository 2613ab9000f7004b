#include "app/view/window/window.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <backends/imgui_impl_opengl3.h>
#include <cstdlib>
#include <fmt/format.h>

#include <GLFW/glfw3.h>
#include <imgui.h>

#include "app/view/window/picture_texture.h"
#include "app/view/window/theme.h"
#include "engine/film/image_file.h"

namespace weft::app {

namespace {

std::string last_glfw_error;

// Read by any thread that calls wake(): GLFW may be called only while there is a window.
std::atomic<bool> has_window{false};

void on_glfw_error(int /*code*/, const char* sentence) {
    last_glfw_error = sentence;
}

base::Error no_window() {
    std::string display = "neither DISPLAY nor WAYLAND_DISPLAY is set";
    for (const char* const name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
        const char* const value = std::getenv(name);
        if (value != nullptr && *value != '\0') {
            display = fmt::format("{} is {}", name, value);
            break;
        }
    }
    return {base::ErrorKind::Render,
            fmt::format("no window can be opened ({}; {}); expected a display with OpenGL 3.3, or "
                        "render without one by weft render",
                        display,
                        last_glfw_error)};
}

constexpr std::array<std::pair<int, int>, 22> kNamedKeys = {{
    {ImGuiKey_Tab, GLFW_KEY_TAB},
    {ImGuiKey_LeftArrow, GLFW_KEY_LEFT},
    {ImGuiKey_RightArrow, GLFW_KEY_RIGHT},
    {ImGuiKey_UpArrow, GLFW_KEY_UP},
    {ImGuiKey_DownArrow, GLFW_KEY_DOWN},
    {ImGuiKey_PageUp, GLFW_KEY_PAGE_UP},
    {ImGuiKey_PageDown, GLFW_KEY_PAGE_DOWN},
    {ImGuiKey_Home, GLFW_KEY_HOME},
    {ImGuiKey_End, GLFW_KEY_END},
    {ImGuiKey_Insert, GLFW_KEY_INSERT},
    {ImGuiKey_Delete, GLFW_KEY_DELETE},
    {ImGuiKey_Backspace, GLFW_KEY_BACKSPACE},
    {ImGuiKey_Space, GLFW_KEY_SPACE},
    {ImGuiKey_Enter, GLFW_KEY_ENTER},
    {ImGuiKey_Escape, GLFW_KEY_ESCAPE},
    {ImGuiKey_KeyPadEnter, GLFW_KEY_KP_ENTER},
    {ImGuiKey_A, GLFW_KEY_A},
    {ImGuiKey_C, GLFW_KEY_C},
    {ImGuiKey_V, GLFW_KEY_V},
    {ImGuiKey_X, GLFW_KEY_X},
    {ImGuiKey_Y, GLFW_KEY_Y},
    {ImGuiKey_Z, GLFW_KEY_Z},
}};

InputQueue& queue_of(GLFWwindow* window) {
    return *static_cast<InputQueue*>(glfwGetWindowUserPointer(window));
}

const char* read_clipboard(void* window) {
    return glfwGetClipboardString(static_cast<GLFWwindow*>(window));
}

void write_clipboard(void* window, const char* text) {
    glfwSetClipboardString(static_cast<GLFWwindow*>(window), text);
}

void start_imgui(GLFWwindow* window, float interface_scale, float pixel_scale) {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;  // the viewer stores its own settings
    io.BackendPlatformName = "weft";
    io.BackendFlags |= ImGuiBackendFlags_HasMouseCursors;
    for (const auto& [named, key] : kNamedKeys) {
        io.KeyMap[named] = key;
    }
    io.ClipboardUserData = window;
    io.GetClipboardTextFn = read_clipboard;
    io.SetClipboardTextFn = write_clipboard;
    apply_theme(interface_scale, pixel_scale);
}

}  // namespace

base::Result<std::unique_ptr<Window>> Window::open(const WindowConfig& config, InputQueue& input) {
    std::unique_ptr<Window> window(new Window);
    window->input_ = &input;
    last_glfw_error = "no reason was given";
    glfwSetErrorCallback(on_glfw_error);
    window->has_glfw_ = glfwInit() == GLFW_TRUE;
    if (!window->has_glfw_) {
        return no_window();
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    window->window_ = glfwCreateWindow(static_cast<int>(config.width),
                                       static_cast<int>(config.height),
                                       config.title.c_str(),
                                       nullptr,
                                       nullptr);
    if (window->window_ == nullptr) {
        return no_window();
    }
    glfwMakeContextCurrent(window->window_);
    glfwSwapInterval(1);
    window->wanted_scale_ = config.interface_scale;
    window->pixel_scale_ = window->pixels_per_coordinate();
    window->interface_scale_ = window->scale_now();
    start_imgui(window->window_, window->interface_scale_, window->pixel_scale_);
    window->themed_pixel_scale_ = window->pixel_scale_;
    window->has_backend_ = ImGui_ImplOpenGL3_Init("#version 330 core");
    if (!window->has_backend_) {
        return no_window();
    }
    window->install_callbacks();
    has_window.store(true, std::memory_order_release);
    return window;
}

Window::~Window() {
    has_window.store(false, std::memory_order_release);
    if (has_backend_) {
        ImGui_ImplOpenGL3_Shutdown();
    }
    if (ImGui::GetCurrentContext() != nullptr) {
        ImGui::DestroyContext();
    }
    if (window_ != nullptr) {
        glfwDestroyWindow(window_);
    }
    if (has_glfw_) {
        glfwTerminate();
    }
}

void Window::install_callbacks() {
    glfwSetWindowUserPointer(window_, input_);
    glfwSetCursorPosCallback(window_, [](GLFWwindow* window, double x, double y) {
        queue_of(window).push(
            {.kind = InputKind::MouseMove, .x = static_cast<float>(x), .y = static_cast<float>(y)});
    });
    glfwSetMouseButtonCallback(window_, [](GLFWwindow* window, int button, int action, int) {
        queue_of(window).push(
            {.kind = InputKind::MouseButton, .code = button, .is_down = action == GLFW_PRESS});
    });
    glfwSetScrollCallback(window_, [](GLFWwindow* window, double x, double y) {
        queue_of(window).push(
            {.kind = InputKind::Scroll, .x = static_cast<float>(x), .y = static_cast<float>(y)});
    });
    glfwSetKeyCallback(window_, [](GLFWwindow* window, int key, int, int action, int) {
        if (action != GLFW_REPEAT) {  // ImGui generates key repeats itself
            queue_of(window).push(
                {.kind = InputKind::Key, .code = key, .is_down = action == GLFW_PRESS});
        }
    });
    glfwSetCharCallback(window_, [](GLFWwindow* window, unsigned letter) {
        queue_of(window).push({.kind = InputKind::Text, .code = static_cast<int>(letter)});
    });
    glfwSetDropCallback(window_, [](GLFWwindow* window, int count, const char** names) {
        InputEvent event{.kind = InputKind::Files};
        for (int k = 0; k < count; ++k) {
            event.files.emplace_back(names[k]);
        }
        queue_of(window).push(std::move(event));
    });
    glfwSetWindowFocusCallback(window_, [](GLFWwindow* window, int is_focused) {
        if (is_focused == GLFW_FALSE) {
            queue_of(window).push({.kind = InputKind::Leave});
        }
    });
    glfwSetWindowRefreshCallback(
        window_, [](GLFWwindow* window) { queue_of(window).push({.kind = InputKind::Refresh}); });
    glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* window, int, int) {
        queue_of(window).push({.kind = InputKind::Refresh});
    });
}

void Window::wait_events(double seconds) {
    if (seconds > 0) {
        glfwWaitEventsTimeout(seconds);
    } else {
        glfwPollEvents();
    }
}

void Window::wake() {
    if (has_window.load(std::memory_order_acquire)) {
        glfwPostEmptyEvent();
    }
}

void Window::ask_to_close() {
    glfwSetWindowShouldClose(window_, GLFW_TRUE);
}

bool Window::take_close() {
    const bool is_wanted = glfwWindowShouldClose(window_) == GLFW_TRUE;
    glfwSetWindowShouldClose(window_, GLFW_FALSE);
    return is_wanted;
}

bool Window::is_minimised() const {
    return glfwGetWindowAttrib(window_, GLFW_ICONIFIED) == GLFW_TRUE;
}

u32 Window::width() const {
    int size = 0;
    glfwGetWindowSize(window_, &size, nullptr);
    return static_cast<u32>(std::max(0, size));
}

u32 Window::height() const {
    int size = 0;
    glfwGetWindowSize(window_, nullptr, &size);
    return static_cast<u32>(std::max(0, size));
}

void Window::resize(u32 width, u32 height) {
    glfwSetWindowSize(window_, static_cast<int>(width), static_cast<int>(height));
}

void Window::minimise(bool is_minimised) {
    if (is_minimised) {
        glfwIconifyWindow(window_);
    } else {
        glfwRestoreWindow(window_);
    }
}

void Window::hide() {
    glfwHideWindow(window_);
}

float Window::pixels_per_coordinate() const {
    int frame_width = 1;
    glfwGetFramebufferSize(window_, &frame_width, nullptr);
    return static_cast<float>(std::max(frame_width, 1)) / static_cast<float>(std::max(1U, width()));
}

float Window::scale_now() const {
    float content_scale = 1;
    glfwGetWindowContentScale(window_, &content_scale, nullptr);
    return wanted_scale_ > 0 ? wanted_scale_ : std::max(1.0F, content_scale / pixel_scale_);
}

void Window::follow_scale() {
    if (is_minimised()) {
        return;  // a minimised window has no pixels
    }
    pixel_scale_ = pixels_per_coordinate();
    const float scale = scale_now();
    if (scale == interface_scale_ && pixel_scale_ == themed_pixel_scale_) {
        return;
    }
    interface_scale_ = scale;
    themed_pixel_scale_ = pixel_scale_;
    apply_theme(interface_scale_, pixel_scale_);
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
    drawn_ = {};
}

void Window::begin_frame() {
    follow_scale();
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(static_cast<float>(width()), static_cast<float>(height()));
    io.DisplayFramebufferScale = ImVec2(pixel_scale_, pixel_scale_);
    const double now_s = glfwGetTime();
    io.DeltaTime = static_cast<float>(std::max(1e-4, std::min(now_s - last_frame_s_, 0.25)));
    last_frame_s_ = now_s;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
}

base::Status Window::end_frame(const std::string& screenshot_file) {
    ImGui::Render();
    const bool is_lost = input_->take_refresh();
    const bool is_other = drawn_.take(*ImGui::GetDrawData(), PictureTexture::uploads());
    if (!is_lost && !is_other && screenshot_file.empty()) {
        return base::Done{};
    }
    int frame_width = 0;
    int frame_height = 0;
    glfwGetFramebufferSize(window_, &frame_width, &frame_height);
    glViewport(0, 0, frame_width, frame_height);
    glClearColor(0.08F, 0.08F, 0.085F, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    base::Status status = base::Done{};
    if (!screenshot_file.empty()) {
        status = write_screenshot(screenshot_file);
    }
    glfwSwapBuffers(window_);
    return status;
}

base::Status Window::write_screenshot(const std::string& file) const {
    int frame_width = 0;
    int frame_height = 0;
    glfwGetFramebufferSize(window_, &frame_width, &frame_height);
    film::Picture picture;
    picture.width = static_cast<u32>(frame_width);
    picture.height = static_cast<u32>(frame_height);
    picture.channels = 3;
    const std::size_t row = std::size_t{3} * picture.width;
    std::vector<u8> bytes(row * picture.height);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, frame_width, frame_height, GL_RGB, GL_UNSIGNED_BYTE, bytes.data());
    picture.pixels.resize(bytes.size());
    for (u32 y = 0; y < picture.height; ++y) {  // OpenGL's first row is at the bottom
        for (std::size_t k = 0; k < row; ++k) {
            picture.pixels[y * row + k] =
                static_cast<float>(bytes[(picture.height - 1 - y) * row + k]) / 255.0F;
        }
    }
    return film::write_picture(file, picture);
}

}  // namespace weft::app
