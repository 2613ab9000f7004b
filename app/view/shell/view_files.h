// view_files.h — reads and writes the files that a person has named, and asks about edits that are
// not saved.
//
// Menu, keys and scripts call these. Files are chosen in the file chooser (choose_files.h).
// Interface thread only.
#pragma once

#include <string>

#include "app/view/session/view_state.h"

namespace weft::app {

// Makes the changes of a file, or says why not.
void read_edits(Session& session, Ui& ui, const std::string& path);

// To where they were read from or saved before, else beside the scene.
void save_edits(ViewState& state);

// The command that renders what is seen, onto the clipboard.
void copy_command(ViewState& state);

// Leaves, or asks first where edits are not saved.
void leave(ViewState& state);

// The chooser and the questions; does what was chosen. Once per frame.
void draw_files(ViewState& state);

// Whether one of those windows is open: keys are for it alone.
bool is_asking(const Session& session, const Ui& ui);

}  // namespace weft::app
