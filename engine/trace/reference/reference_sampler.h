// reference_sampler.h — the sample sequence and the warps of shaders/bsdf.md section 1.
//
// Defined to give the same integers as the kernels (Burley, "Practical Hash-based Owen Scrambling",
// JCGT 2020, over Niederreiter's (0,4)-sequence in base 4), but implemented independently. Pure
// functions; any thread.
#pragma once

#include "engine/trace/reference/reference_math.h"

namespace weft::trace::reference {

struct Pair {
    double u0 = 0;  // [0, 1)
    double u1 = 0;  // [0, 1)
};

u32 hash_of(u32 x);
u32 combine(u32 a, u32 b);
u32 pixel_hash(u32 seed, u32 x, u32 y);

// Four numbers that are stratified together.
struct Tuple {
    Pair first;
    Pair last;
};

// Tuple `tuple` of sample `sample` of the pixel.
Tuple sample_tuple(u32 pixel, u32 sample, u32 tuple);

inline constexpr u32 kCameraTuple = 0;        // filter; lens
inline constexpr u32 kWavelengthTuple = 129;  // after those of 64 hits
// Of the way through a medium to the hit at depth 0; the next depths follow.
inline constexpr u32 kFirstMediumTuple = 130;

// Of the next direction: direction; lobe, Russian roulette.
inline u32 direction_tuple(u32 depth) {
    return 1 + 2 * depth;
}

// Of the light sample: point on the light; light, fraction.
inline u32 light_tuple(u32 depth) {
    return 2 + 2 * depth;
}

// Key and threshold in [0, 1) of an alpha decision: alpha above the threshold is a hit.
u32 alpha_key(u32 pixel, u32 sample, u32 depth);
double alpha_threshold(u32 key, bool is_shadow, u32 instance, u32 primitive);

// Bits below those of the light choice at a hit: a number in [0, 1).
double fine_number(u32 pixel, u32 sample, u32 depth);

// Concentric disk (Shirley & Chiu 1997), z = 0.
Vec sample_disk(Pair u);
// Cosine-weighted direction around +z.
Vec sample_cosine(Pair u);

}  // namespace weft::trace::reference
