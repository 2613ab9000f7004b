// send_edit.h — edits of widgets, keys and handles: those of one drag become one step of undo.
//
// Interface thread only.
#pragma once

#include <string>

#include "app/view/session/view_state.h"

namespace weft::app {

// Sends an edit; the edits of one drag become one step. False: an error, which the status line
// shows.
bool send_edit(Session& session, Ui& ui, const std::string& path, const std::string& json);
// After the widget of a field: ends a drag that the mouse has let go of.
void end_drag(Session& session);
// After all widgets of a frame: where no widget is held, no edit is part of a drag, whether a
// widget of an open panel made it or a key did.
void end_drags(Session& session);

}  // namespace weft::app
