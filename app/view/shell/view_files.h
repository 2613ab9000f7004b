// view_files.h — reads and writes the files that a person has named, and asks about edits that are
// not saved.
//
// Menu, keys and scripts call these. Files are chosen in the file chooser (choose_files.h).
// Interface thread only.
#pragma once

#include <string>

#include "app/view/session/view_state.h"

namespace weft::app {

// Makes the edits of a file; reports a failure.
void read_edits(Session& session, Ui& ui, const std::string& path);

// Saves to the file that edits were read from or saved to before, else beside the scene.
void save_edits(ViewState& state);

// Copies the command that renders this picture to the clipboard.
void copy_command(ViewState& state);

// Leaves, or asks first where edits are unsaved.
void leave(ViewState& state);

// Draws the chooser and the questions, and does what was chosen. Once per frame.
void draw_files(ViewState& state);

// Whether the chooser or a question is open: it takes all keys.
bool is_asking(const Session& session, const Ui& ui);

}  // namespace weft::app
