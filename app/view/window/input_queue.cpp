#include "app/view/window/input_queue.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

namespace weft::app {

namespace {

constexpr int kButtons = 3;
constexpr int kKeys = 512;  // size of ImGuiIO::KeysDown

void set_modifiers(ImGuiIO& io) {
    const auto either = [&](int left, int right) {
        return io.KeysDown[left] || io.KeysDown[right];
    };
    io.KeyCtrl = either(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL);
    io.KeyShift = either(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT);
    io.KeyAlt = either(GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT);
    io.KeySuper = either(GLFW_KEY_LEFT_SUPER, GLFW_KEY_RIGHT_SUPER);
}

bool is_modifier(int key) {
    return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER;
}

}  // namespace

bool InputQueue::ends_frame(const InputEvent& event) {
    const bool has_button = !changed_.empty() && *changed_.begin() < kButtons;
    switch (event.kind) {
        case InputKind::MouseMove:
            return has_button;  // a click must be processed where it happened
        case InputKind::MouseButton:
            has_read_modifiers_ = true;
            return !changed_.insert(event.code).second;
        case InputKind::Scroll:
            has_read_modifiers_ = true;
            return false;
        case InputKind::Key:
            break;
        default:
            return false;
    }
    const bool is_stroke = event.is_down && !is_modifier(event.code);
    if (is_modifier(event.code) ? has_read_modifiers_
                                : is_stroke && (has_key_down_ || has_button)) {
        return true;
    }
    has_key_down_ = has_key_down_ || is_stroke;
    has_read_modifiers_ = has_read_modifiers_ || is_stroke;
    return !changed_.insert(kButtons + event.code).second;
}

void InputQueue::apply(const InputEvent& event, ImGuiIO& io) {
    switch (event.kind) {
        case InputKind::MouseMove:
            io.MousePos = ImVec2(event.x, event.y);
            break;
        case InputKind::MouseButton:
            if (event.code >= 0 && event.code < kButtons) {
                io.MouseDown[event.code] = event.is_down;
            }
            break;
        case InputKind::Scroll:
            io.MouseWheelH += event.x;
            io.MouseWheel += event.y;
            break;
        case InputKind::Key:
            if (event.code >= 0 && event.code < kKeys) {
                io.KeysDown[event.code] = event.is_down;
                set_modifiers(io);
            }
            break;
        case InputKind::Text:
            io.AddInputCharacter(static_cast<unsigned>(event.code));
            break;
        case InputKind::Files:
            files_.insert(files_.end(), event.files.begin(), event.files.end());
            break;
        case InputKind::Leave:
            has_left_ = true;
            break;
        case InputKind::Refresh:
            has_refresh_ = true;
            break;
    }
}

bool InputQueue::feed(ImGuiIO& io) {
    changed_.clear();
    has_key_down_ = false;
    has_read_modifiers_ = false;
    bool has_any = false;
    while (!events_.empty() && !ends_frame(events_.front())) {
        apply(events_.front(), io);
        events_.pop_front();
        has_any = true;
    }
    return has_any;
}

}  // namespace weft::app
