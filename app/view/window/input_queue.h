// input_queue.h — mouse, keyboard and dropped-file events in order, from the window's callbacks or
// from a script.
//
// Both write the same events into one queue, and feed() hands ImGui one frame's worth at a time. A
// frame ends where a later event would change how an earlier one is read:
//   - a button or key changes a second time (a click or key stroke faster than a frame),
//   - a second key goes down (each frame runs one shortcut),
//   - a modifier (Ctrl, Shift, Alt, Super) changes after a key, button or wheel step of this frame,
//   - the mouse moves, or a key goes down, after a mouse button changed (a click may open a text
//   field).
// So the modifiers that ImGui sees are those that were down when the key went down. Interface
// thread only.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/base/ids.h"

struct ImGuiIO;

namespace weft::app {

enum class InputKind {
    MouseMove,    // x, y
    MouseButton,  // code: 0 left, 1 right, 2 middle
    Scroll,       // x, y: steps
    Key,          // code: GLFW's key
    Text,         // code: one character
    Files,        // dropped at the mouse
    Refresh,      // only requests a redraw: uncovered, resized
    Leave,        // the window lost the keyboard focus; keys that are down count as released
};

struct InputEvent {
    InputKind kind = InputKind::MouseMove;
    float x = 0;  // window coordinates, from the top left
    float y = 0;
    int code = 0;
    bool is_down = false;
    std::vector<std::string> files{};
};

class InputQueue {
public:
    void push(InputEvent event) { events_.push_back(std::move(event)); }

    [[nodiscard]] bool is_empty() const { return events_.empty(); }

    // Passes one frame's worth of events to ImGui, before its new frame. Returns whether there were
    // any.
    bool feed(ImGuiIO& io);

    // Files dropped since the last call.
    std::vector<std::string> take_files() { return std::exchange(files_, {}); }

    // Whether the window lost the keyboard focus since the last call.
    bool take_leave() { return std::exchange(has_left_, false); }

    // Whether the window lost its content since the last call.
    bool take_refresh() { return std::exchange(has_refresh_, false); }

private:
    // Whether the event must wait for the next frame; otherwise records it as part of this frame.
    bool ends_frame(const InputEvent& event);
    void apply(const InputEvent& event, ImGuiIO& io);

    std::deque<InputEvent> events_;
    std::set<int> changed_;      // this frame: buttons, and keys offset behind them
    bool has_key_down_ = false;  // this frame: a key other than a modifier went down
    bool has_read_modifiers_ =
        false;  // this frame: an event happened whose meaning depends on modifiers
    std::vector<std::string> files_;
    bool has_left_ = false;
    bool has_refresh_ = false;
};

}  // namespace weft::app
