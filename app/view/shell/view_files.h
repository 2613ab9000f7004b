// view_files.h — reads and writes the files that the person names, and asks about unsaved edits.
//
// Menu, keys and scripts call these. The file chooser chooses the files (choose_files.h). Interface
// thread only.
#pragma once

#include <string>

#include "app/view/session/view_state.h"

namespace weft::app {

// Makes the edits of a file; reports a failure.
void read_edits(Session& session, Ui& ui, const std::string& path);

// Saves to the last file of edits read or saved, else beside the scene.
void save_edits(ViewState& state);

// Copies the command that renders this picture to the clipboard.
void copy_command(ViewState& state);

// Leaves, or asks first if there are unsaved edits.
void leave(ViewState& state);

// Draws the chooser and the questions, and acts on the answers. Call once per frame.
void draw_files(ViewState& state);

// Whether the chooser or a question is open, which takes all keys.
bool is_asking(const Session& session, const Ui& ui);

}  // namespace weft::app
