// ui.h — the state of the interface itself: the message in the status line, the keyboard, the file
// chooser, marks for scripts.
//
// Interface thread only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "app/view/models/frame_times.h"
#include "app/view/session/selection.h"
#include "app/view/session/session.h"
#include "app/view/window/file_chooser.h"
#include "app/view/window/widget_marks.h"
#include "scheduler/base/result.h"

namespace weft::app {

// One line in the status line: what was done, what to do, or the sentence of an error. It goes when
// it is no longer true.
struct Message {
    using Test = std::function<bool()>;

    std::string text;
    bool is_error = false;
    Test holds = nullptr;  // empty: true until the next message
};

// Where keys go, and what they have asked for.
struct KeyboardState {
    bool is_in_menus = false;        // arrows and Enter choose; no key means an action
    bool is_alt_alone = false;       // it is down, and nothing else was done since
    bool is_leaving_menus = false;   // to be closed in the next frame
    std::optional<u32> wanted_menu;  // to be opened in the next frame
    bool is_beside_submenu = false;  // an arrow to the right opens it
    bool is_field_wanted = false;    // the next frame goes into the first number field

    // Frames for which input stays in the queue until a text field has the keyboard, so that what
    // is typed ahead into a field that is about to open reaches no shortcut.
    u32 frames_until_text = 0;

    static constexpr u32 kMostFramesUntilText = 6;

    // Before a field is focused or a window opens that focuses one.
    void await_text() { frames_until_text = kMostFramesUntilText; }
};

struct Ui {
    float interface_scale = 0;  // wanted: of --ui-scale or remembered; 0: the monitor's
    bool is_help_open = false;
    bool is_quit_wanted = false;
    Message message;
    KeyboardState keyboard;
    FileChooser chooser;
    WidgetMarks marks;
    FrameTimes frame_times;

    void say(std::string text) { message = {std::move(text)}; }

    void say(const base::Error& error) { message = {error.sentence, true}; }

    // `holds` refers to what outlives this object.
    void say_while(std::string text, Message::Test holds) {
        message = {std::move(text), false, std::move(holds)};
    }

    // Once per frame.
    void end_message() {
        if (message.holds && !message.holds()) {
            message = {};
        }
    }
};

// Says what is true of the scene as it is now: until the next edit, undo or redo.
void say_of_edits(Ui& ui, const Session& session, std::string text);

// Says what is true of the view as it is now: until an edit, a move of the camera or another
// selection.
void say_of_view(Ui& ui, const Session& session, const Selection& selection, std::string text);

}  // namespace weft::app
