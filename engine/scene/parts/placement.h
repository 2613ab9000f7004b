// placement.h — how importers of other renderers place things.
//
// One thread per scene.
#pragma once

#include <span>
#include <string>

#include "engine/math/affine.h"
#include "engine/scene/model/scene.h"

namespace weft::scene {

// The widest angle between a spot's axis and its edge, in degrees.
constexpr double kWidestSpot = 90;

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

// How a transform stretches a camera: the lengths of its axes to the side, up and ahead. What
// rounding alone makes different is equal.
math::DVec3 camera_stretch(const math::DAffine& to_world);

// Whether these axes are not at right angles to each other.
bool is_skew(const math::DAffine& to_world);

// Twice the angle of a tangent, less than a half turn as a float, too.
float field_of_view(double tangent_of_half);

// Stretches what a camera sees and its lens, whose numbers are those of its own space.
void stretch_camera(const math::DVec3& stretch, Camera& camera);

// A shape in the world of its file, or in an object that instances place.
struct PlacedShape {
    u32 mesh = 0;
    u32 material = 0;
    math::DAffine to_world = math::kDIdentity;
    std::string node;
};

// Appends the shape as an instance; `base` leads from the world of its file to that of the scene.
// False: its matrix has no inverse, and the shape is left out.
bool place_shape(Scene& scene, const math::DAffine& base, const PlacedShape& shape);

// Where an object appears, and under which name.
struct ObjectPlace {
    std::string name;
    math::DAffine to_world = math::kDIdentity;
};

// The memory that place_object() takes for so many shapes.
u64 object_bytes(std::size_t shapes);

// Appends an instance of an object, which is an asset of its name: its one shape becomes a node of
// that name; several, with names of their own, stand in a group of that name. False: shapes were
// left out.
bool place_object(Scene& scene,
                  const math::DAffine& base,
                  const ObjectPlace& place,
                  std::span<const PlacedShape> shapes);

}  // namespace weft::scene
