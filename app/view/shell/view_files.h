// view_files.h — reads and writes the files that the person names, and asks about unsaved edits.
//
// Menu, keys and scripts call these. The file chooser chooses the files (choose_files.h). Interface
// thread only.
#pragma once

#include <string>

namespace weft::app {

struct RenderLink;
struct Session;
struct Ui;

// Makes the edits of a file; reports a failure.
void read_edits(Session& session, Ui& ui, const std::string& path);

// Saves to the last file of edits read or saved, else beside the scene.
void save_edits(Session& session, Ui& ui);

// Copies the command that renders this picture to the clipboard.
void copy_command(const Session& session, const RenderLink& link, Ui& ui);

// Leaves, or asks first if there are unsaved edits.
void leave(Session& session, Ui& ui);

// Acts on the file chosen since the last frame, if one was. Call once per frame.
void take_chosen(Session& session, RenderLink& link, Ui& ui);

// Draws the question about unsaved edits if it is open, and acts on the answer. Call once per
// frame.
void draw_questions(Session& session, Ui& ui);

// Whether the chooser or a question is open, which takes all keys.
bool is_asking(const Session& session, const Ui& ui);

}  // namespace weft::app
