// picture_pane.h — the picture with everything over it: overlays, handles, the mouse.
//
// Interface thread only.
#pragma once

namespace weft::app {

struct ViewState;

// Fills the current ImGui window.
void draw_picture_pane(ViewState& state);

}  // namespace weft::app
