// placement.h — a node's 3×4 matrix as position, angles and scale, and how moving, rotating and
// scaling change it.
//
// Pure functions for the transform panel and the gizmo; the resulting numbers travel as an edit, so
// nothing here affects a pixel directly. Edits are relative: a matrix that shears keeps its shear
// when one of its numbers changes.
#pragma once

#include "engine/math/affine.h"
#include "scheduler/base/ids.h"

namespace weft::app {

using math::Vec3;

// Rotation about a unit axis through the origin, counter-clockwise seen from its tip.
math::Affine rotation(const Vec3& axis, float angle_rad);

// Position in metres; angles about the world's X, then Y, then Z; scale along the object's axes,
// the first one negative if the matrix mirrors.
struct Placement {
    Vec3 position_m{};
    Vec3 angles_deg{};
    Vec3 scale{1, 1, 1};
};

// The Y angle lies within ±90°.
Placement placement_of(const math::Affine& matrix);

// The same, with the equivalent angles nearest to `angles_deg`: a rotation beyond 90° or 180° stays
// continuous.
Placement placement_near(const math::Affine& matrix, const Vec3& angles_deg);

// The matrix after the person changed the numbers `before` to `after`.
math::Affine replaced(const math::Affine& matrix, const Placement& before, const Placement& after);

// Rotation about a world point; scaling along the object's own axes about a world point.
math::Affine turned(const math::Affine& matrix,
                    const Vec3& pivot,
                    const Vec3& axis,
                    float angle_rad);
math::Affine scaled(const math::Affine& matrix, const Vec3& pivot, const Vec3& factors);

}  // namespace weft::app
