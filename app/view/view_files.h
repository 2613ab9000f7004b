// view_files.h — the files that a person names: scenes, environment maps, pictures, edits; and the
// questions about edits that are not saved.
//
// Menu, keys and scripts call these. choose_*() open the file chooser; what was chosen in it is
// done by draw_files(), once per frame. Interface thread only.
#pragma once

#include <string>

#include "app/view/view_state.h"

namespace weft::app {

void choose_scene(ViewState& state);
void choose_missing_folder(ViewState& state);  // where missing pictures are looked for
void choose_environment(ViewState& state);
void choose_picture(ViewState& state);  // to save
void choose_edits(ViewState& state);    // to read
void choose_edits_name(ViewState& state);
void choose_trace(ViewState& state);  // to save

// Makes the changes of a file, or says why not.
void read_edits(ViewState& state, const std::string& path);

// To where they were read from or saved before, else beside the scene.
void save_edits(ViewState& state);

// The command that renders what is seen, onto the clipboard.
void copy_command(ViewState& state);

// Leaves, or asks first where edits are not saved.
void leave(ViewState& state);

// A scene was opened: whether an earlier session left edits of it behind. Before keep_unsaved().
void look_for_unsaved(ViewState& state);

// Keeps edits that are not saved aside; at rest, not while something is dragged. Once per turn.
void keep_unsaved(ViewState& state);

// Keeps views that were kept for another session, likewise.
void keep_bookmarks(ViewState& state);

// keep_unsaved() at once, and to its end: the viewer cannot go on. Why not, in one sentence, and
// where the edits are.
std::string keep_at_end(ViewState& state, const std::string& reason);

// The chooser and the questions; does what was chosen. Once per frame.
void draw_files(ViewState& state);

// Whether one of those windows is open: keys are for it alone.
bool is_asking(const ViewState& state);

}  // namespace weft::app
