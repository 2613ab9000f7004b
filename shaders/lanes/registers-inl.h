// registers-inl.h — numbers in one vector register: Floats<1>, Uints<1> and Bools<1>.
//
// Thin wrappers of Highway's vectors; wide_registers-inl.h builds wider ones of them. Compiled once
// per instruction set, in its namespace; an expression gives the same bits with 8 lanes (AVX2) as
// with 16 (AVX-512). Only fma, fms and fnma fuse, nothing is approximate, and no value crosses
// lanes except in bits_of and in functions named after lanes. Pure, any thread.
#if defined(WEFT_SHADERS_REGISTERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_REGISTERS_INL_H_
#        undef WEFT_SHADERS_REGISTERS_INL_H_
#    else
#        define WEFT_SHADERS_REGISTERS_INL_H_
#    endif

// clang-format off
#include <bit>
#include <cstring>

#include <hwy/highway.h>

#include "scheduler/base/ids.h"
#include "shaders/lanes/width.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using UintTag = hn::ScalableTag<u32>;
using IntTag = hn::ScalableTag<i32>;

// Lanes of one register: 4, 8 or 16.
inline constexpr u32 kRegisterLanes = HWY_LANES(float);

// Numbers in kRegisters registers.
template <u32 kRegisters>
struct Floats;
template <u32 kRegisters>
struct Uints;
template <u32 kRegisters>
struct Bools;

template <>
struct Bools<1> {
    decltype(hn::MaskFromVec(hn::Zero(FloatTag()))) m;

    // Lane k has bit k.
    static HWY_INLINE Bools of_bits(u32 bits) {
        const u8 bytes[8] = {static_cast<u8>(bits), static_cast<u8>(bits >> 8)};
        return {hn::LoadMaskBits(FloatTag(), bytes)};
    }
};

template <>
struct Floats<1> {
    decltype(hn::Zero(FloatTag())) v;

    Floats() = default;

    // The same value in every lane.
    HWY_INLINE Floats(float x) : v(hn::Set(FloatTag(), x)) {}

    HWY_INLINE explicit Floats(decltype(hn::Zero(FloatTag())) x) : v(x) {}

    // Consecutive words, any alignment.
    static HWY_INLINE Floats load(const float* from) { return Floats(hn::LoadU(FloatTag(), from)); }
};

template <>
struct Uints<1> {
    decltype(hn::Zero(UintTag())) v;

    Uints() = default;

    // The same value in every lane.
    HWY_INLINE Uints(u32 x) : v(hn::Set(UintTag(), x)) {}

    HWY_INLINE explicit Uints(decltype(hn::Zero(UintTag())) x) : v(x) {}

    static HWY_INLINE Uints load(const u32* from) { return Uints(hn::LoadU(UintTag(), from)); }
};

HWY_INLINE Bools<1> operator&(Bools<1> a, Bools<1> b) {
    return {hn::And(a.m, b.m)};
}

HWY_INLINE Bools<1> operator|(Bools<1> a, Bools<1> b) {
    return {hn::Or(a.m, b.m)};
}

HWY_INLINE Bools<1> operator!(Bools<1> a) {
    return {hn::Not(a.m)};
}

// Bit k for lane k.
HWY_INLINE u32 bits_of(Bools<1> a) {
    u8 bytes[8];
    hn::StoreMaskBits(FloatTag(), a.m, bytes);
    u32 bits = bytes[0];
    if constexpr (kRegisterLanes == 16) {
        u16 both = 0;
        std::memcpy(&both, bytes, sizeof(both));
        bits = both;
    }
    return bits;
}

HWY_INLINE bool any_bit(Bools<1> a) {
    return !hn::AllFalse(FloatTag(), a.m);
}

HWY_INLINE bool all_bits(Bools<1> a) {
    return hn::AllTrue(FloatTag(), a.m);
}

HWY_INLINE Floats<1> operator+(Floats<1> a, Floats<1> b) {
    return Floats<1>(hn::Add(a.v, b.v));
}

HWY_INLINE Floats<1> operator-(Floats<1> a, Floats<1> b) {
    return Floats<1>(hn::Sub(a.v, b.v));
}

HWY_INLINE Floats<1> operator*(Floats<1> a, Floats<1> b) {
    return Floats<1>(hn::Mul(a.v, b.v));
}

HWY_INLINE Floats<1> operator/(Floats<1> a, Floats<1> b) {
    return Floats<1>(hn::Div(a.v, b.v));
}

HWY_INLINE Floats<1> operator-(Floats<1> a) {
    return Floats<1>(hn::Neg(a.v));
}

HWY_INLINE Bools<1> operator<(Floats<1> a, Floats<1> b) {
    return {hn::Lt(a.v, b.v)};
}

HWY_INLINE Bools<1> operator<=(Floats<1> a, Floats<1> b) {
    return {hn::Le(a.v, b.v)};
}

HWY_INLINE Bools<1> operator>(Floats<1> a, Floats<1> b) {
    return {hn::Lt(b.v, a.v)};
}

HWY_INLINE Bools<1> operator>=(Floats<1> a, Floats<1> b) {
    return {hn::Le(b.v, a.v)};
}

HWY_INLINE Bools<1> operator==(Floats<1> a, Floats<1> b) {
    return {hn::Eq(a.v, b.v)};
}

// a · b + c, rounded once where the instruction set has it (class "fma"), twice on SSE4.
HWY_INLINE Floats<1> fma(Floats<1> a, Floats<1> b, Floats<1> c) {
    return Floats<1>(hn::MulAdd(a.v, b.v, c.v));
}

// a · b − c.
HWY_INLINE Floats<1> fms(Floats<1> a, Floats<1> b, Floats<1> c) {
    return Floats<1>(hn::MulSub(a.v, b.v, c.v));
}

// c − a · b.
HWY_INLINE Floats<1> fnma(Floats<1> a, Floats<1> b, Floats<1> c) {
    return Floats<1>(hn::NegMulAdd(a.v, b.v, c.v));
}

HWY_INLINE Floats<1> sqrt(Floats<1> a) {
    return Floats<1>(hn::Sqrt(a.v));
}

HWY_INLINE Floats<1> abs(Floats<1> a) {
    return Floats<1>(hn::Abs(a.v));
}

HWY_INLINE Floats<1> floor(Floats<1> a) {
    return Floats<1>(hn::Floor(a.v));
}

// Where a is not a number the result is b.
HWY_INLINE Floats<1> min(Floats<1> a, Floats<1> b) {
    return Floats<1>(hn::Min(a.v, b.v));
}

HWY_INLINE Floats<1> max(Floats<1> a, Floats<1> b) {
    return Floats<1>(hn::Max(a.v, b.v));
}

// Magnitude of a, sign of s.
HWY_INLINE Floats<1> copy_sign(Floats<1> a, Floats<1> s) {
    return Floats<1>(hn::CopySign(a.v, s.v));
}

HWY_INLINE Floats<1> select(Bools<1> c, Floats<1> yes, Floats<1> no) {
    return Floats<1>(hn::IfThenElse(c.m, yes.v, no.v));
}

HWY_INLINE Uints<1> operator+(Uints<1> a, Uints<1> b) {
    return Uints<1>(hn::Add(a.v, b.v));
}

HWY_INLINE Uints<1> operator-(Uints<1> a, Uints<1> b) {
    return Uints<1>(hn::Sub(a.v, b.v));
}

HWY_INLINE Uints<1> operator*(Uints<1> a, Uints<1> b) {
    return Uints<1>(hn::Mul(a.v, b.v));
}

HWY_INLINE Uints<1> operator&(Uints<1> a, Uints<1> b) {
    return Uints<1>(hn::And(a.v, b.v));
}

HWY_INLINE Uints<1> operator|(Uints<1> a, Uints<1> b) {
    return Uints<1>(hn::Or(a.v, b.v));
}

HWY_INLINE Uints<1> operator^(Uints<1> a, Uints<1> b) {
    return Uints<1>(hn::Xor(a.v, b.v));
}

template <int kBits>
HWY_INLINE Uints<1> shift_left(Uints<1> a) {
    return Uints<1>(hn::ShiftLeft<kBits>(a.v));
}

template <int kBits>
HWY_INLINE Uints<1> shift_right(Uints<1> a) {
    return Uints<1>(hn::ShiftRight<kBits>(a.v));
}

// a >> n with n in [0, 31] by lane.
HWY_INLINE Uints<1> shift_right(Uints<1> a, Uints<1> n) {
    return Uints<1>(hn::Shr(a.v, n.v));
}

HWY_INLINE Bools<1> operator==(Uints<1> a, Uints<1> b) {
    return {hn::RebindMask(FloatTag(), hn::Eq(a.v, b.v))};
}

// a < b, both below 2³¹.
HWY_INLINE Bools<1> is_less(Uints<1> a, Uints<1> b) {
    const IntTag tag;
    return {hn::RebindMask(FloatTag(), hn::Lt(hn::BitCast(tag, a.v), hn::BitCast(tag, b.v)))};
}

HWY_INLINE Uints<1> select(Bools<1> c, Uints<1> yes, Uints<1> no) {
    return Uints<1>(hn::IfThenElse(hn::RebindMask(UintTag(), c.m), yes.v, no.v));
}

// The least and the greatest of all lanes; none may be NaN.
HWY_INLINE float lowest_lane(Floats<1> a) {
    return hn::GetLane(hn::MinOfLanes(FloatTag(), a.v));
}

HWY_INLINE float highest_lane(Floats<1> a) {
    return hn::GetLane(hn::MaxOfLanes(FloatTag(), a.v));
}

HWY_INLINE u32 first_lane(Uints<1> a) {
    return hn::GetLane(a.v);
}

HWY_INLINE Floats<1> bits_to_float(Uints<1> a) {
    return Floats<1>(hn::BitCast(FloatTag(), a.v));
}

HWY_INLINE Uints<1> float_to_bits(Floats<1> a) {
    return Uints<1>(hn::BitCast(UintTag(), a.v));
}

// Exact below 2²⁴, rounded to nearest above; values from 2³¹ on count as negative.
HWY_INLINE Floats<1> to_float(Uints<1> a) {
    return Floats<1>(hn::ConvertTo(FloatTag(), hn::BitCast(IntTag(), a.v)));
}

// Towards zero; |a| below 2³¹. Negative values come out in two's complement.
HWY_INLINE Uints<1> to_uint(Floats<1> a) {
    return Uints<1>(hn::BitCast(UintTag(), hn::ConvertTo(IntTag(), a.v)));
}

// The words base[index[0]], base[index[1]] and so on, one by one.
template <typename Tag>
HWY_INLINE hn::VFromD<Tag> load_each(Tag tag, const u32* base, const u32* index) {
    constexpr u32 kHalf = hn::MaxLanes(Tag()) / 2;
    if constexpr (kHalf == 2) {
        using Words = u32 __attribute__((vector_size(16)));
        const Words words = {base[index[0]], base[index[1]], base[index[2]], base[index[3]]};
        return std::bit_cast<hn::VFromD<Tag>>(words);
    } else {
        const hn::Half<Tag> half;
        return hn::Combine(tag, load_each(half, base, index + kHalf), load_each(half, base, index));
    }
}

// The words base[index]; index below 2³¹. Four and eight lanes load word by word: the instruction
// that gathers eight words takes up to four times as long as eight loads. The instruction that
// gathers sixteen is faster than sixteen loads (tests/bench/notebook/shading.md).
HWY_INLINE Uints<1> gather(const u32* base, Uints<1> index) {
    if constexpr (kRegisterLanes == 16) {
        return Uints<1>(hn::GatherIndex(UintTag(), base, hn::BitCast(IntTag(), index.v)));
    } else {
        alignas(32) u32 at[kRegisterLanes];
        hn::Store(index.v, UintTag(), at);
        return Uints<1>(load_each(UintTag(), base, at));
    }
}

HWY_INLINE Floats<1> gather(const float* base, Uints<1> index) {
    return bits_to_float(gather(reinterpret_cast<const u32*>(base), index));
}

HWY_INLINE void store(Floats<1> a, float* to) {
    hn::StoreU(a.v, FloatTag(), to);
}

HWY_INLINE void store(Uints<1> a, u32* to) {
    hn::StoreU(a.v, UintTag(), to);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
