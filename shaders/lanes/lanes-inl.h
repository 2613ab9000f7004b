// lanes-inl.h — numbers in lanes: Float, Uint and Bool hold one value for each path that a kernel
// runs in lockstep.
//
// One register in kernels of the CPU, or one plain number in their debug form; 32 lanes in two or
// four registers in kernels of the emulated device (width.h). There any(), all() and branch() also
// count: each call is one branch that all lanes decide together. A lane's bits are the same at
// every width. Included by kernels only; any thread. Everything is pure except this count: each
// thread keeps it for the kernel that it runs, and a Lockstep returns it to the kernel's caller.
#if defined(WEFT_SHADERS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_LANES_INL_H_
#        undef WEFT_SHADERS_LANES_INL_H_
#    else
#        define WEFT_SHADERS_LANES_INL_H_
#    endif

// clang-format off
#include <bit>

#include "shaders/host/path_view.h"
#ifdef WEFT_ONE_LANE
#    include "shaders/lanes/single_register-inl.h"
#else
#    include "shaders/lanes/registers-inl.h"
#endif
#ifdef WEFT_WIDE_LANES
#    include "shaders/lanes/wide_registers-inl.h"
#endif
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Paths that run in lockstep.
#    ifdef WEFT_WIDE_LANES
inline constexpr u32 kLanes = WEFT_WIDE_LANES;
#    else
inline constexpr u32 kLanes = kRegisterLanes;
#    endif

using Float = Floats<kLanes / kRegisterLanes>;
using Uint = Uints<kLanes / kRegisterLanes>;
using Bool = Bools<kLanes / kRegisterLanes>;

#    ifdef WEFT_WIDE_LANES

// The branches counted for the kernel that this thread runs, its live lanes, and those of them that
// read texels at present.
struct Decisions {
    u32 live;
    u32 reading;
    DivergenceCounters counted;
};

inline constinit thread_local Decisions decisions = {};

// The lanes of `lanes` in which a is true. Counts one branch of `lanes`, divergent where a differs
// between them.
HWY_INLINE u32 branch(Bool a, u32 lanes) {
    const u32 taken = bits_of(a) & lanes;
    DivergenceCounters& counted = decisions.counted;
    ++counted.branches;
    counted.divergent += taken != 0 && taken != lanes ? 1 : 0;
    counted.lanes_live += static_cast<u32>(std::popcount(lanes));
    return taken;
}

// Spare lanes of a group repeat a live one, so they change no result.
HWY_INLINE bool any(Bool a) {
    return branch(a, decisions.live) != 0;
}

HWY_INLINE bool all(Bool a) {
    return branch(a, decisions.live) == decisions.live;
}

// Adds the branches of this thread within its scope to `out`.
class Lockstep {
public:
    explicit Lockstep(DivergenceCounters& out) : out_(out) { decisions = {}; }

    ~Lockstep() {
        out_.branches += decisions.counted.branches;
        out_.divergent += decisions.counted.divergent;
        out_.lanes_live += decisions.counted.lanes_live;
    }

    Lockstep(const Lockstep&) = delete;
    Lockstep& operator=(const Lockstep&) = delete;

    // Lane k is in use where bit k is set; at least one is.
    void set_live(u32 lanes) { decisions.live = decisions.reading = lanes; }

private:
    DivergenceCounters& out_;
};

// While it lives, texels are read for these lanes alone: other lanes hold some numbers as well, but
// copy nothing into local memory. Scopes nest. No branch of the lanes.
class ReadLanes {
public:
    HWY_INLINE explicit ReadLanes(Bool where) : ReadLanes(bits_of(where)) {}

    // The lanes of `where` but these.
    HWY_INLINE ReadLanes(Bool where, Bool but) : ReadLanes(bits_of(where) & ~bits_of(but)) {}

    // The lanes with a flag, which is one bit.
    HWY_INLINE ReadLanes(Uint flags, u32 flag) : ReadLanes((flags & Uint(flag)) == Uint(flag)) {}

    HWY_INLINE ~ReadLanes() { decisions.reading = before_; }

    ReadLanes(const ReadLanes&) = delete;
    ReadLanes& operator=(const ReadLanes&) = delete;

private:
    HWY_INLINE explicit ReadLanes(u32 lanes) : before_(decisions.reading) {
        decisions.reading &= lanes;
    }

    u32 before_;
};

#    else

HWY_INLINE u32 branch(Bool a, u32 lanes) {
    return bits_of(a) & lanes;
}

HWY_INLINE bool any(Bool a) {
    return any_bit(a);
}

HWY_INLINE bool all(Bool a) {
    return all_bits(a);
}

// The CPU's kernels count no branches.
class Lockstep {
public:
    explicit Lockstep(DivergenceCounters& /*out*/) {}

    void set_live(u32 /*lanes*/) {}
};

// The CPU's kernels gather in all lanes.
class ReadLanes {
public:
    HWY_INLINE explicit ReadLanes(Bool /*where*/) {}

    HWY_INLINE ReadLanes(Bool /*where*/, Bool /*but*/) {}

    HWY_INLINE ReadLanes(Uint /*flags*/, u32 /*flag*/) {}
};

#    endif

// True if all lanes hold the same number. No branch of the lanes: it only selects how memory is
// read.
HWY_INLINE bool is_uniform(Uint a) {
    constexpr u32 kAll = kLanes == 32 ? ~0u : (1u << kLanes % 32) - 1;
    return bits_of(a == Uint(first_lane(a))) == kAll;
}

HWY_INLINE Bool operator!=(Uint a, Uint b) {
    return !(a == b);
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

HWY_INLINE Bool has_flag(Uint flags, u32 flag) {
    return (flags & Uint(flag)) != Uint(0u);
}

// The constant in every lane.
HWY_INLINE Bool all_lanes(bool value) {
    return Uint(value ? 1u : 0u) == Uint(1u);
}

// 1 or 0 by lane.
HWY_INLINE Uint to_uint(Bool a) {
    return select(a, Uint(1u), Uint(0u));
}

// kLanes consecutive words, any alignment.
HWY_INLINE Float load(const float* from) {
    return Float::load(from);
}

HWY_INLINE Uint load(const u32* from) {
    return Uint::load(from);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
