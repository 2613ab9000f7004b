// polygon_cut.h — a polygon of any number of corners as triangles.
//
// Ear clipping. A search along a Z-order curve finds the corners inside an ear, so that an outline
// of a million corners takes a second. Pure; any thread.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/math/vector.h"
#include "scheduler/base/ids.h"

namespace weft::scene {

// Triangles of the polygon's corners, with its orientation: two fewer than there are corners. Some
// of them have no area where corners lie in one place, or where many lie on a line. A polygon that
// crosses itself, or takes too many steps, is covered in some way. The cut of a quad begins at its
// first corner unless the other diagonal alone lies inside.
std::vector<std::array<u32, 3>> cut_polygon(std::span<const math::Vec3> corners);

}  // namespace weft::scene
