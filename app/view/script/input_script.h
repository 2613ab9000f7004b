// input_script.h — a text of input events, one per line, that drives the viewer like a person
// (`weft view --script FILE`).
//
// Empty lines and lines that begin with # are skipped. A position is two numbers, in window
// coordinates or, with a % after each, as a share of the picture. Words with spaces need double
// quotes. Mouse and keyboard events go through the window's input queue, one event per frame; a
// line starts when the previous line is done. Only `rush` puts all key strokes and their letters
// into the queue at once, like input faster than frames.
//
//   wait scene | map | picture | samples N | done | saved | frames N     what has to be there
//   mouse X Y                press left|right|middle       release left|right|middle
//   click X Y                click "Name"                  double-click X Y
//   drag X0 Y0 X1 Y1 BUTTON  scroll STEPS                  type TEXT
//   key ctrl+shift+Z         hold KEY                      let KEY       rush KEYS...
//   drop FILE...             resize W H                    minimise      restore
//   screenshot FILE.png      save FILE                     hash FILE     names FILE
//   clipboard FILE           say TEXT                      close         quit
//   expect "Name"            refuse "Name"
//
// `wait map` waits for a map, or a picture of a material, that is being read. While a `wait` of
// anything but frames lasts, the viewer draws as rarely as without a script; else every frame.
// `click "Name"` clicks on the widget of that name and `expect` waits for it, both for at most 1200
// frames; `refuse` fails if the widget is there now; `names` writes the names of all widgets, each
// with a tab and its rectangle, x0 y0 x1 y1. `hash` writes the film hash as `weft verify` prints
// it, `clipboard` the content of the clipboard; `say` prints a line on stderr. `close` acts like
// the window's own button; `quit` leaves at once and discards unsaved edits. Interface thread only.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/view/window/input_queue.h"
#include "scheduler/base/result.h"

namespace weft::app {

struct ScriptLine {
    u32 number = 0;  // in the file, from 1
    std::vector<std::string> words;
};

// Error: a line with an unknown command or wrong words, with its number and what was expected.
base::Result<std::vector<ScriptLine>> read_script(const std::string& path);
base::Result<std::vector<ScriptLine>> parse_script(const std::string& path,
                                                   const std::string& text);

// "ctrl+shift+Z", "F1", "escape": the keys in the order they go down; empty: unknown key.
std::vector<int> keys_named(const std::string& name);

// 0 left, 1 right, 2 middle; none for other names.
std::optional<int> button_named(const std::string& name);

// Each inner list is the input of one frame.
using FrameEvents = std::deque<std::vector<InputEvent>>;

struct ScriptPoint {
    float x = 0;
    float y = 0;
};

void add_click(FrameEvents& frames, ScriptPoint at, int button, u32 times);
void add_drag(FrameEvents& frames, ScriptPoint from, ScriptPoint to, int button);
void add_keys(FrameEvents& frames, const std::vector<int>& keys);
void add_rush(FrameEvents& frames, std::span<const std::string> words);
void add_text(FrameEvents& frames, const std::string& text);

}  // namespace weft::app
