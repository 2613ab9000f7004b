// welcome.h — what the empty window says: how a scene is opened, recent ones, and examples.
//
// Interface thread only.
#pragma once

#include <string>
#include <vector>

#include "app/view/view_state.h"

namespace weft::app {

// Scenes that are opened by a name alone: those of the scene folders, and procedural ones. Reads
// the file system.
std::vector<std::string> example_scenes();

// In the middle of this part of the window, while no scene is open or being opened.
void draw_welcome(ViewState& state, const PicturePlace& place);

}  // namespace weft::app
