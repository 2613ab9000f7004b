// regression.h — the first estimate: each pixel by a weighted linear regression over its
// neighbourhood, in lanes.
//
// The light y of the neighbours q is fitted as a linear function of ten features: one, normal,
// place in the picture, inverse depth and albedo, all relative to the pixel. The value at the pixel
// itself is the estimate. A neighbour's weight is exp(−(d + |Δnormal|² + |Δalbedo|² / 4)), where d
// compares the 7 × 7 pixels around both, less what noise alone explains (Rousselle et al. 2012). d
// comes from one half of the samples and y from the other, so that the noise of y does not choose
// its own weight (Bitterli et al. 2016).
//
// Sums have a fixed order and no lane adds to another, so AVX2 and AVX-512 give the same bits.
// Pure; any thread.
#pragma once

#include <vector>

#include "engine/denoise/planes.h"
#include "shaders/host/shade_kernels.h"

namespace weft::denoise {

inline constexpr u32 kWindowReach = 7;  // neighbours: 15 × 15
inline constexpr u32 kPatchReach = 3;   // compared around each: 7 × 7
inline constexpr u32 kRegressed = 10;   // features

// The side of the blocks that regress_block() fills.
inline constexpr u32 kBlockWidth = 64;
inline constexpr u32 kBlockHeight = 16;

// The planes of a picture that is regressed.
inline constexpr u32 kGuide = 0;     // 3: the half that the weights come from
inline constexpr u32 kVariance = 3;  // 3: of its noise
inline constexpr u32 kLight = 6;     // 3: the other half
inline constexpr u32 kNormal = 9;    // 3
inline constexpr u32 kAlbedo = 12;   // 3
inline constexpr u32 kInverse = 15;  // inverse depth: 1 at a typical depth, 0 where nothing is hit
inline constexpr u32 kRegressionPlanes = 16;

// Writes the estimate to channels 0 to 2 of `out` for the block of pixels that begins at (x0, y0)
// and is cut off by the picture's edges. `picture` has kRegressionPlanes channels. The larger the
// bandwidth (0.1 to 2), the more patches count as like each other. An estimate is never negative.
using RegressBlock = void (*)(const Planes& picture, float bandwidth, u32 x0, u32 y0, Planes& out);

// The loop for the instruction set; the machine must have it.
RegressBlock regress_block(shaders::Isa isa);

}  // namespace weft::denoise
