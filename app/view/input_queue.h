// input_queue.h — what people do with mouse, keyboard and files, in order, whoever says so: the
// window's callbacks or a script of events.
//
// Both write the same events into one queue, and feed() tells ImGui what happened, a frame's worth
// at a time: a frame ends before a button or key changes a second time, so that a click that was
// faster than a frame is still seen. Interface thread only.
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
    Refresh,      // nothing but a reason to draw: uncovered, resized
    Leave,        // keys go to another window from now on; those that are down count as let go
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

    // Tells ImGui one frame's worth, before its new frame. Returns whether there was anything.
    bool feed(ImGuiIO& io);

    // Files dropped since the last call.
    std::vector<std::string> take_files() { return std::exchange(files_, {}); }

    // Whether keys went to another window since the last call.
    bool take_leave() { return std::exchange(has_left_, false); }

private:
    // Whether the event must wait for the next frame.
    bool is_second_change(const InputEvent& event);
    void apply(const InputEvent& event, ImGuiIO& io);

    std::deque<InputEvent> events_;
    std::set<int> changed_;  // this frame: buttons, and keys behind them
    std::vector<std::string> files_;
    bool has_left_ = false;
};

}  // namespace weft::app
