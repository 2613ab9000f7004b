// sampler-inl.h — Owen-scrambled Sobol points and the integer hashes, in lanes (bsdf.md section 1).
//
// A sample is a pure function of (pixel, sample index, pair, seed): Burley, "Practical Hash-based
// Owen Scrambling", JCGT 2020. Every kernel that draws random numbers calls sample_pair. Pure, any
// thread.
#if defined(WEFT_SHADERS_SAMPLER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_SAMPLER_INL_H_
#        undef WEFT_SHADERS_SAMPLER_INL_H_
#    else
#        define WEFT_SHADERS_SAMPLER_INL_H_
#    endif

#    include "shaders/lanes/elementary-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Pairs of the camera, and the first pair of hits: a hit at depth d uses the four pairs from
// kFirstHitPair + 4 d on.
inline constexpr u32 kFilterPair = 0;
inline constexpr u32 kLensPair = 1;
inline constexpr u32 kFirstHitPair = 2;

HWY_INLINE Uint hash(Uint x) {
    x = x ^ shift_right<16>(x);
    x = x * Uint(0x21f0aaadu);
    x = x ^ shift_right<15>(x);
    x = x * Uint(0x735a2d97u);
    return x ^ shift_right<15>(x);
}

HWY_INLINE Uint combine(Uint a, Uint b) {
    return hash(a ^ (hash(b) + Uint(0x9e3779b9u) + shift_left<6>(a) + shift_right<2>(a)));
}

#    ifdef WEFT_ONE_LANE

// Reverses the 32 bits: pairs of halves change places.
HWY_INLINE Uint reverse_bits(Uint x) {
    u32 bits = __builtin_bswap32(x.v);
    bits = (bits & 0x0f0f0f0fu) << 4 | (bits >> 4 & 0x0f0f0f0fu);
    bits = (bits & 0x33333333u) << 2 | (bits >> 2 & 0x33333333u);
    return (bits & 0x55555555u) << 1 | (bits >> 1 & 0x55555555u);
}

#    else

// Reverses the 32 bits: a shuffle reverses the bytes, two table look-ups the nibbles.
HWY_INLINE Uints<1> reverse_bits(Uints<1> x) {
    alignas(16) static constexpr u8 kBytes[16] = {
        3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12};
    alignas(16) static constexpr u8 kLow[16] = {
        0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
    alignas(16) static constexpr u8 kHigh[16] = {
        0, 128, 64, 192, 32, 160, 96, 224, 16, 144, 80, 208, 48, 176, 112, 240};
    const hn::Repartition<u8, UintTag> bytes;
    const auto turned =
        hn::TableLookupBytes(hn::BitCast(bytes, x.v), hn::LoadDup128(bytes, kBytes));
    const auto half = hn::Set(bytes, 15);
    const auto high =
        hn::BitCast(bytes, hn::ShiftRight<4>(hn::BitCast(UintTag(), hn::AndNot(half, turned))));
    return Uints<1>(hn::BitCast(
        UintTag(),
        hn::Or(hn::TableLookupBytes(hn::LoadDup128(bytes, kHigh), hn::And(turned, half)),
               hn::TableLookupBytes(hn::LoadDup128(bytes, kLow), high))));
}

#    endif

#    ifdef WEFT_WIDE_LANES
template <u32 kRegisters>
HWY_INLINE Uints<kRegisters> reverse_bits(Uints<kRegisters> x) {
    return {reverse_bits(x.lo), reverse_bits(x.hi)};
}
#    endif

// Laine-Karras permutation with Vegdahl's constants, on reversed bits.
HWY_INLINE Uint owen(Uint x, Uint seed) {
    x = x ^ (x * Uint(0x3d20adeau));
    x = x + seed;
    x = x * (shift_right<16>(seed) | Uint(1u));
    x = x ^ (x * Uint(0x05526c56u));
    return x ^ (x * Uint(0x53a22864u));
}

// The second Sobol dimension on reversed bits: Pascal's matrix mod 2.
HWY_INLINE Uint pascal_digits(Uint k) {
    k = k ^ (shift_right<1>(k) & Uint(0x55555555u));
    k = k ^ (shift_right<2>(k) & Uint(0x33333333u));
    k = k ^ (shift_right<4>(k) & Uint(0x0f0f0f0fu));
    k = k ^ (shift_right<8>(k) & Uint(0x00ff00ffu));
    return k ^ shift_right<16>(k);
}

HWY_INLINE Float to_unit_interval(Uint x) {
    return to_float(shift_right<8>(x)) * Float(0x1p-24f);
}

// Pair `pair` of sample `index`; both numbers in [0, 1).
HWY_INLINE Float2 sample_pair(Uint pixel_hash, Uint index, Uint pair) {
    const Uint s = combine(pixel_hash, pair);
    const Uint j = reverse_bits(owen(reverse_bits(index), s));
    const Uint a = reverse_bits(owen(j, hash(s ^ Uint(0xa511e9b3u))));
    const Uint b = reverse_bits(owen(pascal_digits(j), hash(s ^ Uint(0x63d83595u))));
    return {to_unit_interval(a), to_unit_interval(b)};
}

// The pair whose first number selects the path's wavelength: the first after those of 64 hits.
inline constexpr u32 kWavelengthPair = 2 + 4 * 64;
// The pair for the way through a medium to the hit at depth d is kFirstMediumPair + d.
inline constexpr u32 kFirstMediumPair = kWavelengthPair + 1;

// Key of the alpha decisions of the rays that lead to the hit at this depth.
HWY_INLINE Uint alpha_key(Uint pixel_hash, Uint index, Uint depth) {
    return combine(combine(pixel_hash, index), depth);
}

// Bits below those of a light sample's choice: a number in [0, 1) without stratification.
HWY_INLINE Float fine_number(Uint pixel_hash, Uint index, Uint depth) {
    return to_unit_interval(hash(alpha_key(pixel_hash, index, depth) ^ Uint(0x3c6ef372u)));
}

// A point of the unit disk in polar form, concentric (Shirley and Chiu 1997): radius (of either
// sign) and angle in turns.
struct DiskPoint {
    Float radius, turns;
};

HWY_INLINE DiskPoint concentric_disk(Float2 u) {
    const Float a = fms(u.x, 2.0f, 1.0f);
    const Float b = fms(u.y, 2.0f, 1.0f);
    const Bool a_leads = abs(a) > abs(b);
    const Float radius = select(a_leads, a, b);
    const Float ratio = select(a_leads, b, a) / select(radius == Float(0.0f), 1.0f, radius);
    const Float eighth = ratio * Float(0.125f);
    return {radius, select(a_leads, eighth, Float(0.25f) - eighth)};
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
