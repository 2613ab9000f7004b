// edit_effect.h — what of a picture must be made again after a change, one bit each.
//
// The bits that an edit of a scene or of a view is said to have. Whoever applies edits adds the
// bits up; whoever renders keeps what no bit names. Plain constants; any thread.
#pragma once

#include "scheduler/base/ids.h"

namespace weft::scene {

enum Effect : u32 {
    kEffectNone = 0,
    kEffectView = 1,          // exposure and view transform alone: no ray is traced again
    kEffectCamera = 2,        // where from, through which lens
    kEffectLook = 4,          // which nodes are drawn, which planes cut them
    kEffectShading = 8,       // factors of materials, their texture slots, lights
    kEffectEnvironment = 16,  // the map, its turn and strength
    kEffectTextures = 32,     // texels
    kEffectPlacement = 64,    // transforms of instances: the tree
    kEffectAll = ~0U,         // anything, a scene never seen included
};

}  // namespace weft::scene
