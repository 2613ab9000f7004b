// edit_effect.h — the parts of a render that a change invalidates, one bit each.
//
// Each edit returns its bits. The caller combines the bits of all edits, and the renderer keeps
// every part without a bit. Plain constants; any thread.
#pragma once

#include "scheduler/base/ids.h"

namespace weft::scene {

enum Effect : u32 {
    kEffectNone = 0,
    kEffectView = 1,          // exposure and view transform alone: no ray is traced again
    kEffectCamera = 2,        // position, direction, lens
    kEffectLook = 4,          // which nodes are drawn, which planes cut them
    kEffectShading = 8,       // factors of materials, their texture slots, lights
    kEffectEnvironment = 16,  // the map, its rotation and strength
    kEffectTextures = 32,     // texels
    kEffectPlacement = 64,    // transforms of instances: the TLAS
    kEffectVertices = 128,    // positions and other attributes of the same triangles
    kEffectTree = 256,        // groups, and cameras of the file: no picture
    kEffectAll = ~0U,         // everything, as for a new scene
};

}  // namespace weft::scene
