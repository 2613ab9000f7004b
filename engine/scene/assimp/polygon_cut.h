// polygon_cut.h — a polygon of very many corners as triangles.
//
// Ears are cut off one after the other; corners in the way are looked for by their place on a
// Z-order curve, so that an outline of a million corners takes a second. assimp, which compares
// each corner with all others, cuts the small ones. Pure; any thread.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::scene {

// Each triangle as three of the polygon's corners, with the polygon's turn: two fewer than there
// are corners, some of them without area where corners lie on a line. What crosses itself is
// covered somehow, and so is what takes too many steps.
std::vector<std::array<u32, 3>> cut_polygon(std::span<const std::array<float, 3>> corners);

}  // namespace weft::scene
