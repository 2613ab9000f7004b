// placement.h — how importers of other renderers place things.
//
// Pure; any thread.
#pragma once

#include "engine/math/affine.h"
#include "engine/scene/model/scene.h"

namespace weft::scene {

// By degrees (|degrees| ≤ 10^7) about an axis, counter-clockwise as seen against it.
math::DAffine rotation(double degrees, const math::DVec3& axis);

// From the world of a file to that of the scene, for files that do not say which axis is up: where
// the up direction of their camera is next to z, that axis becomes +Y; else nothing changes. With
// `mirrors`, the world is mirrored too, along the axis that goes ahead or back.
math::DAffine upright(const math::DVec3& camera_up, bool mirrors);

// The camera's matrix, with unit axes at right angles, from where it looks to (`ahead`) and what is
// `right` of it there.
math::Affine camera_matrix(const math::DVec3& right,
                           const math::DVec3& ahead,
                           const math::DVec3& place);

}  // namespace weft::scene
