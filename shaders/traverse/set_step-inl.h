// set_step-inl.h — one step of a set of rays that share a stack: a node or a block for all of those
// that go there, and what is next.
//
// The tree is the world's, or a placement's mesh (kIsPlaced). Included by traversal kernels;
// changes the set, its rays and, for shadow rays, their sums of tints.
#if defined(WEFT_SHADERS_SET_STEP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_SET_STEP_INL_H_
#        undef WEFT_SHADERS_SET_STEP_INL_H_
#    else
#        define WEFT_SHADERS_SET_STEP_INL_H_
#    endif

#    include <algorithm>
#    include <bit>

#    include "shaders/traverse/ray_set-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

#    ifndef WEFT_WIDE_LANES

// From so many rays of kLanes neighbours on, one per lane is faster than one after the other.
inline constexpr u32 kManyInLanes = kLanes / 2;

HWY_INLINE void step_set_node(const BvhNode& node, RaySet& set) {
    u32 many = 0;
    for (u32 first = 0; first < kSetRays; first += kLanes) {
        const u32 lanes = set.going & (~0u >> (32 - kLanes)) << first;
        many |= static_cast<u32>(std::popcount(lanes)) >= kManyInLanes ? lanes : 0;
    }
    alignas(32) u32 met[8];
    test_boxes_by_ray(node, set, set.going & ~many, met);
    for (u32 first = 0; many != 0; first += kLanes, many >>= kLanes) {
        const u32 lanes = many & ~0u >> (32 - kLanes);
        if (lanes != 0) {
            test_boxes_in_lanes(node, set, first, lanes, met);
        }
    }
    stack_children(node, met, set);
}

// Ray by ray what was met: closest hits, and triangles that are asked about.
template <bool kIsAny, bool kIsPlaced>
HWY_INLINE void take_quads(const TraceScene& scene,
                           const LeafBlock& block,
                           RaySet& set,
                           const QuadHits& met,
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
        QuadRay& record = set.quad[index];
        TraceRay& ray = set.rays[record.slot];
        if (kIsAny && ray.t < 0) {
            continue;
        }
        const Candidate hit = {t[lane],
                               u[lane],
                               v[lane],
                               kIsPlaced ? set.instance : block.instance[k],
                               block.primitive[k],
                               (block.flags >> k & 1) != 0};
        take<kIsAny>(scene, ray, record.slot, hit);
        set.t[index] = ray.t;
        record.t = ray.t;
        set.live &= ~((ray.t < 0 ? 1u : 0u) << index);
    }
}

template <bool kIsAny, bool kIsPlaced>
HWY_INLINE void step_set_block(const TraceScene& scene, const LeafBlock& block, RaySet& set) {
    for (u32 rest = set.going; rest != 0;) {
        const u32 count = std::min(static_cast<u32>(std::popcount(rest)), kQuadRays);
        u32 those[kQuadRays];
        for (u32 r = 0; r < kQuadRays; ++r) {
            those[r] = rest != 0 ? static_cast<u32>(std::countr_zero(rest)) : those[0];
            rest &= rest - 1;
        }
        const u32 lanes = (1u << 4 * count) - 1;
        QuadHits met =
            intersect_block<kIsPlaced>(block, set.spaces, set.quad, those, set.shared, lanes);
        if (met.hits == 0) {
            continue;
        }
        met.hits = without_ends<kIsAny, kIsPlaced>(
            block, set.spaces, set.quad, those, set.instance, met.hits);
        if (!kIsAny || (block.flags & 15) != 0) {
            take_quads<kIsAny, kIsPlaced>(scene, block, set, met, those);
            continue;
        }
        for (u32 hits = met.hits; hits != 0;) {
            const u32 r = static_cast<u32>(std::countr_zero(hits)) / 4;
            hits &= ~(15u << (4 * r));
            set.rays[set.quad[those[r]].slot].t = -1.0f;
            set.live &= ~(1u << those[r]);
        }
    }
}

// Goes on to what is next on the set's stack; false: its subtree is done.
HWY_INLINE bool take_next(RaySet& set) {
    // Rays that were blocked meanwhile have no business in what is next.
    do {
        if (set.stack_size == 0) {
            return false;
        }
        const u32 top = --set.stack_size;
        set.at = set.ref[top];
        set.going = set.mask[top] & set.live;
    } while (set.going == 0);
    return true;
}

// One step in a tree of triangles, at a node or a block.
template <bool kIsAny, bool kIsPlaced>
HWY_INLINE void step_set_in_tree(const TraceScene& scene, RaySet& set, TraceCounters& counters) {
    const u32 count = static_cast<u32>(std::popcount(set.going));
    if ((set.at & kRefKind) == kRefNode) {
        const BvhNode& node = scene.bvh.nodes[set.at];
        count_visit(node, count, counters);
        counters.lanes_issued += kSetRays;
        counters.lanes_active += count;
        step_set_node(node, set);
    } else {
        note_fetch_of(scene.bvh, set.at);
        counters.leaf_tests += count;
        step_set_block<kIsAny, kIsPlaced>(scene, scene.bvh.blocks[set.at & kRefIndex], set);
    }
}

#    endif

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
