// keep_edits.h — autosaves unsaved edits, so that a crash or a lost display loses none.
//
// Edits go to a file of the session (document_file.h), bookmarks to the settings. Interface thread
// only; other threads write the files.
#pragma once

#include <string>

namespace weft::app {

struct Session;
struct Ui;

// Call after a scene was opened, and before keep_unsaved(): looks for edits that an earlier session
// left behind.
void look_for_unsaved(Session& session);

// Autosaves the edits, unless a drag of a field or a handle is in progress. Call once per turn.
void keep_unsaved(Session& session, Ui& ui, bool is_handle_held);

// Writes bookmarks that changed. Call once per turn.
void keep_bookmarks(Session& session, Ui& ui);

// Saves unsaved edits aside before the viewer ends, and waits for the file. Returns `reason` and
// where the edits are.
std::string keep_at_end(Session& session, const std::string& reason);

}  // namespace weft::app
