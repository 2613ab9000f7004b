// lanes-inl.h — numbers in lanes: Float, Uint and Bool hold one value for each path that a kernel
// runs in lockstep.
//
// Thin wrappers of Highway's vectors so that shading code reads like scalar code. Compiled once per
// instruction set, in its namespace; the same expression gives the same bits with 8 lanes (AVX2) as
// with 16 (AVX-512). Nothing here fuses unless it is called fma, nothing is approximate, and no
// value crosses from one lane to another except in any() and all(). Included by kernels only; pure,
// any thread.
#if defined(WEFT_SHADERS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_LANES_INL_H_
#        undef WEFT_SHADERS_LANES_INL_H_
#    else
#        define WEFT_SHADERS_LANES_INL_H_
#    endif

// clang-format off
#include <hwy/highway.h>

#include "scheduler/base/ids.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using UintTag = hn::ScalableTag<u32>;
using IntTag = hn::ScalableTag<i32>;

// Paths that run in lockstep: 4, 8 or 16.
inline constexpr u32 kLanes = HWY_LANES(float);

struct Bool {
    decltype(hn::MaskFromVec(hn::Zero(FloatTag()))) m;
};

struct Float {
    decltype(hn::Zero(FloatTag())) v;

    Float() = default;

    // The same value in every lane.
    HWY_INLINE Float(float x) : v(hn::Set(FloatTag(), x)) {}

    HWY_INLINE explicit Float(decltype(hn::Zero(FloatTag())) x) : v(x) {}
};

struct Uint {
    decltype(hn::Zero(UintTag())) v;

    Uint() = default;

    // The same value in every lane.
    HWY_INLINE Uint(u32 x) : v(hn::Set(UintTag(), x)) {}

    HWY_INLINE explicit Uint(decltype(hn::Zero(UintTag())) x) : v(x) {}
};

HWY_INLINE Bool operator&(Bool a, Bool b) {
    return {hn::And(a.m, b.m)};
}

HWY_INLINE Bool operator|(Bool a, Bool b) {
    return {hn::Or(a.m, b.m)};
}

HWY_INLINE Bool operator!(Bool a) {
    return {hn::Not(a.m)};
}

HWY_INLINE bool any(Bool a) {
    return !hn::AllFalse(FloatTag(), a.m);
}

HWY_INLINE bool all(Bool a) {
    return hn::AllTrue(FloatTag(), a.m);
}

HWY_INLINE Float operator+(Float a, Float b) {
    return Float(hn::Add(a.v, b.v));
}

HWY_INLINE Float operator-(Float a, Float b) {
    return Float(hn::Sub(a.v, b.v));
}

HWY_INLINE Float operator*(Float a, Float b) {
    return Float(hn::Mul(a.v, b.v));
}

HWY_INLINE Float operator/(Float a, Float b) {
    return Float(hn::Div(a.v, b.v));
}

HWY_INLINE Float operator-(Float a) {
    return Float(hn::Neg(a.v));
}

HWY_INLINE Bool operator<(Float a, Float b) {
    return {hn::Lt(a.v, b.v)};
}

HWY_INLINE Bool operator<=(Float a, Float b) {
    return {hn::Le(a.v, b.v)};
}

HWY_INLINE Bool operator>(Float a, Float b) {
    return {hn::Lt(b.v, a.v)};
}

HWY_INLINE Bool operator>=(Float a, Float b) {
    return {hn::Le(b.v, a.v)};
}

HWY_INLINE Bool operator==(Float a, Float b) {
    return {hn::Eq(a.v, b.v)};
}

// a · b + c, rounded once where the instruction set has it (class "fma"), twice on SSE4.
HWY_INLINE Float fma(Float a, Float b, Float c) {
    return Float(hn::MulAdd(a.v, b.v, c.v));
}

// a · b − c.
HWY_INLINE Float fms(Float a, Float b, Float c) {
    return Float(hn::MulSub(a.v, b.v, c.v));
}

// c − a · b.
HWY_INLINE Float fnma(Float a, Float b, Float c) {
    return Float(hn::NegMulAdd(a.v, b.v, c.v));
}

HWY_INLINE Float sqrt(Float a) {
    return Float(hn::Sqrt(a.v));
}

HWY_INLINE Float abs(Float a) {
    return Float(hn::Abs(a.v));
}

HWY_INLINE Float floor(Float a) {
    return Float(hn::Floor(a.v));
}

// Where a is not a number the result is b.
HWY_INLINE Float min(Float a, Float b) {
    return Float(hn::Min(a.v, b.v));
}

HWY_INLINE Float max(Float a, Float b) {
    return Float(hn::Max(a.v, b.v));
}

HWY_INLINE Float clamp(Float x, Float low, Float high) {
    return min(max(x, low), high);
}

HWY_INLINE Float saturate(Float x) {
    return clamp(x, 0.0f, 1.0f);
}

HWY_INLINE Float square(Float x) {
    return x * x;
}

// a + t (b − a).
HWY_INLINE Float mix(Float a, Float b, Float t) {
    return fma(t, b - a, a);
}

// Magnitude of a, sign of s.
HWY_INLINE Float copy_sign(Float a, Float s) {
    return Float(hn::CopySign(a.v, s.v));
}

HWY_INLINE Float select(Bool c, Float yes, Float no) {
    return Float(hn::IfThenElse(c.m, yes.v, no.v));
}

HWY_INLINE Uint operator+(Uint a, Uint b) {
    return Uint(hn::Add(a.v, b.v));
}

HWY_INLINE Uint operator-(Uint a, Uint b) {
    return Uint(hn::Sub(a.v, b.v));
}

HWY_INLINE Uint operator*(Uint a, Uint b) {
    return Uint(hn::Mul(a.v, b.v));
}

HWY_INLINE Uint operator&(Uint a, Uint b) {
    return Uint(hn::And(a.v, b.v));
}

HWY_INLINE Uint operator|(Uint a, Uint b) {
    return Uint(hn::Or(a.v, b.v));
}

HWY_INLINE Uint operator^(Uint a, Uint b) {
    return Uint(hn::Xor(a.v, b.v));
}

template <int kBits>
HWY_INLINE Uint shift_left(Uint a) {
    return Uint(hn::ShiftLeft<kBits>(a.v));
}

template <int kBits>
HWY_INLINE Uint shift_right(Uint a) {
    return Uint(hn::ShiftRight<kBits>(a.v));
}

// a >> n with n in [0, 31] by lane.
HWY_INLINE Uint shift_right(Uint a, Uint n) {
    return Uint(hn::Shr(a.v, n.v));
}

HWY_INLINE Bool operator==(Uint a, Uint b) {
    return {hn::RebindMask(FloatTag(), hn::Eq(a.v, b.v))};
}

HWY_INLINE Bool operator!=(Uint a, Uint b) {
    return !(a == b);
}

// a < b, both below 2³¹.
HWY_INLINE Bool is_less(Uint a, Uint b) {
    const IntTag tag;
    return {hn::RebindMask(FloatTag(), hn::Lt(hn::BitCast(tag, a.v), hn::BitCast(tag, b.v)))};
}

HWY_INLINE Uint select(Bool c, Uint yes, Uint no) {
    return Uint(hn::IfThenElse(hn::RebindMask(UintTag(), c.m), yes.v, no.v));
}

HWY_INLINE Bool has_flag(Uint flags, u32 flag) {
    return (flags & Uint(flag)) != Uint(0u);
}

// The constant in every lane.
HWY_INLINE Bool all_lanes(bool value) {
    return Uint(value ? 1u : 0u) == Uint(1u);
}

HWY_INLINE Float bits_to_float(Uint a) {
    return Float(hn::BitCast(FloatTag(), a.v));
}

HWY_INLINE Uint float_to_bits(Float a) {
    return Uint(hn::BitCast(UintTag(), a.v));
}

// Exact below 2²⁴, rounded to nearest above; values from 2³¹ on count as negative.
HWY_INLINE Float to_float(Uint a) {
    return Float(hn::ConvertTo(FloatTag(), hn::BitCast(IntTag(), a.v)));
}

// Towards zero; |a| below 2³¹. Negative values come out in two's complement.
HWY_INLINE Uint to_uint(Float a) {
    return Uint(hn::BitCast(UintTag(), hn::ConvertTo(IntTag(), a.v)));
}

// The words base[index]; index below 2³¹.
HWY_INLINE Float gather(const float* base, Uint index) {
    return Float(hn::GatherIndex(FloatTag(), base, hn::BitCast(IntTag(), index.v)));
}

HWY_INLINE Uint gather(const u32* base, Uint index) {
    return Uint(hn::GatherIndex(UintTag(), base, hn::BitCast(IntTag(), index.v)));
}

// kLanes consecutive words, any alignment.
HWY_INLINE Float load(const float* from) {
    return Float(hn::LoadU(FloatTag(), from));
}

HWY_INLINE Uint load(const u32* from) {
    return Uint(hn::LoadU(UintTag(), from));
}

HWY_INLINE void store(Float a, float* to) {
    hn::StoreU(a.v, FloatTag(), to);
}

HWY_INLINE void store(Uint a, u32* to) {
    hn::StoreU(a.v, UintTag(), to);
}

// 1 or 0 by lane.
HWY_INLINE Uint to_uint(Bool a) {
    return select(a, Uint(1u), Uint(0u));
}

}  // namespace weft::shaders::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
