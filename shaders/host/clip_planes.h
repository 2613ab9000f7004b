// clip_planes.h — user clip planes: tests whether a point of an instance is cut away.
//
// A plane cuts a point of an instance where the instance's enable mask has the plane's bit and the
// point lies on the plane's negative side (C4c). Traversal tests each candidate hit, so every ray
// sees the cut. Scalar, in double precision and never fused, so that every instruction set, tree
// and order gives the same answer. Any thread.
#pragma once

#include "shaders/host/scene_view.h"

namespace weft::shaders {

// Mask of the planes with n·p + d < 0.
u32 planes_behind(const SceneView& scene, const double point[3]);

// True if the hit at `t` of a ray on this instance is cut away.
bool is_cut_away(
    const SceneView& scene, u32 instance, const float origin[3], const float direction[3], float t);

}  // namespace weft::shaders
