// sky.h — small environments made in code: the soft default and the sky of outdoor procedural
// scenes.
//
// Lat-long pictures of 64×32 texels in the orientation of read_environment (import.h). No libm, so
// the same bits everywhere. Pure; any thread.
#pragma once

#include "engine/scene/model/scene.h"

namespace weft::scene {

// Sky above, a warm horizon, a dim ground, and a broad bright region in front, above and to the
// left; the mean luminance over the sphere is 0.5 cd/m², so that white does not clip.
Environment soft_environment();

// Deep blue above, pale at the horizon, earth below; mean luminance 1 cd/m². Goes with a
// directional sun.
Environment clear_sky();

}  // namespace weft::scene
