// placement.h — a node's 3×4 matrix as position, angles and scale, and how moving, rotating and
// scaling change it.
//
// Pure functions for the transform panel and the gizmo; the resulting numbers travel as an edit, so
// nothing here affects a pixel directly. Edits are relative: a matrix that shears keeps its shear
// when one of its numbers changes.
#pragma once

#include <array>

#include "engine/scene/model/scene.h"

namespace weft::app {

using Vec3 = std::array<float, 3>;

Vec3 operator+(const Vec3& a, const Vec3& b);
Vec3 operator-(const Vec3& a, const Vec3& b);
Vec3 operator*(const Vec3& a, float scale);
float dot(const Vec3& a, const Vec3& b);
Vec3 cross(const Vec3& a, const Vec3& b);
float length(const Vec3& a);
// `a` at length 1; `otherwise` if its length is 0.
Vec3 normalised(const Vec3& a, const Vec3& otherwise = {0, 0, 1});

// a · b: applies b first, then a.
scene::Affine compose(const scene::Affine& a, const scene::Affine& b);
Vec3 transform_point(const scene::Affine& matrix, const Vec3& point);
Vec3 transform_vector(const scene::Affine& matrix, const Vec3& vector);
Vec3 column(const scene::Affine& matrix, u32 index);  // 3: the translation

scene::Affine translation(const Vec3& by);
// Rotation about a unit axis through the origin, counter-clockwise seen from its tip.
scene::Affine rotation(const Vec3& axis, float angle_rad);

// Position in metres; angles about the world's X, then Y, then Z; scale along the object's axes,
// the first one negative if the matrix mirrors.
struct Placement {
    Vec3 position_m{};
    Vec3 angles_deg{};
    Vec3 scale{1, 1, 1};
};

// The Y angle lies within ±90°.
Placement placement_of(const scene::Affine& matrix);

// The same, with the equivalent angles nearest to `angles_deg`: a rotation beyond 90° or 180° stays
// continuous.
Placement placement_near(const scene::Affine& matrix, const Vec3& angles_deg);

// The matrix after the person changed the numbers `before` to `after`.
scene::Affine replaced(const scene::Affine& matrix,
                       const Placement& before,
                       const Placement& after);

// Rotation about a world point; scaling along the object's own axes about a world point.
scene::Affine turned(const scene::Affine& matrix,
                     const Vec3& pivot,
                     const Vec3& axis,
                     float angle_rad);
scene::Affine scaled(const scene::Affine& matrix, const Vec3& pivot, const Vec3& factors);

}  // namespace weft::app
