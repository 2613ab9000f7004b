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

#    include <bit>

#    include "shaders/lanes/quads-inl.h"
#    include "shaders/traverse/fibre-inl.h"
#    include "shaders/traverse/lane_triangle-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

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
    PacketEntry stack[kStackSize];
};

HWY_INLINE void update_reach(Packet& p) {
    p.t_max = highest_where(Bool::of_bits(p.live), load(p.t));
}

// Rays in lanes, with what a packet keeps of them.
struct LoadedRays {
    LaneRays lanes;
    Float t;
    Uint primitive;
    Uint instance;
    Uint self_primitive;
    Uint self_instance;
};

// The rays of `slots`, one per lane: a ray is four quads of words.
HWY_INLINE LoadedRays load_rays(const TraceRay* rays, const u32* slots) {
    static_assert(offsetof(TraceRay, t) == 12 && offsetof(TraceRay, direction) == 16 &&
                  offsetof(TraceRay, reciprocal) == 32 && offsetof(TraceRay, primitive) == 48);
    alignas(64) u32 at[kLanes];
    store(load(slots) * Uint(sizeof(TraceRay) / 4), at);
    const auto* const words = reinterpret_cast<const u32*>(rays);
    const QuadLanes origin = load_quad(words, at);
    const QuadLanes direction = load_quad(words + 4, at);
    const QuadLanes reciprocal = load_quad(words + 8, at);
    const QuadLanes names = load_quad(words + 12, at);
    LoadedRays out;
    const auto split = [](const QuadLanes& quad, Float(&to)[3]) HWY_ATTR {
        to[0] = bits_to_float(quad.a);
        to[1] = bits_to_float(quad.b);
        to[2] = bits_to_float(quad.c);
    };
    split(origin, out.lanes.origin);
    split(direction, out.lanes.direction);
    split(reciprocal, out.lanes.reciprocal);
    out.t = bits_to_float(origin.d);
    out.primitive = names.a;
    out.instance = names.b;
    out.self_primitive = names.c;
    out.self_instance = names.d;
    return out;
}

// Opens a packet of `count` loaded rays (at least one), those of ids[0 .. count).
template <bool kIsAny>
HWY_INLINE void open_packet(
    Packet& p, TraceRay* rays, const u32* ids, u32 count, const LoadedRays& loaded) {
    for (u32 k = 0; k < kLanes; ++k) {
        p.slot[k] = ids[k < count ? k : 0];
    }
    store(loaded.t, p.t);
    store(loaded.self_primitive, p.self_primitive);
    store(loaded.self_instance, p.self_instance);
    p.live = ~0u >> (32 - count);
    if (kIsAny) {
        store(loaded.primitive, p.primitive);
        store(loaded.instance, p.instance);
        p.live &= bits_of(loaded.t >= Float(0.0f));
    }
    p.rays = rays;
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
    for (; which != 0; which &= which - 1) {
        const u32 lane = static_cast<u32>(std::countr_zero(which));
        TraceRay& ray = p.rays[p.slot[lane]];
        ray.t = p.t[lane];
        if (!kIsAny) {
            ray.u = u[lane];
            ray.v = v[lane];
            ray.primitive = p.primitive[lane];
            ray.instance = p.instance[lane];
        }
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
