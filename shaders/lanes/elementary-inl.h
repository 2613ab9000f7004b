// elementary-inl.h — sine, cosine, powers, logarithms and arc functions in lanes, from + − × ÷ √
// and bit patterns only.
//
// libm differs between systems, and approximate instructions between vendors; these functions give
// the same bits with AVX2 and AVX-512. The polynomials are Chebyshev fits over the reduced ranges;
// tests/shaders/test_elementary.cpp asserts the errors. Not inlined, to keep kernels
// small. Pure, any thread.
#if defined(WEFT_SHADERS_ELEMENTARY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_ELEMENTARY_INL_H_
#        undef WEFT_SHADERS_ELEMENTARY_INL_H_
#    else
#        define WEFT_SHADERS_ELEMENTARY_INL_H_
#    endif

#    include "shaders/lanes/vector-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

inline constexpr float kPiF = 3.14159265358979f;
inline constexpr float kTwoPiF = 6.28318530717959f;
inline constexpr float kHalfPiF = 1.57079632679490f;
inline constexpr float kInvPiF = 0.318309886183791f;
inline constexpr float kInvTwoPiF = 0.159154943091895f;
inline constexpr float kInfinity = __builtin_huge_valf();

struct SinCos {
    Float sin, cos;
};

// Of 2π · turns; |turns| below 2²⁰. Absolute error below 2e-7 within a turn.
HWY_NOINLINE inline SinCos sin_cos_turns(Float turns) {
    // Reduce to |x| ≤ π/4 around the nearest quarter turn: exact, because 4 · turns is.
    const Float quarters = turns * Float(4.0f);
    const Float nearest = floor(quarters + Float(0.5f));
    const Float x = (quarters - nearest) * Float(kHalfPiF);
    const Float z = x * x;
    Float s = fma(z, 2.72499258031e-6f, -0.000198400867354f);
    s = fma(s, z, 0.00833333187471f);
    s = fma(s, z, -0.166666666639f);
    s = fma(s * z, x, x);
    Float c = fma(z, -2.73009592039e-7f, 2.48006003772e-5f);
    c = fma(c, z, -0.0013888887672f);
    c = fma(c, z, 0.0416666666643f);
    c = fma(z * z, c, fnma(z, 0.5f, 1.0f));
    // Quarter 1: (c, −s) and so on round.
    const Uint quarter = to_uint(nearest);
    const Bool is_odd = has_flag(quarter, 1);
    const Float sine = select(is_odd, c, s);
    const Float cosine = select(is_odd, s, c);
    return {select(has_flag(quarter, 2), -sine, sine),
            select(has_flag(quarter + Uint(1u), 2), -cosine, cosine)};
}

// Any x: 0 below −126, infinity from 127.5 on. Relative error below 2e-7.
HWY_NOINLINE inline Float exp2(Float x) {
    const Float inside = clamp(x, -126.0f, 127.4999f);
    const Float whole = floor(inside + Float(0.5f));
    const Float f = inside - whole;
    Float p = fma(f, 1.52973237607e-5f, 0.000154614446986f);
    p = fma(p, f, 0.00133335023862f);
    p = fma(p, f, 0.00961805666718f);
    p = fma(p, f, 0.0555041088391f);
    p = fma(p, f, 0.240226509223f);
    p = fma(p, f, 0.69314718056f);
    p = fma(p, f, 1.0f);
    const Float scale = bits_to_float(shift_left<23>(to_uint(whole + Float(127.0f))));
    const Float y = p * scale;
    return select(x < Float(-126.0f), Float(0.0f), select(x >= Float(127.5f), kInfinity, y));
}

// x > 0; smaller than 2⁻¹²⁶ (zero and negative ones too) counts as 2⁻¹²⁶. Absolute error below 2e-7
// · max(1, |result|).
HWY_NOINLINE inline Float log2(Float x) {
    const Uint bits = float_to_bits(max(x, 1.17549435e-38f));
    // x = m · 2^e with m in [√½, √2): 0x3f3504f3 is √½.
    const Uint offset = bits - Uint(0x3f3504f3u);
    const Uint e = shift_right<23>(offset);
    const Uint is_negative = shift_right<31>(offset);
    const Float exponent = to_float(e - shift_left<9>(is_negative));
    const Float m = bits_to_float(bits - (offset & Uint(0xff800000u)));
    const Float t = (m - Float(1.0f)) / (m + Float(1.0f));
    const Float z = t * t;
    Float p = fma(z, 0.340712041562f, 0.411673766238f);
    p = fma(p, z, 0.577083566005f);
    p = fma(p, z, 0.961796673452f);
    p = fma(p, z, 2.88539008179f);
    return fma(t, p, exponent);
}

// base ≥ 0. 0 to a positive power is 0.
HWY_INLINE Float pow(Float base, Float exponent) {
    const Float y = exp2(exponent * log2(base));
    return select(base > Float(0.0f), y, select(exponent > Float(0.0f), Float(0.0f), Float(1.0f)));
}

HWY_INLINE Float exp(Float x) {
    return exp2(x * Float(1.44269504088896f));
}

HWY_INLINE Float3 exp(Float3 x) {
    return {exp(x.x), exp(x.y), exp(x.z)};
}

// (−π, π]; atan2(0, 0) = 0. Absolute error below 4e-7.
HWY_NOINLINE inline Float atan2(Float y, Float x) {
    const Float ax = abs(x);
    const Float ay = abs(y);
    const Float larger = max(ax, ay);
    const Float ratio = select(larger > Float(0.0f), min(ax, ay) / larger, 0.0f);
    // atan(r) = π/4 + atan((r − 1)/(r + 1)) brings r down to tan(π/8).
    const Bool is_upper = ratio > Float(0.414213562373f);
    const Float t = select(is_upper, (ratio - Float(1.0f)) / (ratio + Float(1.0f)), ratio);
    const Float z = t * t;
    Float p = fma(z, -0.0645192820812f, 0.107437314908f);
    p = fma(p, z, -0.14263955598f);
    p = fma(p, z, 0.199995404836f);
    p = fma(p, z, -0.333333317612f);
    p = fma(p * z, t, t);
    p = select(is_upper, p + Float(0.25f * kPiF), p);
    p = select(ay > ax, Float(kHalfPiF) - p, p);
    p = select(x < Float(0.0f), Float(kPiF) - p, p);
    return copy_sign(p, y);
}

// Clamps to [−1, 1].
HWY_INLINE Float asin(Float x) {
    const Float inside = clamp(x, -1.0f, 1.0f);
    return atan2(inside, sqrt((Float(1.0f) - inside) * (Float(1.0f) + inside)));
}

// safe_reciprocal of trace_kernels.h: ±10¹⁸ where |x| is smaller than 10⁻¹⁸; zero counts as
// positive.
HWY_INLINE Float reciprocal_of(Float x) {
    const Float limit = select(x < Float(0.0f), Float(-1e18f), Float(1e18f));
    return select(abs(x) < Float(1e-18f), limit, Float(1.0f) / x);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
