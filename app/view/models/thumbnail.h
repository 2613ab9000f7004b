// thumbnail.h — a small 8-bit picture of a texture, for swatches in panels.
//
// Uses the mip level nearest to the wanted size, so that the cost does not depend on the texture's
// size. Pure; any thread that may read the scene.
#pragma once

#include <vector>

#include "engine/scene/model/scene.h"

namespace weft::app {

struct Thumbnail {
    u32 width = 0;
    u32 height = 0;
    std::vector<u8> rgba;  // display values, top row first
};

// At most `side` pixels wide and high, if the texture has such a level.
Thumbnail make_thumbnail(const scene::Scene& scene, u32 texture, u32 side);

}  // namespace weft::app
