// layout.h — the menu bar, the panels beside and below the picture, and the status line.
//
// ImGui of this version has no docking: places are fixed, their sizes are changed at the borders
// and remembered. Interface thread only.
#pragma once

#include "app/view/session/view_state.h"
#include "app/view/viewport/viewport.h"

namespace weft::app {

// The whole window, once per frame.
void draw_layout(ViewState& state, Viewport& viewport);

}  // namespace weft::app
