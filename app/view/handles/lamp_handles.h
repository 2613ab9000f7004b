// lamp_handles.h — lamps over the picture: a sign where each is, and handles for the selected one.
//
// Signs are seen while the panel of lights is, or while a lamp is selected; a click on one selects
// its lamp. Arms move a lamp, rings turn what a spot or a sun shines at, dots on a circle set its
// size and its cone. A pull is one step of undo, however long. Interface thread only.
#pragma once

#include "app/view/session/view_state.h"

namespace weft::app {

// Draws into the current window's list and reacts to the mouse. True while the mouse is theirs: the
// viewport then leaves it alone. Call before the viewport uses the mouse.
bool use_lamps(ViewState& state, bool is_over_picture);

}  // namespace weft::app
