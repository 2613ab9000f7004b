// quadrics.h — spheres, disks, cylinders, rectangles and boxes as meshes.
//
// Circles have 64 steps, half circles 32. Normals point outwards or along +z, and corners run
// counter-clockwise around them. Pure; any thread.
#pragma once

#include "engine/scene/parts/mesh_data.h"

namespace weft::scene {

// Enough for the bytes of any of them.
inline constexpr u64 kQuadricBytes = 64 * 32 * 64;

// The part of the unit sphere around z between two heights in [−1, 1], from angle 0 to `phi_max`
// degrees. u runs with the angle, v from `z_min` to `z_max`.
MeshData unit_sphere(double z_min = -1, double z_max = 1, double phi_max = 360);

// A ring at a height, in the plane of x and y. u runs with the angle, v from the rim inwards.
MeshData disk(double height, double radius, double inner, double phi_max);

// Around z, without lids. u runs with the angle, v from `z_min` to `z_max`.
MeshData cylinder(double radius, double z_min, double z_max, double phi_max);

// [−1, 1]² in the plane z = 0, uv [0, 1]².
MeshData rectangle();

// [−1, 1]³; each face has the uvs of a rectangle.
MeshData box();

}  // namespace weft::scene
