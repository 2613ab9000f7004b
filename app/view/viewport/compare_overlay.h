// compare_overlay.h — keyed, unkeyed and embree large over the picture: three panes side by side,
// or one picture separated by two lines that the mouse drags.
//
// Shows the comparison of the panel below (compare_run.h), with rays per second and time of each
// mode. While it lies over the picture, it takes the mouse: the compared view does not move. The
// viewport calls it each frame; interface thread only.
#pragma once

#include "app/view/session/comparison.h"

namespace weft::app {

// Cycles through: panel only, side by side, wipe.
void next_compare_look(ViewState& state);

// The newest picture of a mode; nullptr before the first.
const PictureTexture* compared_picture(CompareState& compare, u32 index);

// The pixel of a mode's picture at a point of the window, while the overlay shows.
struct ComparedPixel {
    u32 mode = 0;
    u32 x = 0;
    u32 y = 0;
};

std::optional<ComparedPixel> compared_pixel(const PictureSight& sight,
                                            const CompareState& compare,
                                            float x,
                                            float y);

// Draws the overlay if it is on; true: it used the mouse. `is_over`: the mouse is over the picture.
bool use_comparison(ViewState& state, bool is_over);

}  // namespace weft::app
