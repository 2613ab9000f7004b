// set_walk-inl.h — a list of rays of one octant down a subtree to its end, as sets of 32.
//
// Sets take turns as fibres of a group do: each takes one step (a node or a block for all of its
// rays that go there), asks for the next one's memory and gives way to the next set. Last in, first
// out, nearer children first. Instances run as interleaved fibres. Included by traversal kernels;
// changes rays and sums of tints.
#if defined(WEFT_SHADERS_SET_WALK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_SET_WALK_INL_H_
#        undef WEFT_SHADERS_SET_WALK_INL_H_
#    else
#        define WEFT_SHADERS_SET_WALK_INL_H_
#    endif

#    include <algorithm>
#    include <bit>

#    include "shaders/ray_set-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

#    ifndef WEFT_WIDE_LANES

// From so many rays of kLanes neighbours on, one per lane is faster than one after the other.
inline constexpr u32 kManyInLanes = kLanes / 2;
// Sets in flight: 8 were 1 to 4 % slower out of the cache, 24 no faster.
inline constexpr u32 kSetsInFlight = 16;

HWY_INLINE void step_set_node(const BvhNode& node, RaySet& set) {
    u32 many = 0;
    for (u32 first = 0; first < kSetRays; first += kLanes) {
        const u32 lanes = set.going & (~0u >> (32 - kLanes)) << first;
        many |= static_cast<u32>(std::popcount(lanes)) >= kManyInLanes ? lanes : 0;
    }
    alignas(32) u32 met[8];
    meet_rays(node, set, set.going & ~many, met);
    for (u32 first = 0; many != 0; first += kLanes, many >>= kLanes) {
        const u32 lanes = many & ~0u >> (32 - kLanes);
        if (lanes != 0) {
            meet_lanes(node, set, first, lanes, met);
        }
    }
    stack_children(node, met, set);
}

// Ray by ray what was met: closest hits, and triangles that are asked about.
template <bool kIsAny>
HWY_INLINE void take_quads(const TraceScene& scene,
                           const LeafBlock& block,
                           RaySet& set,
                           const QuadMeeting& met,
                           const u32 (&those)[kQuadRays]) {
    alignas(64) float t[kLanes];
    alignas(64) float u[kLanes];
    alignas(64) float v[kLanes];
    store(met.t, t);
    store(met.weight_b / met.sum, u);
    store(met.weight_c / met.sum, v);
    for (u32 hits = met.hits; hits != 0; hits &= hits - 1) {
        const u32 lane = static_cast<u32>(std::countr_zero(hits));
        const u32 k = lane % 4;
        const u32 index = those[lane / 4];
        TraceRay& ray = set.rays[set.slot[index]];
        if (kIsAny && ray.t < 0) {
            continue;
        }
        const Candidate hit = {t[lane],
                               u[lane],
                               v[lane],
                               block.instance[k],
                               block.primitive[k],
                               (block.flags >> k & 1) != 0};
        take<kIsAny>(scene, ray, set.slot[index], hit);
        set.t[index] = ray.t;
        set.live &= ~((ray.t < 0 ? 1u : 0u) << index);
    }
}

template <bool kIsAny>
HWY_INLINE void step_set_block(const TraceScene& scene, const LeafBlock& block, RaySet& set) {
    for (u32 rest = set.going; rest != 0;) {
        u32 those[kQuadRays];
        QuadRays which;
        u32 lanes = 0;
        for (u32 r = 0; r < kQuadRays; ++r) {
            those[r] = rest != 0 ? static_cast<u32>(std::countr_zero(rest)) : those[0];
            lanes |= rest != 0 ? 15u << (4 * r) : 0u;
            rest &= rest - 1;
            which.ray[4 * r] = set.slot[those[r]] * (sizeof(TraceRay) / 4);
            which.shear[4 * r] = those[r] * (sizeof(ShearRecord) / 4);
        }
        QuadMeeting met = meet_block(block, set.rays, set.shear, which, set.octant, lanes);
        if (met.hits == 0) {
            continue;
        }
        met.hits = without_ends<kIsAny>(block, set.rays, which, met.hits);
        if (!kIsAny || (block.flags & 15) != 0) {
            take_quads<kIsAny>(scene, block, set, met, those);
            continue;
        }
        for (u32 hits = met.hits; hits != 0;) {
            const u32 r = static_cast<u32>(std::countr_zero(hits)) / 4;
            hits &= ~(15u << (4 * r));
            set.rays[set.slot[those[r]]].t = -1.0f;
            set.live &= ~(1u << those[r]);
        }
    }
}

// The going rays as interleaved fibres to the end of a subtree.
template <bool kIsAny>
HWY_NOINLINE void leave_set(const TraceScene& scene, RaySet& set, TraceCounters& counters) {
    u32 slots[kSetRays];
    u32 count = 0;
    for (u32 rest = set.going; rest != 0; rest &= rest - 1) {
        slots[count++] = set.slot[std::countr_zero(rest)];
    }
    run_group<kIsAny>(scene, set.at, set.rays, slots, count, counters);
    for (u32 rest = set.going; rest != 0; rest &= rest - 1) {
        const u32 index = static_cast<u32>(std::countr_zero(rest));
        set.t[index] = set.rays[set.slot[index]].t;
        set.live &= ~((set.t[index] < 0 ? 1u : 0u) << index);
    }
}

// One step of a set; false: its subtree is done.
template <bool kIsAny>
HWY_INLINE bool step_set(const TraceScene& scene, RaySet& set, TraceCounters& counters) {
    const u32 count = static_cast<u32>(std::popcount(set.going));
    const u32 kind = set.at & kRefKind;
    if (kind == kRefNode) {
        const BvhNode& node = scene.bvh.nodes[set.at];
        count_visit(node, count, counters);
        counters.lanes_issued += kSetRays;
        counters.lanes_active += count;
        step_set_node(node, set);
    } else if (kind == kRefLeaf) {
        note_fetch_of(scene.bvh, set.at);
        counters.leaf_tests += count;
        step_set_block<kIsAny>(scene, scene.bvh.blocks[set.at & kRefIndex], set);
    } else {
        leave_set<kIsAny>(scene, set, counters);
    }
    // Rays that were blocked meanwhile have no business in what is next.
    do {
        if (set.stack_size == 0) {
            return false;
        }
        const u32 top = --set.stack_size;
        set.at = set.ref[top];
        set.going = set.mask[top] & set.live;
    } while (set.going == 0);
    prefetch_ref(scene.bvh, set.at);
    return true;
}

// The rays `ids`, all of `octant`, from `ref` to the end of its subtree.
template <bool kIsAny>
HWY_NOINLINE void walk_sets(const TraceScene& scene,
                            u32 ref,
                            u32 octant,
                            TraceRay* rays,
                            const u32* ids,
                            u32 count,
                            TraceCounters& counters) {
    if (ref == kRefEmpty) {
        return;
    }
    RaySet sets[kSetsInFlight];
    RaySet* live[kSetsInFlight];
    u32 live_count = 0;
    u32 next = 0;
    const auto open_next = [&](RaySet& set) HWY_ATTR {
        while (next < count) {
            const u32 size = std::min(kSetRays, count - next);
            open_set(set, ref, rays, ids + next, size, octant);
            next += size;
            if (set.live != 0) {
                return true;
            }
        }
        return false;
    };
    while (live_count < kSetsInFlight && open_next(sets[live_count])) {
        live[live_count] = &sets[live_count];
        ++live_count;
    }
    while (live_count != 0) {
        for (u32 k = 0; k < live_count;) {
            RaySet& set = *live[k];
            if (step_set<kIsAny>(scene, set, counters) || open_next(set)) {
                ++k;
            } else {
                std::swap(live[k], live[--live_count]);
            }
        }
    }
}

#    endif

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
