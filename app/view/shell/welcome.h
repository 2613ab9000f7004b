// welcome.h — the content of the empty window: how to open a scene, recent scenes, and examples.
//
// Interface thread only.
#pragma once

#include <string>
#include <vector>

#include "app/view/session/view_state.h"

namespace weft::app {

// Draws it in the middle of this part of the window, while no scene is open or loading.
void draw_welcome(ViewState& state, const PicturePlace& place);

}  // namespace weft::app
