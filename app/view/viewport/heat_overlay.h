// heat_overlay.h — heat drawn over the picture, with its legend.
//
// Called by the viewport each frame, and by whoever turns heat on. Interface thread only.
#pragma once

#include "app/view/session/view_state.h"

namespace weft::app {

// Counted and shown from the next frame on, or not any more. Without it the frame of before goes
// on where it was.
void count_heat(RenderLink& link, HeatState& heat, bool is_on);

// Follows the renderer's figures, and draws them where that is wanted.
void draw_heat_overlay(ViewState& state);

}  // namespace weft::app
