// plain_wavelet.h — the fast filter (engine/denoise/fast_filter.h), one pixel at a time in double
// precision: slow, and obvious.
#pragma once

#include <vector>

#include "engine/denoise/fast_filter.h"

namespace weft::denoise::testing {

// RGB of every pixel. `input` is valid.
std::vector<double> filter_plainly(const FastInput& input);

}  // namespace weft::denoise::testing
