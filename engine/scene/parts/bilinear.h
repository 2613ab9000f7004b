// bilinear.h — bilinear values of the pictures that importers turn into lat-long ones.
//
// Pure; any thread.
#pragma once

#include <cmath>

#include "engine/math/vector.h"

namespace weft::scene {

// The value at (x, y), in texels whose centres lie at whole numbers. `texel(column, row)` gives a
// texel by two whole numbers, up to one beyond each edge, as a math::DVec3.
template <typename Texel>
math::DVec3 bilinear(double x, double y, const Texel& texel) {
    const double left = std::floor(x);
    const double top = std::floor(y);
    const double fx = x - left;
    const double fy = y - top;
    return (1 - fy) * ((1 - fx) * texel(left, top) + fx * texel(left + 1, top)) +
           fy * ((1 - fx) * texel(left, top + 1) + fx * texel(left + 1, top + 1));
}

}  // namespace weft::scene
