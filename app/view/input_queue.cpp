#include "app/view/input_queue.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

namespace weft::app {

namespace {

constexpr int kButtons = 3;
constexpr int kKeys = 512;  // of ImGuiIO::KeysDown

void set_modifiers(ImGuiIO& io) {
    const auto either = [&](int left, int right) {
        return io.KeysDown[left] || io.KeysDown[right];
    };
    io.KeyCtrl = either(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL);
    io.KeyShift = either(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT);
    io.KeyAlt = either(GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT);
    io.KeySuper = either(GLFW_KEY_LEFT_SUPER, GLFW_KEY_RIGHT_SUPER);
}

}  // namespace

bool InputQueue::is_second_change(const InputEvent& event) {
    if (event.kind == InputKind::MouseButton) {
        return !changed_.insert(event.code).second;
    }
    if (event.kind == InputKind::Key) {
        return !changed_.insert(kButtons + event.code).second;
    }
    // The mouse goes on after a button changed: what was pressed must see where it was pressed.
    return event.kind == InputKind::MouseMove && !changed_.empty() && *changed_.begin() < kButtons;
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
            break;
    }
}

bool InputQueue::feed(ImGuiIO& io) {
    changed_.clear();
    bool has_any = false;
    while (!events_.empty() && !is_second_change(events_.front())) {
        apply(events_.front(), io);
        events_.pop_front();
        has_any = true;
    }
    return has_any;
}

}  // namespace weft::app
