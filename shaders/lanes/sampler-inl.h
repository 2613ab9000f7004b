// sampler-inl.h — Owen-scrambled points of four dimensions and the integer hashes, in lanes
// (bsdf.md section 1).
//
// A sample is a pure function of (pixel, sample index, tuple, seed): Burley, "Practical Hash-based
// Owen Scrambling", JCGT 2020, over a (0,4)-sequence in base 4 (Niederreiter 1987) whose first and
// whose last two dimensions are (0,2)-sequences in base 2. Every kernel that draws random numbers
// calls sample_tuple. Pure, any thread.
#if defined(WEFT_SHADERS_SAMPLER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_SAMPLER_INL_H_
#        undef WEFT_SHADERS_SAMPLER_INL_H_
#    else
#        define WEFT_SHADERS_SAMPLER_INL_H_
#    endif

#    include "shaders/lanes/elementary-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Tuples of a sample. The hit at depth d has those for its next direction and its light sample.
inline constexpr u32 kCameraTuple = 0;  // filter; lens

HWY_INLINE Uint direction_tuple(Uint depth) {
    return shift_left<1>(depth) + Uint(1u);  // direction; lobe, Russian roulette
}

HWY_INLINE Uint light_tuple(Uint depth) {
    return shift_left<1>(depth) + Uint(2u);  // point on the light; light, fraction
}

inline constexpr u32 kWavelengthTuple = 1 + 2 * 64;             // after those of 64 hits
inline constexpr u32 kFirstMediumTuple = kWavelengthTuple + 1;  // of the way to the hit at depth 0

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

// Adds the second bit of each base-4 digit to its first.
HWY_INLINE Uint add_within_digits(Uint k) {
    return k ^ (shift_right<1>(k) & Uint(0x55555555u));
}

// Pascal's matrix mod 2 on base-4 digits, the lowest first.
HWY_INLINE Uint pascal_digits(Uint k) {
    k = k ^ (shift_right<2>(k) & Uint(0x33333333u));
    k = k ^ (shift_right<4>(k) & Uint(0x0f0f0f0fu));
    k = k ^ (shift_right<8>(k) & Uint(0x00ff00ffu));
    return k ^ shift_right<16>(k);
}

// Multiplies base-4 digit d by c^d in GF(4), where the bits (low, high) stand for low + high α and
// c is α or its inverse 1 + α.
template <bool kInverse>
HWY_INLINE Uint scale_digits(Uint k) {
    // Digits d with d mod 3 = 1 and 2 have the factors c and 1/c. α takes (low, high) to
    // (high, low + high): bits exchanged, and the high bit added. 1/α adds the low bit.
    constexpr u32 kOnes = 0x0c30c30cu;
    constexpr u32 kTwos = 0x30c30c30u;
    constexpr u32 kTimesAlpha = kInverse ? kTwos : kOnes;
    constexpr u32 kOverAlpha = kInverse ? kOnes : kTwos;
    constexpr u32 kKept =
        ~(kOnes | kTwos) | (kTimesAlpha & 0xaaaaaaaau) | (kOverAlpha & 0x55555555u);
    const Uint exchanged =
        (shift_right<1>(k) & Uint(0x55555555u)) | (shift_left<1>(k) & Uint(0xaaaaaaaau));
    return (k & Uint(kKept)) ^ (exchanged & Uint(kOnes | kTwos));
}

// The Faure matrix of c = α, or of 1 + α, on base-4 digits: binom(e, d) c^(e − d).
template <bool kInverse>
HWY_INLINE Uint faure_digits(Uint k) {
    return scale_digits<!kInverse>(pascal_digits(scale_digits<kInverse>(k)));
}

HWY_INLINE Float to_unit_interval(Uint x) {
    return to_float(shift_right<8>(x)) * Float(0x1p-24f);
}

// Four numbers of a sample, stratified together. They are computed when asked for.
struct SampleTuple {
    Uint seed;
    Uint index;  // shuffled
};

HWY_INLINE SampleTuple sample_tuple(Uint pixel_hash, Uint index, Uint tuple) {
    const Uint seed = combine(pixel_hash, tuple);
    return {seed, reverse_bits(owen(reverse_bits(index), seed))};
}

// One dimension of the tuple, from the digits of its point; `salt` tells dimensions apart.
HWY_INLINE Float scrambled(const SampleTuple& t, Uint digits, u32 salt) {
    return to_unit_interval(reverse_bits(owen(digits, hash(t.seed ^ Uint(salt)))));
}

// The first two numbers, in [0, 1).
HWY_INLINE Float2 first_two(const SampleTuple& t) {
    return {scrambled(t, t.index, 0xa511e9b3u),
            scrambled(t, pascal_digits(add_within_digits(t.index)), 0x63d83595u)};
}

// The third and the fourth number, in [0, 1).
HWY_INLINE Float third(const SampleTuple& t) {
    return scrambled(t, faure_digits<false>(t.index), 0x9c8f2d1bu);
}

HWY_INLINE Float fourth(const SampleTuple& t) {
    return scrambled(t, add_within_digits(faure_digits<true>(t.index)), 0x2545f491u);
}

// The last two numbers.
HWY_INLINE Float2 last_two(const SampleTuple& t) {
    return {third(t), fourth(t)};
}

// Key of the alpha decisions of the rays that lead to the hit at this depth.
HWY_INLINE Uint alpha_key(Uint pixel_hash, Uint index, Uint depth) {
    return combine(combine(pixel_hash, index), depth);
}

// Bits below those of a light sample's choice: a number in [0, 1) without stratification. Few light
// samples need it, so it is computed when asked for.
struct FineNumber {
    Uint pixel_hash, index, depth;

    [[nodiscard]] HWY_INLINE Float value() const {
        return to_unit_interval(hash(alpha_key(pixel_hash, index, depth) ^ Uint(0x3c6ef372u)));
    }
};

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
