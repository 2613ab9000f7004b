// compare_overlay.h — keyed, unkeyed and embree large, over the picture: three panes side by side,
// or one picture parted by two lines that one pulls.
//
// Shows what the comparison below has (compare_run.h), with rays per second and time of each. While
// it lies over the picture the mouse is for it alone: the view that is compared stays. Called by
// the viewport each frame; interface thread only.
#pragma once

#include "app/view/session/comparison.h"

namespace weft::app {

// Not shown large, side by side, parted by lines, not shown large.
void next_compare_look(ViewState& state);

// The newest picture of a mode; nullptr before the first.
const PictureTexture* compared_picture(CompareState& compare, u32 index);

// The pixel of a mode's picture at a point of the window, while the modes are shown large.
struct ComparedPixel {
    u32 mode = 0;
    u32 x = 0;
    u32 y = 0;
};

std::optional<ComparedPixel> compared_pixel(const PictureSight& sight,
                                            const CompareState& compare,
                                            float x,
                                            float y);

// Over the picture, where it is wanted; true: the mouse is taken. `is_over`: it is on the picture.
bool use_comparison(ViewState& state, bool is_over);

}  // namespace weft::app
