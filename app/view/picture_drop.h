// picture_drop.h — a picture that was dropped on the window: on an object it offers to be one of
// its material's maps, on the background it lights the scene.
//
// Interface thread only; asking the renderer what lies there takes about a millisecond.
#pragma once

#include <string>

#include "app/view/view_state.h"

namespace weft::app {

// Whether the ending of a file is that of a picture.
bool is_picture_file(const std::string& file);

// Dropped at this point of the window.
void take_picture_drop(ViewState& state, const std::string& file, float x, float y);

// The question what it is to be, while it is open. Once per frame.
void draw_picture_drop(ViewState& state);

}  // namespace weft::app
