// selection.h — what is selected in the picture, the outliner or a panel.
//
// Interface thread only.
#pragma once

#include <string>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::app {

// A path as edits name it ("nodes/NAME", "groups/NAME", "lights/NAME", "cameras/NAME",
// "materials/NAME", "environment"), empty if nothing is selected; and the instance that was picked
// in the picture. Panels show this one.
struct Selection {
    std::string path;
    u32 instance = kNone;
    u32 material = kNone;
    std::vector<std::string> others{};  // selected besides, without `path`: things in the scene
};

}  // namespace weft::app
