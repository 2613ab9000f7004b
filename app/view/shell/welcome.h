// welcome.h — what the empty window says: how a scene is opened, recent ones, and examples.
//
// Interface thread only.
#pragma once

#include <string>
#include <vector>

#include "app/view/session/view_state.h"

namespace weft::app {

// In the middle of this part of the window, while no scene is open or being opened.
void draw_welcome(ViewState& state, const PicturePlace& place);

}  // namespace weft::app
