// heat_overlay.h — heat drawn over the picture, with its legend.
//
// The viewport calls it each frame, and so do actions that turn heat on. Interface thread only.
#pragma once

#include "app/view/session/view_state.h"

namespace weft::app {

// Turns the counting and display of heat on or off, from the next frame. Turning it off resumes the
// previous frame.
void count_heat(RenderLink& link, HeatState& heat, bool is_on);

// Reads the renderer's heat counters, and draws the overlay if it is on.
void draw_heat_overlay(ViewState& state);

}  // namespace weft::app
