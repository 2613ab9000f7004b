// noise.h — how much noise is left in a block of pixels, from two halves of its samples.
//
// The layer "noise" sums every second sample of a pixel. The halves A and B of the samples have
// independent noise, so |A - B| / 2 estimates the standard error of their mean. The noise of a
// block is the root mean square of that over its pixels, channels added, divided by the square root
// of the block's mean R + G + B: the eye forgives noise in bright places. The figure is on the
// scale of Cycles' noise threshold: 0.1 is a preview, 0.01 is clean.
//
// Pure functions of exact sums; any thread.
#pragma once

#include "engine/film/film.h"

namespace weft::film {

// The side of a block in pixels. Blocks begin at the corner of the crop.
inline constexpr u32 kNoiseBlock = 8;

// Whether the layer "noise" sums the sample with this index.
constexpr bool is_in_first_half(u32 sample) {
    return sample % 2 == 0;
}

// The index of the layer "noise" in the film; kNone: it has none.
u32 noise_layer(const Film& film);

// The noise of the block, which lies in the crop; `layer` is noise_layer(). Infinite if no pixel
// has samples of both halves.
float block_noise(const Film& film, u32 layer, const Region& block);

// Whether each block is below the threshold or has so many samples in each pixel. Never for a film
// without the layer.
bool is_clean_or_whole(const Film& film, float threshold, u32 samples);

}  // namespace weft::film
