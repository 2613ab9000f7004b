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

// Product in GF(4) = {0, 1, α, α + 1}, coded as 0 to 3.
u32 multiply(u32 a, u32 b) {
    static constexpr u32 kProducts[4][4] = {{0, 0, 0, 0}, {0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}};
    return kProducts[a][b];
}

// Faure's matrix of the element c of GF(4), on base-4 digits, the lowest first: digit d of the
// result is the sum over e ≥ d of binom(e, d) c^(e − d) times digit e of x.
u32 faure(u32 x, u32 c) {
    u32 result = 0;
    for (u32 row = 0; row < 16; ++row) {
        u32 sum = 0;
        u32 power = 1;
        for (u32 column = row; column < 16; ++column) {
            // Binomials are odd where the column has all the bits of the row (Lucas).
            if ((column & row) == row) {
                sum ^= multiply(power, (x >> (2 * column)) & 3u);
            }
            power = multiply(power, c);
        }
        result |= sum << (2 * row);
    }
    return result;
}

// Maps every base-4 digit (low, high) to (low + high, high).
u32 add_high_bits(u32 x) {
    static constexpr u32 kDigits[4] = {0, 1, 3, 2};
    u32 result = 0;
    for (u32 digit = 0; digit < 16; ++digit) {
        result |= kDigits[(x >> (2 * digit)) & 3u] << (2 * digit);
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

Tuple sample_tuple(u32 pixel, u32 sample, u32 tuple) {
    const u32 seed = combine(pixel, tuple);
    const u32 shuffled = reverse_bits(owen(reverse_bits(sample), seed));
    const auto number = [&](u32 digits, u32 salt) {
        return unit_fraction(reverse_bits(owen(digits, hash_of(seed ^ salt))));
    };
    return {{number(shuffled, 0xa511e9b3u),  //
             number(add_high_bits(faure(shuffled, 1)), 0x63d83595u)},
            {number(faure(shuffled, 2), 0x9c8f2d1bu),
             number(add_high_bits(faure(shuffled, 3)), 0x2545f491u)}};
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
