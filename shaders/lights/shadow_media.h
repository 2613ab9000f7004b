// shadow_media.h — the media along a shadow ray: the boundaries that it passes, and how much of its
// light they leave (shaders/bsdf.md section 5).
//
// Traversal notes boundaries in any order; when the ray has reached its light they are sorted, so
// the result depends on the set of them alone. Scalar code; a slot belongs to one thread at a time.
#pragma once

#include "shaders/host/path_view.h"
#include "shaders/host/scene_view.h"

namespace weft::shaders {

// Notes a hit on a boundary without a surface (kMaterialBoundary), at `t` along `direction`. False:
// the hit is no such boundary, or the ray has passed kMostCrossings already, and it blocks the ray.
bool pass_boundary(const SceneView& scene,
                   u32 instance,
                   u32 primitive,
                   float t,
                   const float direction[3],
                   ShadowMedia& media);

// Multiplies the light of a shadow ray of length `distance` (infinity: to outside of the scene) by
// exp(−σ_t · way) of each medium in force along it. The last way to infinity is not attenuated.
// Sorts the crossings.
void attenuate_along(const SceneView& scene, ShadowMedia& media, float distance, float light[3]);

}  // namespace weft::shaders
