// procedural_noise.h — random numbers and smooth noise for procedural scenes, from integers alone.
//
// Everything is a pure function of its arguments, uses wrapping 32-bit integers and + − × on
// floats, and calls no libm, so a procedural scene has the same bits on every machine and with any
// number of threads. Any thread.
#pragma once

#include <cmath>

#include "scheduler/base/ids.h"

namespace weft::scene {

// Mixes 32 bits; the finaliser that shaders/bsdf.md uses for its sampler.
inline u32 mix_bits(u32 x) {
    x ^= x >> 16;
    x *= 0x21f0aaadu;
    x ^= x >> 15;
    x *= 0x735a2d97u;
    x ^= x >> 15;
    return x;
}

inline u32 mix_bits(u32 a, u32 b) {
    return mix_bits(a ^ (mix_bits(b) + 0x9e3779b9u + (a << 6) + (a >> 2)));
}

// Uniform in [0, 1), 24 bits: number `draw` of item `item` of the sequence `seed`.
inline float random_unit(u32 seed, u32 item, u32 draw) {
    return static_cast<float>(mix_bits(mix_bits(seed, item), draw) >> 8) * 0x1p-24f;
}

namespace noise_detail {

inline float lattice(i32 x, i32 y, i32 z, u32 seed) {
    const u32 h = static_cast<u32>(x) * 0x8da6b343u ^ static_cast<u32>(y) * 0xd8163841u ^
                  static_cast<u32>(z) * 0xcb1ab31fu ^ seed;
    return static_cast<float>(mix_bits(h) >> 8) * 0x1p-23f - 1.0f;
}

inline float fade(float t) {
    return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
}

inline float mix(float a, float b, float t) {
    return a + (b - a) * t;
}

}  // namespace noise_detail

// Smooth value noise in [−1, 1] with one lattice point per unit of length. |x|, |y|, |z| below 1e9.
inline float smooth_noise(float x, float y, float z, u32 seed) {
    using namespace noise_detail;
    const float fx = std::floor(x);
    const float fy = std::floor(y);
    const float fz = std::floor(z);
    const i32 ix = static_cast<i32>(fx);
    const i32 iy = static_cast<i32>(fy);
    const i32 iz = static_cast<i32>(fz);
    const float u = fade(x - fx);
    const float v = fade(y - fy);
    const float w = fade(z - fz);
    const auto edge = [&](i32 dy, i32 dz) {
        return mix(lattice(ix, iy + dy, iz + dz, seed), lattice(ix + 1, iy + dy, iz + dz, seed), u);
    };
    return mix(mix(edge(0, 0), edge(1, 0), v), mix(edge(0, 1), edge(1, 1), v), w);
}

// Sum of `octaves` noises, each twice as fine and half as strong; within [−2, 2].
inline float layered_noise(float x, float y, float z, u32 seed, u32 octaves) {
    float sum = 0;
    float weight = 1;
    float scale = 1;
    for (u32 octave = 0; octave < octaves; ++octave) {
        sum += weight * smooth_noise(x * scale, y * scale, z * scale, seed + octave * 0x632be5abu);
        weight *= 0.5f;
        scale *= 2.0f;
    }
    return sum;
}

}  // namespace weft::scene
