// keep_edits.h — keeps what is not saved, so that a crash or a lost display loses none of it.
//
// Edits go to a file of the session (document_file.h), bookmarks to the settings. Interface thread
// only; threads of their own write.
#pragma once

#include <string>

#include "app/view/session/view_state.h"

namespace weft::app {

// After a scene was opened: finds edits of it that an earlier session left behind. Call before
// keep_unsaved().
void look_for_unsaved(Session& session);

// Keeps unsaved edits aside, once no drag is in progress. Once per turn.
void keep_unsaved(Session& session, Ui& ui, PanelState& panels);

// Writes bookmarks that have changed. Once per turn.
void keep_bookmarks(Session& session, Ui& ui);

// Keeps unsaved edits before the viewer ends, and waits for the file. Returns `reason`, and where
// the edits are.
std::string keep_at_end(Session& session, const std::string& reason);

}  // namespace weft::app
