// dropped_files.h — files dropped on the window: scenes, edits and pictures.
//
// A picture dropped on an object opens a menu of its material's maps; on the background it becomes
// the environment. Interface thread only; asking the renderer for the object there takes about a
// millisecond.
#pragma once

#include <string>
#include <vector>

#include "app/view/session/view_state.h"

namespace weft::app {

// Handles files dropped at the mouse: a picture goes to the object there or becomes the
// environment, edits apply to the open scene, anything else is opened as a scene.
void take_dropped(ViewState& state, const std::vector<std::string>& files);

// Draws the menu that asks which map a dropped picture becomes, while it is open. Call once per
// frame.
void draw_picture_drop(Session& session, Ui& ui, PanelState& panels);

}  // namespace weft::app
