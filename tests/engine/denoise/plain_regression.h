// plain_regression.h — the regression of engine/denoise/kernels/regression.h, one pixel at a time
// in double precision: slow, and obvious.
#pragma once

#include <array>

#include "engine/denoise/planes.h"

namespace weft::denoise::testing {

// The estimate at a pixel.
std::array<double, 3> regress_plainly(const Planes& picture, double bandwidth, u32 x, u32 y);

}  // namespace weft::denoise::testing
