// selection.h — what is selected in the picture, the outliner or a panel.
//
// Interface thread only.
#pragma once

#include <string>

#include "scheduler/base/ids.h"

namespace weft::app {

// A path as edits name it ("nodes/NAME", "materials/NAME", "lights/NAME", "environment"), empty if
// nothing is selected; and the instance that was picked in the picture.
struct Selection {
    std::string path;
    u32 instance = kNone;
    u32 material = kNone;
};

}  // namespace weft::app
