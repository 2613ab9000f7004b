// send_edit.h — sends edits of widgets, keys and handles to the document; one drag is one step.
//
// Interface thread only.
#pragma once

#include <string>

namespace weft::app {

struct Session;
struct Ui;

// Sends an edit; the edits of one drag become one step. False: an error, which the status line
// shows.
bool send_edit(Session& session, Ui& ui, const std::string& path, const std::string& json);
// Call after a field's widget: ends its drag once the mouse button is up.
void end_drag(Session& session);
// Call after all widgets of a frame: ends every drag if no widget is held, so that later edits
// start new steps.
void end_drags(Session& session);

}  // namespace weft::app
