// ui.h — the state of the interface itself: the message in the status line, the keyboard, the file
// chooser, marks for scripts.
//
// Interface thread only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/view/models/frame_times.h"
#include "app/view/window/file_chooser.h"
#include "app/view/window/widget_marks.h"
#include "scheduler/base/result.h"

namespace weft::app {

struct RenderLink;
struct Selection;
struct Session;

// One line in the status line: a result, a hint, or an error. It disappears when it is no longer
// true.
struct Message {
    using Test = std::function<bool()>;

    std::string text;
    bool is_error = false;
    Test holds = nullptr;  // whether it is still true; empty: until the next message
};

// Where keys go, and what they requested.
struct KeyboardState {
    bool is_in_menus = false;        // arrows and Enter navigate; no key runs an action
    bool is_alt_alone = false;       // Alt is down, and nothing else happened since
    bool is_leaving_menus = false;   // to be closed in the next frame
    std::optional<u32> wanted_menu;  // to be opened in the next frame
    bool is_beside_submenu = false;  // the right arrow opens it
    bool is_field_wanted = false;    // the next frame focuses the first number field

    // Frames for which input stays in the queue until a text field has the focus, so that input
    // typed ahead of an opening field triggers no shortcut.
    u32 frames_until_text = 0;

    static constexpr u32 kMostFramesUntilText = 6;

    // Call before a field is focused, or a window opens that focuses one.
    void await_text() { frames_until_text = kMostFramesUntilText; }
};

struct Ui {
    float interface_scale = 0;  // from --ui-scale or the settings; 0: the monitor's
    bool is_help_open = false;
    bool is_quit_wanted = false;
    std::string renamed;  // path whose row in the tree becomes a field; empty: none
    Message message;
    KeyboardState keyboard;
    FileChooser chooser;
    WidgetMarks marks;
    FrameTimes frame_times;

    void say(std::string text) { message = {std::move(text)}; }

    void say(const base::Error& error) { message = {error.sentence, true}; }

    // Everything that `holds` refers to must outlive this object.
    void say_while(std::string text, Message::Test holds) {
        message = {std::move(text), false, std::move(holds)};
    }

    // Call once per frame: removes the message if it no longer holds.
    void end_message() {
        if (message.holds && !message.holds()) {
            message = {};
        }
    }
};

// Says that something needs the whole tree in memory, where --geometry-memory keeps parts of it in
// a file. True: it does.
[[nodiscard]] bool refuse_with_pages(Ui& ui, const RenderLink& link, std::string_view what);

// Shows a message until the next edit, undo or redo.
void say_of_edits(Ui& ui, const Session& session, std::string text);

// Shows a message until an edit, a camera move or a change of the selection.
void say_of_view(Ui& ui, const Session& session, const Selection& selection, std::string text);

}  // namespace weft::app
