// window.h — the window: GLFW, an OpenGL 3.3 context, and ImGui drawn into it.
//
// Window events go into the InputQueue. One window per process; only on the interface thread, which
// GLFW requires to be the main thread.
#pragma once

#include <memory>
#include <string>

#include "app/view/window/drawn_frame.h"
#include "app/view/window/input_queue.h"
#include "scheduler/base/result.h"

struct GLFWwindow;

namespace weft::app {

struct WindowConfig {
    u32 width = 1440;
    u32 height = 860;
    std::string title = "Weft";
    float interface_scale = 0;  // 0: the monitor's scale
};

class Window {
public:
    // Error: no display, or one without OpenGL 3.3.
    static base::Result<std::unique_ptr<Window>> open(const WindowConfig& config,
                                                      InputQueue& input);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    // Waits for a window event or wake(), at most this long; 0 only polls.
    void wait_events(double seconds);
    // Ends the wait; does nothing if there is no window. Call from any thread, but not while the
    // window closes.
    static void wake();

    // Closes like the window's own button.
    void ask_to_close();
    // Whether the window was asked to close since the last call.
    bool take_close();
    [[nodiscard]] bool is_minimised() const;

    // Scale of text, spacing and handles; 0: follows the window's monitor.
    void set_interface_scale(float scale) { wanted_scale_ = scale; }

    void begin_frame();
    // Draws ImGui's frame unless the window shows the same already; with a file name, writes the
    // picture there before it is shown.
    base::Status end_frame(const std::string& screenshot_file);

    void resize(u32 width, u32 height);
    void minimise(bool is_minimised);
    void hide();

    // Scale of the current frame, relative to a display of 96 dots per inch.
    [[nodiscard]] float interface_scale() const { return interface_scale_; }

    // Framebuffer pixels per window coordinate.
    [[nodiscard]] float pixel_scale() const { return pixel_scale_; }

    [[nodiscard]] u32 width() const;
    [[nodiscard]] u32 height() const;

private:
    Window() = default;
    void install_callbacks();
    [[nodiscard]] float pixels_per_coordinate() const;
    [[nodiscard]] float scale_now() const;
    // Rebuilds theme and font if the scale changed.
    void follow_scale();
    [[nodiscard]] base::Status write_screenshot(const std::string& file) const;

    GLFWwindow* window_ = nullptr;
    InputQueue* input_ = nullptr;
    bool has_glfw_ = false;
    bool has_backend_ = false;
    DrawnFrame drawn_;
    double last_frame_s_ = 0;
    float wanted_scale_ = 0;
    float interface_scale_ = 1;
    float pixel_scale_ = 1;
    float themed_pixel_scale_ = 1;  // that theme and font were built for
};

}  // namespace weft::app
