// keep_edits.h — keeps what is not saved, so that a crash or a lost display loses none of it.
//
// Edits go to a file of the session (document_file.h), bookmarks to the settings. Interface thread
// only; threads of their own write.
#pragma once

#include <string>

#include "app/view/session/view_state.h"

namespace weft::app {

// A scene was opened: whether an earlier session left edits of it behind. Before keep_unsaved().
void look_for_unsaved(Session& session);

// Keeps edits that are not saved aside; at rest, not while something is dragged. Once per turn.
void keep_unsaved(Session& session, Ui& ui, PanelState& panels);

// Keeps views that were kept for another session, likewise.
void keep_bookmarks(Session& session, Ui& ui);

// keep_unsaved() at once, and to its end: the viewer cannot go on. Why not, in one sentence, and
// where the edits are.
std::string keep_at_end(Session& session, const std::string& reason);

}  // namespace weft::app
