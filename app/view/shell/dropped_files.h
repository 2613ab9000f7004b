// dropped_files.h — files dropped on the window: scenes, edits and pictures.
//
// A picture on an object offers to be one of its material's maps; on the background it lights the
// scene. Interface thread only; asking the renderer what lies there takes about a millisecond.
#pragma once

#include <string>
#include <vector>

#include "app/view/session/view_state.h"

namespace weft::app {

// Files dropped where the mouse is: a picture goes on the object there or lights the scene, edits
// are made in the scene that is open, the rest is opened.
void take_dropped(ViewState& state, const std::vector<std::string>& files);

// The menu that asks which map a dropped picture is to be, while it is open. Once per frame.
void draw_picture_drop(Session& session, Ui& ui, PanelState& panels);

}  // namespace weft::app
