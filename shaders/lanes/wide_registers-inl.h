// wide_registers-inl.h — numbers in several registers: Floats<2>, Floats<4> and so on are pairs of
// halves.
//
// Every operation applies that of registers-inl.h to both halves, so a lane has the same bits as in
// a single register. Halves are named members because GCC keeps them in registers, unlike an array.
// Used where 32 lanes run in lockstep (lanes-inl.h). Pure, any thread.
#if defined(WEFT_SHADERS_WIDE_REGISTERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_WIDE_REGISTERS_INL_H_
#        undef WEFT_SHADERS_WIDE_REGISTERS_INL_H_
#    else
#        define WEFT_SHADERS_WIDE_REGISTERS_INL_H_
#    endif

#    include "shaders/lanes/registers-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

template <u32 kRegisters>
struct Bools {
    // Lanes of each half.
    static constexpr u32 kHalf = kRegisterLanes * kRegisters / 2;
    Bools<kRegisters / 2> lo, hi;

    static HWY_INLINE Bools of_bits(u32 bits) {
        return {Bools<kRegisters / 2>::of_bits(bits),
                Bools<kRegisters / 2>::of_bits(bits >> kHalf)};
    }

    friend HWY_INLINE u32 bits_of(Bools a) { return bits_of(a.lo) | bits_of(a.hi) << kHalf; }

    friend HWY_INLINE Bools operator&(Bools a, Bools b) { return {a.lo & b.lo, a.hi & b.hi}; }

    friend HWY_INLINE Bools operator|(Bools a, Bools b) { return {a.lo | b.lo, a.hi | b.hi}; }

    friend HWY_INLINE Bools operator!(Bools a) { return {!a.lo, !a.hi}; }
};

template <u32 kRegisters>
struct Uints {
    using BoolsHere = Bools<kRegisters>;
    using FloatsHere = Floats<kRegisters>;
    static constexpr u32 kHalf = kRegisterLanes * kRegisters / 2;
    Uints<kRegisters / 2> lo, hi;

    Uints() = default;

    HWY_INLINE Uints(u32 x) : lo(x), hi(x) {}

    HWY_INLINE Uints(Uints<kRegisters / 2> low, Uints<kRegisters / 2> high) : lo(low), hi(high) {}

    static HWY_INLINE Uints load(const u32* from) {
        return {Uints<kRegisters / 2>::load(from), Uints<kRegisters / 2>::load(from + kHalf)};
    }

    friend HWY_INLINE void store(Uints a, u32* to) {
        store(a.lo, to);
        store(a.hi, to + kHalf);
    }

    friend HWY_INLINE u32 first_lane(Uints a) { return first_lane(a.lo); }

    friend HWY_INLINE Uints operator+(Uints a, Uints b) { return {a.lo + b.lo, a.hi + b.hi}; }

    friend HWY_INLINE Uints operator-(Uints a, Uints b) { return {a.lo - b.lo, a.hi - b.hi}; }

    friend HWY_INLINE Uints operator*(Uints a, Uints b) { return {a.lo * b.lo, a.hi * b.hi}; }

    friend HWY_INLINE Uints operator&(Uints a, Uints b) { return {a.lo & b.lo, a.hi & b.hi}; }

    friend HWY_INLINE Uints operator|(Uints a, Uints b) { return {a.lo | b.lo, a.hi | b.hi}; }

    friend HWY_INLINE Uints operator^(Uints a, Uints b) { return {a.lo ^ b.lo, a.hi ^ b.hi}; }

    template <int kBits>
    friend HWY_INLINE Uints shift_left(Uints a) {
        return {shift_left<kBits>(a.lo), shift_left<kBits>(a.hi)};
    }

    template <int kBits>
    friend HWY_INLINE Uints shift_right(Uints a) {
        return {shift_right<kBits>(a.lo), shift_right<kBits>(a.hi)};
    }

    friend HWY_INLINE Uints shift_right(Uints a, Uints b) {
        return {shift_right(a.lo, b.lo), shift_right(a.hi, b.hi)};
    }

    friend HWY_INLINE BoolsHere operator==(Uints a, Uints b) {
        return {a.lo == b.lo, a.hi == b.hi};
    }

    friend HWY_INLINE BoolsHere is_less(Uints a, Uints b) {
        return {is_less(a.lo, b.lo), is_less(a.hi, b.hi)};
    }

    friend HWY_INLINE Uints select(BoolsHere c, Uints yes, Uints no) {
        return {select(c.lo, yes.lo, no.lo), select(c.hi, yes.hi, no.hi)};
    }

    friend HWY_INLINE FloatsHere bits_to_float(Uints a) {
        return {bits_to_float(a.lo), bits_to_float(a.hi)};
    }

    friend HWY_INLINE FloatsHere to_float(Uints a) { return {to_float(a.lo), to_float(a.hi)}; }

    friend HWY_INLINE FloatsHere gather(const float* base, Uints index) {
        return {gather(base, index.lo), gather(base, index.hi)};
    }

    friend HWY_INLINE Uints gather(const u32* base, Uints index) {
        return {gather(base, index.lo), gather(base, index.hi)};
    }
};

template <u32 kRegisters>
struct Floats {
    using BoolsHere = Bools<kRegisters>;
    using UintsHere = Uints<kRegisters>;
    static constexpr u32 kHalf = kRegisterLanes * kRegisters / 2;
    Floats<kRegisters / 2> lo, hi;

    Floats() = default;

    HWY_INLINE Floats(float x) : lo(x), hi(x) {}

    HWY_INLINE Floats(Floats<kRegisters / 2> low, Floats<kRegisters / 2> high)
        : lo(low), hi(high) {}

    static HWY_INLINE Floats load(const float* from) {
        return {Floats<kRegisters / 2>::load(from), Floats<kRegisters / 2>::load(from + kHalf)};
    }

    friend HWY_INLINE void store(Floats a, float* to) {
        store(a.lo, to);
        store(a.hi, to + kHalf);
    }

    friend HWY_INLINE Floats operator+(Floats a, Floats b) { return {a.lo + b.lo, a.hi + b.hi}; }

    friend HWY_INLINE Floats operator-(Floats a, Floats b) { return {a.lo - b.lo, a.hi - b.hi}; }

    friend HWY_INLINE Floats operator*(Floats a, Floats b) { return {a.lo * b.lo, a.hi * b.hi}; }

    friend HWY_INLINE Floats operator/(Floats a, Floats b) { return {a.lo / b.lo, a.hi / b.hi}; }

    friend HWY_INLINE Floats operator-(Floats a) { return {-a.lo, -a.hi}; }

    friend HWY_INLINE BoolsHere operator<(Floats a, Floats b) { return {a.lo < b.lo, a.hi < b.hi}; }

    friend HWY_INLINE BoolsHere operator<=(Floats a, Floats b) {
        return {a.lo <= b.lo, a.hi <= b.hi};
    }

    friend HWY_INLINE BoolsHere operator>(Floats a, Floats b) { return {a.lo > b.lo, a.hi > b.hi}; }

    friend HWY_INLINE BoolsHere operator>=(Floats a, Floats b) {
        return {a.lo >= b.lo, a.hi >= b.hi};
    }

    friend HWY_INLINE BoolsHere operator==(Floats a, Floats b) {
        return {a.lo == b.lo, a.hi == b.hi};
    }

    friend HWY_INLINE Floats fma(Floats a, Floats b, Floats c) {
        return {fma(a.lo, b.lo, c.lo), fma(a.hi, b.hi, c.hi)};
    }

    friend HWY_INLINE Floats fms(Floats a, Floats b, Floats c) {
        return {fms(a.lo, b.lo, c.lo), fms(a.hi, b.hi, c.hi)};
    }

    friend HWY_INLINE Floats fnma(Floats a, Floats b, Floats c) {
        return {fnma(a.lo, b.lo, c.lo), fnma(a.hi, b.hi, c.hi)};
    }

    friend HWY_INLINE Floats sqrt(Floats a) { return {sqrt(a.lo), sqrt(a.hi)}; }

    friend HWY_INLINE Floats abs(Floats a) { return {abs(a.lo), abs(a.hi)}; }

    friend HWY_INLINE Floats floor(Floats a) { return {floor(a.lo), floor(a.hi)}; }

    friend HWY_INLINE Floats min(Floats a, Floats b) { return {min(a.lo, b.lo), min(a.hi, b.hi)}; }

    friend HWY_INLINE Floats max(Floats a, Floats b) { return {max(a.lo, b.lo), max(a.hi, b.hi)}; }

    friend HWY_INLINE Floats copy_sign(Floats a, Floats b) {
        return {copy_sign(a.lo, b.lo), copy_sign(a.hi, b.hi)};
    }

    friend HWY_INLINE Floats select(BoolsHere c, Floats yes, Floats no) {
        return {select(c.lo, yes.lo, no.lo), select(c.hi, yes.hi, no.hi)};
    }

    friend HWY_INLINE float lowest_lane(Floats a) { return lowest_lane(min(a.lo, a.hi)); }

    friend HWY_INLINE float highest_lane(Floats a) { return highest_lane(max(a.lo, a.hi)); }

    friend HWY_INLINE UintsHere float_to_bits(Floats a) {
        return {float_to_bits(a.lo), float_to_bits(a.hi)};
    }

    friend HWY_INLINE UintsHere to_uint(Floats a) { return {to_uint(a.lo), to_uint(a.hi)}; }
};

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
