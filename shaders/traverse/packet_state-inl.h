// packet_state-inl.h — the rays of one packet and its stack, and how a packet accepts hits.
//
// All lanes accept a hit at once, except for flagged triangles (clip planes, alpha, tints) and ties
// in t: those go lane by lane through fibre-inl.h. A packet writes hits back to its rays when it is
// done, or when the single-ray kernel takes over. Included by traversal kernels; changes the
// packet, its rays and, for shadow rays, their sums of tints.
#if defined(WEFT_SHADERS_PACKET_STATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_PACKET_STATE_INL_H_
#        undef WEFT_SHADERS_PACKET_STATE_INL_H_
#    else
#        define WEFT_SHADERS_PACKET_STATE_INL_H_
#    endif

#    include <algorithm>
#    include <bit>

#    include "shaders/lanes/quads-inl.h"
#    include "shaders/traverse/fibre-inl.h"
#    include "shaders/traverse/lane_triangle-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Packets of 32 rays never fall back to single rays: on the emulated device lanes stay in lockstep,
// and on the CPU leaving the packet costs more than idle lanes do (tests/bench/notebook/rays.md).
inline constexpr bool kStaysWhole = kLanes == 32;
// Camera rays go as packets of 32. Whether closest-hit packets ask if their rays start at one
// point, and end early where they miss the whole scene.
template <bool kIsAny>
inline constexpr bool kMayHaveEye = kStaysWhole && !kIsAny;

struct PacketEntry {
    u32 ref;
    u32 lanes;    // lanes that hit it
    float entry;  // lower bound of their entry distances
};

// A packet: up to kLanes rays that share a stack.
struct alignas(64) Packet {
    float t[kLanes];  // current t of each ray
    u32 self_primitive[kLanes];
    u32 self_instance[kLanes];
    // Shadow rays: the triangle they end on. Closest-hit rays: the hit of each lane of `changed`.
    u32 primitive[kLanes];
    u32 instance[kLanes];
    float weight_b[kLanes];  // barycentric weights of that hit
    float weight_c[kLanes];
    float sum[kLanes];
    u32 slot[kLanes];  // spare lanes repeat the first
    TraceRay* rays;
    u32 live;     // lanes in use whose rays are not blocked
    u32 changed;  // lanes whose hit is not written back to the ray yet
    float t_max;  // largest t over the live lanes
    u32 stack_size;
    DivergenceCounters* maybe_counted;  // branches of the lanes; null: they do not count
    PacketEntry stack[kStackSize];
};

// What the packets of one call have in common.
struct PacketRun {
    const TraceScene& scene;
    u32 ref;
    TraceRay* rays;
    TraceCounters& counters;
    DivergenceCounters* maybe_counted;
};

HWY_INLINE void update_reach(Packet& p) {
    p.t_max = highest_where(Bool::of_bits(p.live), load(p.t));
}

// The 16 bytes at each of `from`, in a row.
template <u32 kBlocks>
HWY_INLINE Uints<1> load_row(const u32* const (&from)[kBlocks], u32 offset) {
    const auto block = [&](u32 k) HWY_ATTR { return hn::LoadU(BlockTag(), from[k] + offset); };
    if constexpr (kBlocks == 1) {
        return Uints<1>(block(0));
    } else if constexpr (kBlocks == 2) {
        return Uints<1>(hn::Combine(UintTag(), block(1), block(0)));
    } else {
        const hn::Half<UintTag> half;
        return Uints<1>(hn::Combine(UintTag(),
                                    hn::Combine(half, block(3), block(2)),
                                    hn::Combine(half, block(1), block(0))));
    }
}

// Words of a ray, in lanes: [quad][word].
template <u32 kRegisters, u32 kQuads>
struct RayWords {
    Uints<kRegisters> word[kQuads][4];
};

// Words of the rays of `slots`, one per lane. Four rays of a register at a time, all four quads of
// each: as many addresses as fit into registers.
template <u32 kFirst, u32 kQuads>
HWY_INLINE void load_words(const TraceRay* rays, const u32* slots, RayWords<1, kQuads>& out) {
    for (u32 j = 0; j < 4; ++j) {
        const u32* from[kRegisterLanes / 4];
        for (u32 k = 0; k < kRegisterLanes / 4; ++k) {
            from[k] = reinterpret_cast<const u32*>(rays + slots[j + 4 * k]);
        }
        for (u32 quad = 0; quad < kQuads; ++quad) {
            out.word[quad][j] = load_row(from, 4 * (kFirst + quad));
        }
    }
    for (auto& quad : out.word) {
        transpose(quad[0], quad[1], quad[2], quad[3]);
    }
}

#    ifdef WEFT_WIDE_LANES
template <u32 kFirst, u32 kQuads, u32 kRegisters>
HWY_INLINE void load_words(const TraceRay* rays,
                           const u32* slots,
                           RayWords<kRegisters, kQuads>& out) {
    RayWords<kRegisters / 2, kQuads> low;
    RayWords<kRegisters / 2, kQuads> high;
    load_words<kFirst, kQuads>(rays, slots, low);
    load_words<kFirst, kQuads>(rays, slots + Uints<kRegisters>::kHalf, high);
    for (u32 quad = 0; quad < kQuads; ++quad) {
        for (u32 k = 0; k < 4; ++k) {
            out.word[quad][k] = {low.word[quad][k], high.word[quad][k]};
        }
    }
}
#    endif

// The triangles of rays: [word from TraceRay::primitive on].
using RayEnds = RayWords<kLanes / kRegisterLanes, 1>;

// Rays in lanes, with what a packet keeps of them.
struct LoadedRays {
    LaneRays lanes;
    Float t;
    RayEnds ends;  // of camera rays: once their packet is opened
};

// The rays of `slots`, one per lane: a ray is four quads of words. Of camera rays the last one is
// loaded when their packet is opened, which many packets never are; other rays load it at once,
// which is cheaper.
template <bool kIsAny>
HWY_INLINE LoadedRays load_rays(const TraceRay* rays, const u32* slots) {
    static_assert(offsetof(TraceRay, t) == 12 && offsetof(TraceRay, direction) == 16 &&
                  offsetof(TraceRay, reciprocal) == 32 && offsetof(TraceRay, primitive) == 48);
    RayWords<kLanes / kRegisterLanes, kMayHaveEye<kIsAny> ? 3 : 4> words;
    load_words<0>(rays, slots, words);
    LoadedRays out;
    for (u32 k = 0; k < 3; ++k) {
        out.lanes.origin[k] = bits_to_float(words.word[0][k]);
        out.lanes.direction[k] = bits_to_float(words.word[1][k]);
        out.lanes.reciprocal[k] = bits_to_float(words.word[2][k]);
    }
    out.t = bits_to_float(words.word[0][3]);
    if constexpr (!kMayHaveEye<kIsAny>) {
        std::copy_n(words.word[3], 4, out.ends.word[0]);
    }
    return out;
}

// The lanes in use whose rays are not blocked, of `count` loaded rays (at least one).
template <bool kIsAny>
HWY_INLINE u32 live_lanes(u32 count, const LoadedRays& loaded) {
    const u32 used = ~0u >> (32 - count);
    return kIsAny ? used & bits_of(loaded.t >= Float(0.0f)) : used;
}

// Opens a packet of loaded rays, those of `ids`, of which `live` are used and not blocked.
template <bool kIsAny>
HWY_INLINE void open_packet(
    Packet& p, const PacketRun& run, const u32* ids, u32 live, LoadedRays& loaded) {
    store(load(ids), p.slot);
    store(loaded.t, p.t);
    if (kMayHaveEye<kIsAny>) {
        load_words<3>(run.rays, ids, loaded.ends);
    }
    const Uint(&ends)[4] = loaded.ends.word[0];
    if (kIsAny) {
        store(ends[0], p.primitive);
        store(ends[1], p.instance);
    }
    store(ends[2], p.self_primitive);
    store(ends[3], p.self_instance);
    p.live = live;
    p.rays = run.rays;
    p.maybe_counted = run.maybe_counted;
    p.changed = 0;
    p.stack_size = 0;
    update_reach(p);
}

// Writes the hits of the lanes of `which` back to their rays.
template <bool kIsAny>
HWY_INLINE void write_rays(Packet& p, u32 which) {
    which &= p.changed;
    p.changed &= ~which;
    float u[kLanes];
    float v[kLanes];
    if (!kIsAny && which != 0) {
        store(load(p.weight_b) / load(p.sum), u);
        store(load(p.weight_c) / load(p.sum), v);
    }
    const auto write = [&](u32 lane) {
        TraceRay& ray = p.rays[p.slot[lane]];
        ray.t = p.t[lane];
        if (!kIsAny) {
            ray.u = u[lane];
            ray.v = v[lane];
            ray.primitive = p.primitive[lane];
            ray.instance = p.instance[lane];
        }
    };
    if (kLanes == 32 && which == ~0u) {
        for (u32 lane = 0; lane < kLanes; ++lane) {
            write(lane);
        }
        return;
    }
    for (; which != 0; which &= which - 1) {
        write(static_cast<u32>(std::countr_zero(which)));
    }
}

// Reloads a ray after single-ray code changed it.
template <bool kIsAny>
HWY_INLINE void read_ray(Packet& p, u32 lane) {
    p.t[lane] = p.rays[p.slot[lane]].t;
    if (kIsAny && p.t[lane] < 0) {
        p.live &= ~(1u << lane);
    }
}

// Accepts hits lane by lane, through the code of single rays.
template <bool kIsAny>
HWY_NOINLINE void take_singly(
    const TraceScene& scene, Packet& p, const LaneHits& found, u32 lanes, Candidate hit) {
    write_rays<kIsAny>(p, lanes);
    float t[kLanes];
    float u[kLanes];
    float v[kLanes];
    store(load(found.t), t);
    store(load(found.weight_b) / load(found.sum), u);
    store(load(found.weight_c) / load(found.sum), v);
    for (; lanes != 0; lanes &= lanes - 1) {
        const u32 lane = static_cast<u32>(std::countr_zero(lanes));
        hit.t = t[lane];
        hit.u = u[lane];
        hit.v = v[lane];
        take<kIsAny>(scene, p.rays[p.slot[lane]], p.slot[lane], hit);
        read_ray<kIsAny>(p, lane);
    }
}

HWY_INLINE Bool is_triangle(const u32* primitive, const u32* instance, const Candidate& hit) {
    return (load(primitive) == Uint(hit.primitive)) & (load(instance) == Uint(hit.instance));
}

// Accepts the hits of a triangle. Its t, u and v are in `found`, not in `hit`.
template <bool kIsAny>
HWY_INLINE void take_lanes(const TraceScene& scene,
                           Packet& p,
                           const LaneHits& found,
                           const Candidate& hit) {
    if (hit.is_flagged) {
        take_singly<kIsAny>(scene, p, found, found.lanes, hit);
        return;
    }
    // Ignore the triangle that a ray starts on.
    u32 lanes = found.lanes & ~bits_of(is_triangle(p.self_primitive, p.self_instance, hit));
    const Float t = load(p.t);
    if constexpr (kIsAny) {
        // Ignore the triangle that a shadow ray ends on; block the other lanes.
        lanes &= ~bits_of(is_triangle(p.primitive, p.instance, hit));
        store(select(Bool::of_bits(lanes), Float(-1.0f), t), p.t);
        p.live &= ~lanes;
    } else {
        // Resolve ties in t lane by lane; store the other hits at once.
        const u32 ties = bits_of(load(found.t) == t) & lanes;
        if (ties != 0) {
            take_singly<kIsAny>(scene, p, found, ties, hit);
            lanes &= ~ties;
        }
        const Bool where = Bool::of_bits(lanes);
        store(select(where, load(found.t), load(p.t)), p.t);
        store(select(where, load(found.weight_b), load(p.weight_b)), p.weight_b);
        store(select(where, load(found.weight_c), load(p.weight_c)), p.weight_c);
        store(select(where, load(found.sum), load(p.sum)), p.sum);
        store(select(where, Uint(hit.primitive), load(p.primitive)), p.primitive);
        store(select(where, Uint(hit.instance), load(p.instance)), p.instance);
    }
    p.changed |= lanes;
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
