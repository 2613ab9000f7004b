// thumbnail.h — a texture of the scene as a small 8-bit picture, for swatches in panels.
//
// Taken from the mip level that is near the wanted size, so that a picture of any size costs the
// same. Pure; any thread that may read the scene.
#pragma once

#include <vector>

#include "engine/scene/model/scene.h"

namespace weft::app {

struct Thumbnail {
    u32 width = 0;
    u32 height = 0;
    std::vector<u8> rgba;  // display values, top row first
};

// At most `side` pixels wide and high, where the texture has such a level.
Thumbnail make_thumbnail(const scene::Scene& scene, u32 texture, u32 side);

}  // namespace weft::app
