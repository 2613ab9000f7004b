// clip_planes.h — user clip planes: which points of the scene are cut away.
//
// A plane cuts an instance where the instance's enable mask has the plane's bit and the point lies
// on the plane's far side: the enable mask and the mask of the hit are combined with and (C4c).
// Traversal asks about each candidate hit, so every ray sees the cut. Scalar, in double precision
// and never fused, so that every instruction set, tree and order gives the same answer. Any thread.
#pragma once

#include "shaders/host/scene_view.h"

namespace weft::shaders {

// The planes that a point lies behind: n·p + d < 0, one bit each.
u32 planes_behind(const SceneView& scene, const double point[3]);

// True if the hit at `t` of a ray on this instance is cut away.
bool is_cut_away(
    const SceneView& scene, u32 instance, const float origin[3], const float direction[3], float t);

}  // namespace weft::shaders
