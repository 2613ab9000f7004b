// single_register-inl.h — numbers in one lane: Floats<1>, Uints<1> and Bools<1> are plain numbers.
//
// The debug form of every kernel, N = 1 (F1): a debugger shows one path's numbers, and no vector
// instruction of registers-inl.h is used, so that tests can compare the two. Each operation gives
// the bits that registers-inl.h gives a lane. Included in place of it (lanes-inl.h). Pure, any
// thread.
#if defined(WEFT_SHADERS_SINGLE_REGISTER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_SINGLE_REGISTER_INL_H_
#        undef WEFT_SHADERS_SINGLE_REGISTER_INL_H_
#    else
#        define WEFT_SHADERS_SINGLE_REGISTER_INL_H_
#    endif

// clang-format off
#include <bit>

#include <hwy/highway.h>

#include "scheduler/base/ids.h"
#include "shaders/lanes/width.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr u32 kRegisterLanes = 1;

template <u32 kRegisters>
struct Floats;
template <u32 kRegisters>
struct Uints;
template <u32 kRegisters>
struct Bools;

template <>
struct Bools<1> {
    bool m;
};

template <>
struct Floats<1> {
    float v;

    Floats() = default;

    HWY_INLINE Floats(float x) : v(x) {}

    static HWY_INLINE Floats load(const float* from) { return Floats(*from); }
};

template <>
struct Uints<1> {
    u32 v;

    Uints() = default;

    HWY_INLINE Uints(u32 x) : v(x) {}

    static HWY_INLINE Uints load(const u32* from) { return Uints(*from); }
};

HWY_INLINE Bools<1> operator&(Bools<1> a, Bools<1> b) {
    return {a.m && b.m};
}

HWY_INLINE Bools<1> operator|(Bools<1> a, Bools<1> b) {
    return {a.m || b.m};
}

HWY_INLINE Bools<1> operator!(Bools<1> a) {
    return {!a.m};
}

HWY_INLINE u32 bits_of(Bools<1> a) {
    return a.m ? 1 : 0;
}

HWY_INLINE bool any_bit(Bools<1> a) {
    return a.m;
}

HWY_INLINE bool all_bits(Bools<1> a) {
    return a.m;
}

HWY_INLINE Floats<1> operator+(Floats<1> a, Floats<1> b) {
    return a.v + b.v;
}

HWY_INLINE Floats<1> operator-(Floats<1> a, Floats<1> b) {
    return a.v - b.v;
}

HWY_INLINE Floats<1> operator*(Floats<1> a, Floats<1> b) {
    return a.v * b.v;
}

HWY_INLINE Floats<1> operator/(Floats<1> a, Floats<1> b) {
    return a.v / b.v;
}

HWY_INLINE Floats<1> operator-(Floats<1> a) {
    return -a.v;
}

HWY_INLINE Bools<1> operator<(Floats<1> a, Floats<1> b) {
    return {a.v < b.v};
}

HWY_INLINE Bools<1> operator<=(Floats<1> a, Floats<1> b) {
    return {a.v <= b.v};
}

HWY_INLINE Bools<1> operator>(Floats<1> a, Floats<1> b) {
    return {b.v < a.v};
}

HWY_INLINE Bools<1> operator>=(Floats<1> a, Floats<1> b) {
    return {b.v <= a.v};
}

HWY_INLINE Bools<1> operator==(Floats<1> a, Floats<1> b) {
    return {a.v == b.v};
}

// Rounded once in the arithmetic class "fma", twice on SSE4.
HWY_INLINE Floats<1> fma(Floats<1> a, Floats<1> b, Floats<1> c) {
#    if HWY_TARGET == HWY_SSE4
    return a.v * b.v + c.v;
#    else
    return __builtin_fmaf(a.v, b.v, c.v);
#    endif
}

HWY_INLINE Floats<1> fms(Floats<1> a, Floats<1> b, Floats<1> c) {
    return fma(a, b, -c);
}

HWY_INLINE Floats<1> fnma(Floats<1> a, Floats<1> b, Floats<1> c) {
    return fma(-a, b, c);
}

HWY_INLINE Floats<1> sqrt(Floats<1> a) {
    return __builtin_sqrtf(a.v);
}

HWY_INLINE Floats<1> abs(Floats<1> a) {
    return __builtin_fabsf(a.v);
}

HWY_INLINE Floats<1> floor(Floats<1> a) {
    return __builtin_floorf(a.v);
}

// Where a is not a number, or both are zero, the result is b.
HWY_INLINE Floats<1> min(Floats<1> a, Floats<1> b) {
    return a.v < b.v ? a : b;
}

HWY_INLINE Floats<1> max(Floats<1> a, Floats<1> b) {
    return a.v > b.v ? a : b;
}

HWY_INLINE Floats<1> copy_sign(Floats<1> a, Floats<1> s) {
    return __builtin_copysignf(a.v, s.v);
}

HWY_INLINE Floats<1> select(Bools<1> c, Floats<1> yes, Floats<1> no) {
    return c.m ? yes : no;
}

HWY_INLINE Uints<1> operator+(Uints<1> a, Uints<1> b) {
    return a.v + b.v;
}

HWY_INLINE Uints<1> operator-(Uints<1> a, Uints<1> b) {
    return a.v - b.v;
}

HWY_INLINE Uints<1> operator*(Uints<1> a, Uints<1> b) {
    return a.v * b.v;
}

HWY_INLINE Uints<1> operator&(Uints<1> a, Uints<1> b) {
    return a.v & b.v;
}

HWY_INLINE Uints<1> operator|(Uints<1> a, Uints<1> b) {
    return a.v | b.v;
}

HWY_INLINE Uints<1> operator^(Uints<1> a, Uints<1> b) {
    return a.v ^ b.v;
}

template <int kBits>
HWY_INLINE Uints<1> shift_left(Uints<1> a) {
    return a.v << kBits;
}

template <int kBits>
HWY_INLINE Uints<1> shift_right(Uints<1> a) {
    return a.v >> kBits;
}

HWY_INLINE Uints<1> shift_right(Uints<1> a, Uints<1> n) {
    return a.v >> n.v;
}

HWY_INLINE Bools<1> operator==(Uints<1> a, Uints<1> b) {
    return {a.v == b.v};
}

HWY_INLINE Bools<1> is_less(Uints<1> a, Uints<1> b) {
    return {static_cast<i32>(a.v) < static_cast<i32>(b.v)};
}

HWY_INLINE Uints<1> select(Bools<1> c, Uints<1> yes, Uints<1> no) {
    return c.m ? yes : no;
}

HWY_INLINE u32 first_lane(Uints<1> a) {
    return a.v;
}

HWY_INLINE Floats<1> bits_to_float(Uints<1> a) {
    return std::bit_cast<float>(a.v);
}

HWY_INLINE Uints<1> float_to_bits(Floats<1> a) {
    return std::bit_cast<u32>(a.v);
}

HWY_INLINE Floats<1> to_float(Uints<1> a) {
    return static_cast<float>(static_cast<i32>(a.v));
}

// Towards zero. Numbers beyond its range occur where the result is not used: any word will do.
HWY_INLINE Uints<1> to_uint(Floats<1> a) {
    const bool is_in_range = a.v > -2147483648.0f && a.v < 2147483648.0f;
    return is_in_range ? static_cast<u32>(static_cast<i32>(a.v)) : 0x80000000u;
}

HWY_INLINE Floats<1> gather(const float* base, Uints<1> index) {
    return base[index.v];
}

HWY_INLINE Uints<1> gather(const u32* base, Uints<1> index) {
    return base[index.v];
}

HWY_INLINE void store(Floats<1> a, float* to) {
    *to = a.v;
}

HWY_INLINE void store(Uints<1> a, u32* to) {
    *to = a.v;
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
