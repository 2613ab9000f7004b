// quaternion.h — rotations as files state them: GLM's quaternions in double precision.
//
// GLM's constructor takes w first; files state x, y, z, w. Pure; any thread.
#pragma once

// GLM's settings come before GLM.
// clang-format off
#include "engine/math/affine.h"
#include <glm/gtc/quaternion.hpp>

// clang-format on

namespace weft::math {

using DQuat = glm::dquat;

// At length 1; no rotation if the length is 0 or not finite.
DQuat normalize(const DQuat& q);

// Scales along the axes, then rotates, then moves. The quaternion may have any length.
DAffine from_parts(const DVec3& translation, const DQuat& rotation, const DVec3& scale);

}  // namespace weft::math
