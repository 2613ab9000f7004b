// reference_sampler.cpp — see reference_sampler.h.
#include "engine/trace/reference/reference_sampler.h"

namespace weft::trace::reference {

namespace {

u32 reverse_bits(u32 x) {
    u32 reversed = 0;
    for (u32 bit = 0; bit < 32; ++bit) {
        reversed |= ((x >> bit) & 1u) << (31 - bit);
    }
    return reversed;
}

// Owen scrambling of reversed bits: Laine & Karras's hash with Vegdahl's constants.
u32 owen(u32 x, u32 seed) {
    x ^= x * 0x3d20adeau;
    x += seed;
    x *= (seed >> 16) | 1u;
    x ^= x * 0x05526c56u;
    x ^= x * 0x53a22864u;
    return x;
}

// Second Sobol dimension on reversed bits: bit i of the result is the parity of the bits j of x
// with (j & i) == i (Pascal's triangle modulo 2).
u32 pascal(u32 x) {
    u32 result = 0;
    for (u32 row = 0; row < 32; ++row) {
        u32 parity = 0;
        for (u32 column = row; column < 32; ++column) {
            if ((column & row) == row) {
                parity ^= (x >> column) & 1u;
            }
        }
        result |= parity << row;
    }
    return result;
}

double unit_fraction(u32 bits) {
    return static_cast<double>(bits >> 8) * 0x1p-24;
}

}  // namespace

u32 hash_of(u32 x) {
    x ^= x >> 16;
    x *= 0x21f0aaadu;
    x ^= x >> 15;
    x *= 0x735a2d97u;
    x ^= x >> 15;
    return x;
}

u32 combine(u32 a, u32 b) {
    return hash_of(a ^ (hash_of(b) + 0x9e3779b9u + (a << 6) + (a >> 2)));
}

u32 pixel_hash(u32 seed, u32 x, u32 y) {
    return combine(combine(seed, x), y);
}

Pair sample_pair(u32 pixel, u32 sample, u32 pair) {
    const u32 seed = combine(pixel, pair);
    const u32 shuffled = reverse_bits(owen(reverse_bits(sample), seed));
    const u32 first = reverse_bits(owen(shuffled, hash_of(seed ^ 0xa511e9b3u)));
    const u32 second = reverse_bits(owen(pascal(shuffled), hash_of(seed ^ 0x63d83595u)));
    return {unit_fraction(first), unit_fraction(second)};
}

u32 alpha_key(u32 pixel, u32 sample, u32 depth) {
    return combine(combine(pixel, sample), depth);
}

double alpha_threshold(u32 key, bool is_shadow, u32 instance, u32 primitive) {
    const u32 ray_key = key ^ (is_shadow ? 0x5bd1e995u : 0u);
    return unit_fraction(combine(combine(ray_key, instance), primitive));
}

double fine_number(u32 pixel, u32 sample, u32 depth) {
    return unit_fraction(hash_of(alpha_key(pixel, sample, depth) ^ 0x3c6ef372u));
}

Vec sample_disk(Pair u) {
    const double a = 2 * u.u0 - 1;
    const double b = 2 * u.u1 - 1;
    if (a == 0 && b == 0) {
        return {};
    }
    const bool is_wide = std::fabs(a) > std::fabs(b);
    const double radius = is_wide ? a : b;
    const double angle = is_wide ? kPi / 4 * (b / a) : kPi / 2 - kPi / 4 * (a / b);
    return {radius * std::cos(angle), radius * std::sin(angle), 0};
}

Vec sample_cosine(Pair u) {
    const Vec disk = sample_disk(u);
    return {disk.x, disk.y, std::sqrt(std::max(0.0, 1 - dot(disk, disk)))};
}

}  // namespace weft::trace::reference
