// layout.h — the menu bar, the panels beside and below the picture, and the status line.
//
// This version of ImGui has no docking: panels have fixed places, and the person drags their
// borders; the settings keep the sizes. Interface thread only.
#pragma once

#include "app/view/session/view_state.h"
#include "app/view/viewport/viewport.h"

namespace weft::app {

// Draws the whole window. Call once per frame.
void draw_layout(ViewState& state, Viewport& viewport);

}  // namespace weft::app
