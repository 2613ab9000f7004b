// lamp_handles.h — the signs of the lights over the picture, and the handles of the selected light.
//
// Signs show while the Lights panel is visible or a light is selected; a click on a sign selects
// its light. Gizmo handles move a light and rotate the direction of a spot or a sun; dots on a
// circle set its size and its cone. One drag is one step of undo. Interface thread only.
#pragma once

#include "app/view/session/view_state.h"

namespace weft::app {

// Draws into the current window's list and reacts to the mouse. True while the mouse is over a
// handle or a sign, or holds one; the viewport must then ignore the mouse. Call before the viewport
// uses the mouse.
bool use_lamps(ViewState& state, bool is_over_picture);

}  // namespace weft::app
