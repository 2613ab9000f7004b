// quads-inl.h — moves four consecutive words of each lane's record at once.
//
// A lane's four words are one 16-byte access; registers transpose 4×4 blocks between records and
// lanes. That is three times as fast as four gathers, and much faster than storing lane by lane.
// Moves words unchanged. Used for path records, rays and vertices. Any thread.
#if defined(WEFT_SHADERS_QUADS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_QUADS_INL_H_
#        undef WEFT_SHADERS_QUADS_INL_H_
#    else
#        define WEFT_SHADERS_QUADS_INL_H_
#    endif

#    include "shaders/lanes/vector-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

using BlockTag = hn::FixedTag<u32, 4>;

#    ifdef WEFT_ONE_LANE

// The four words of one lane follow each other already.
HWY_INLINE void transpose(Uint&, Uint&, Uint&, Uint&) {}

template <u32 kWords>
HWY_INLINE void load_quads(const u32* base, const u32* at, Uint& a, Uint& b, Uint& c, Uint& d) {
    const u32* const from = base + at[0];
    a = from[0];
    b = from[1];
    c = from[2];
    d = kWords == 4 ? from[3] : 0u;
}

#    else

// Transposes 4×4 blocks of words: word j of register k swaps with word k of register j, within each
// 16 bytes. Its own inverse.
HWY_INLINE void transpose(Uints<1>& a, Uints<1>& b, Uints<1>& c, Uints<1>& d) {
    const hn::Repartition<u64, UintTag> pairs;
    const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(UintTag(), a.v, b.v));
    const auto cd_low = hn::BitCast(pairs, hn::InterleaveLower(UintTag(), c.v, d.v));
    const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(UintTag(), a.v, b.v));
    const auto cd_high = hn::BitCast(pairs, hn::InterleaveUpper(UintTag(), c.v, d.v));
    a.v = hn::BitCast(UintTag(), hn::InterleaveLower(pairs, ab_low, cd_low));
    b.v = hn::BitCast(UintTag(), hn::InterleaveUpper(pairs, ab_low, cd_low));
    c.v = hn::BitCast(UintTag(), hn::InterleaveLower(pairs, ab_high, cd_high));
    d.v = hn::BitCast(UintTag(), hn::InterleaveUpper(pairs, ab_high, cd_high));
}

// The 16 bytes at words at[0], at[4], at[8] and so on, in a row; three words of them, and a zero,
// where `kWords` is 3.
template <u32 kWords>
HWY_INLINE Uints<1> load_blocks(const u32* base, const u32* at) {
    const auto block = [&](u32 k) HWY_ATTR {
        if constexpr (kWords == 4) {
            return hn::LoadU(BlockTag(), base + at[k]);
        } else {
            return hn::MaskedLoad(hn::FirstN(BlockTag(), kWords), BlockTag(), base + at[k]);
        }
    };
    if constexpr (kRegisterLanes == 4) {
        return Uints<1>(block(0));
    } else if constexpr (kRegisterLanes == 8) {
        return Uints<1>(hn::Combine(UintTag(), block(4), block(0)));
    } else {
        const hn::Half<UintTag> half;
        return Uints<1>(hn::Combine(UintTag(),
                                    hn::Combine(half, block(12), block(8)),
                                    hn::Combine(half, block(4), block(0))));
    }
}

// The words at[k] + 0 .. 3 (or 2) of each lane k; all of them lie in the table.
template <u32 kWords>
HWY_INLINE void load_quads(
    const u32* base, const u32* at, Uints<1>& a, Uints<1>& b, Uints<1>& c, Uints<1>& d) {
    a = load_blocks<kWords>(base, at);
    b = load_blocks<kWords>(base, at + 1);
    c = load_blocks<kWords>(base, at + 2);
    d = load_blocks<kWords>(base, at + 3);
    transpose(a, b, c, d);
}

#    endif

#    ifdef WEFT_WIDE_LANES
template <u32 kWords, u32 kRegisters>
HWY_INLINE void load_quads(const u32* base,
                           const u32* at,
                           Uints<kRegisters>& a,
                           Uints<kRegisters>& b,
                           Uints<kRegisters>& c,
                           Uints<kRegisters>& d) {
    load_quads<kWords>(base, at, a.lo, b.lo, c.lo, d.lo);
    load_quads<kWords>(base, at + Uints<kRegisters>::kHalf, a.hi, b.hi, c.hi, d.hi);
}
#    endif

struct QuadLanes {
    Uint a, b, c, d;
};

HWY_INLINE QuadLanes load_quad(const u32* base, const u32* at) {
    QuadLanes q;
    load_quads<4>(base, at, q.a, q.b, q.c, q.d);
    return q;
}

HWY_INLINE Float3 first_three(const QuadLanes& q) {
    return {bits_to_float(q.a), bits_to_float(q.b), bits_to_float(q.c)};
}

HWY_INLINE QuadLanes quad_of(Float3 a, Float d) {
    return {float_to_bits(a.x), float_to_bits(a.y), float_to_bits(a.z), float_to_bits(d)};
}

// Three words in a row from word `index` of an arena; the fourth is undefined.
HWY_INLINE QuadLanes load_triple(const u32* arena, Uint index) {
    QuadLanes q;
#    if HWY_TARGET == HWY_SSE4
    // No load of three words: four would reach beyond the arena.
    q.a = gather(arena, index);
    q.b = gather(arena, index + Uint(1u));
    q.c = gather(arena, index + Uint(2u));
#    else
    alignas(64) u32 at[kLanes];
    store(index, at);
    load_quads<3>(arena, at, q.a, q.b, q.c, q.d);
#    endif
    return q;
}

#    ifdef WEFT_ONE_LANE

HWY_INLINE void store_quads(u32* const* to, Uint a, Uint b, Uint c, Uint d) {
    u32* const words = to[0];
    words[0] = a.v;
    words[1] = b.v;
    words[2] = c.v;
    words[3] = d.v;
}

#    else

// The 16 bytes number kBlock of a register.
template <u32 kBlock, typename Tag, typename Register>
HWY_INLINE auto block_of(Register a) {
    constexpr u32 kHalf = hn::MaxLanes(Tag()) / 8;  // blocks of half a register
    if constexpr (kHalf == 0) {
        return a;
    } else {
        using HalfTag = hn::Half<Tag>;
        if constexpr (kBlock < kHalf) {
            return block_of<kBlock, HalfTag>(hn::LowerHalf(HalfTag(), a));
        } else {
            return block_of<kBlock - kHalf, HalfTag>(hn::UpperHalf(HalfTag(), a));
        }
    }
}

// Stores the words a, b, c, d of each lane k at to[k].
HWY_INLINE void store_quads(u32* const* to, Uints<1> a, Uints<1> b, Uints<1> c, Uints<1> d) {
    transpose(a, b, c, d);
    const auto store_lanes = [&]<u32 kBlock>() HWY_ATTR {
        hn::StoreU(block_of<kBlock, UintTag>(a.v), BlockTag(), to[4 * kBlock]);
        hn::StoreU(block_of<kBlock, UintTag>(b.v), BlockTag(), to[4 * kBlock + 1]);
        hn::StoreU(block_of<kBlock, UintTag>(c.v), BlockTag(), to[4 * kBlock + 2]);
        hn::StoreU(block_of<kBlock, UintTag>(d.v), BlockTag(), to[4 * kBlock + 3]);
    };
    store_lanes.template operator()<0>();
    if constexpr (kRegisterLanes >= 8) {
        store_lanes.template operator()<1>();
    }
    if constexpr (kRegisterLanes >= 16) {
        store_lanes.template operator()<2>();
        store_lanes.template operator()<3>();
    }
}

#    endif

#    ifdef WEFT_WIDE_LANES
template <u32 kRegisters>
HWY_INLINE void store_quads(u32* const* to,
                            Uints<kRegisters> a,
                            Uints<kRegisters> b,
                            Uints<kRegisters> c,
                            Uints<kRegisters> d) {
    store_quads(to, a.lo, b.lo, c.lo, d.lo);
    store_quads(to + Uints<kRegisters>::kHalf, a.hi, b.hi, c.hi, d.hi);
}
#    endif

// Stores quads to one record per lane. The quads of lanes that are left out go to a spare record,
// which nobody reads: no branch to mispredict, and no detour of the words through memory.
template <u32 kQuads>
class QuadStore {
public:
    // The record of each lane k of `lanes` begins at word at[k] of the table.
    HWY_INLINE QuadStore(u32* base, const u32* at, u32 lanes) {
        for (u32 k = 0; k < kLanes; ++k) {
            to_[k] = (lanes >> k & 1) != 0 ? base + at[k] : spare_;
        }
    }

    // Pointers lead into the object itself.
    QuadStore(const QuadStore&) = delete;
    QuadStore& operator=(const QuadStore&) = delete;

    template <u32 kQuad>
    HWY_INLINE void store(const QuadLanes& q) const {
        static_assert(kQuad < kQuads);
        u32* to[kLanes];
        for (u32 k = 0; k < kLanes; ++k) {
            to[k] = to_[k] + 4 * kQuad;
        }
        store_quads(to, q.a, q.b, q.c, q.d);
    }

private:
    u32* to_[kLanes];
    u32 spare_[4 * kQuads];
};

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
