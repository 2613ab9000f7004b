// set_step-inl.h — one step of a set of rays: visits a node or a leaf block with all rays that hit
// its box, then pops the next stack entry.
//
// The tree is that of the world, or of a placement's mesh (kIsPlaced). Included by traversal
// kernels; changes the set, its rays and, for shadow rays, their sums of tints.
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

// With at least so many active rays among kLanes neighbouring rows, one ray per lane is faster than
// ray by ray. A test of one ray against eight children fills 16 lanes by a half alone.
inline constexpr u32 kManyInLanes = kLanes <= 8 ? kLanes * 3 / 4 : kLanes / 2;

template <bool kIsAny, bool kIsPlaced>
HWY_INLINE void step_set_node(const BvhNode& node, RaySet& set) {
    // Find the registers of rows in which many rays are active.
    u32 many = 0;
    for (u32 first = 0; first < kSetRays; first += kLanes) {
        const u32 lanes = set.going & (~0u >> (32 - kLanes)) << first;
        many |= static_cast<u32>(std::popcount(lanes)) >= kManyInLanes ? lanes : 0;
    }
    // Test the other rays one by one, then the full registers with one ray per lane. (In placements
    // the beam gained nothing.)
    alignas(32) u32 child_rays[8];
    test_boxes_by_ray(node, set, set.going & ~many, child_rays);
    if (kBeamCullsForSets && !kIsPlaced && many != 0) {
        test_children_in_lanes(node, set, many, children_of_set(node, set), child_rays);
        many = 0;
    }
    for (u32 first = 0; many != 0; first += kLanes, many >>= kLanes) {
        const u32 lanes = many & ~0u >> (32 - kLanes);
        if (lanes != 0) {
            test_boxes_in_lanes(node, set, first, lanes, child_rays);
        }
    }
    // Push the children that a ray hits.
    stack_children<kIsAny>(node, child_rays, set);
}

// Offers hits to their rays one by one: closest hits, and hits on flagged triangles.
template <bool kIsAny, bool kIsPlaced>
HWY_INLINE void take_quads(const TraceScene& scene,
                           const LeafBlock& block,
                           RaySet& set,
                           const QuadHits& found,
                           const u32 (&rows)[kQuadRays]) {
    // Compute the barycentrics of all hits.
    alignas(64) float t[kLanes];
    alignas(64) float u[kLanes];
    alignas(64) float v[kLanes];
    store(found.t, t);
    store(found.weight_b / found.sum, u);
    store(found.weight_c / found.sum, v);
    for (u32 hits = found.hits; hits != 0; hits &= hits - 1) {
        // Find the ray and the triangle of the hit.
        const u32 lane = static_cast<u32>(std::countr_zero(hits));
        const u32 k = lane % 4;
        const u32 index = rows[lane / 4];
        QuadRay& record = set.quad[index];
        TraceRay& ray = set.rays[record.slot];
        if (kIsAny && ray.t < 0) {
            continue;
        }
        // Offer the hit to the ray.
        const Candidate hit = {t[lane],
                               u[lane],
                               v[lane],
                               kIsPlaced ? set.instance : block.instance[k],
                               block.primitive[k],
                               (block.flags >> k & 1) != 0};
        take<kIsAny>(scene, ray, record.slot, hit);
        // Copy the new t to the set; a blocked ray leaves it.
        set.t[index] = ray.t;
        record.t = ray.t;
        set.live &= ~((ray.t < 0 ? 1u : 0u) << index);
    }
}

// Intersects the active rays with a leaf block, kQuadRays at a time.
template <bool kIsAny, bool kIsPlaced>
HWY_INLINE void step_set_block(const TraceScene& scene, const LeafBlock& block, RaySet& set) {
    for (u32 rest = set.going; rest != 0;) {
        // Take the next active rays; spare places repeat the first.
        const u32 count = std::min(static_cast<u32>(std::popcount(rest)), kQuadRays);
        u32 rows[kQuadRays];
        for (u32 r = 0; r < kQuadRays; ++r) {
            rows[r] = rest != 0 ? static_cast<u32>(std::countr_zero(rest)) : rows[0];
            rest &= rest - 1;
        }
        // Intersect them with the four triangles.
        const u32 lanes = (1u << 4 * count) - 1;
        QuadHits found =
            intersect_block<kIsPlaced>(block, set.spaces, set.quad, rows, set.shared, lanes);
        if (found.hits == 0) {
            continue;
        }
        // Drop hits on the triangles where a ray starts or ends.
        found.hits = without_ends<kIsAny, kIsPlaced>(
            block, set.spaces, set.quad, rows, set.instance, found.hits);
        // Closest hits and flagged triangles: each ray decides.
        if (!kIsAny || (block.flags & 15) != 0) {
            take_quads<kIsAny, kIsPlaced>(scene, block, set, found, rows);
            continue;
        }
        // Shadow rays and no flagged triangle: any hit blocks its ray.
        for (u32 hits = found.hits; hits != 0;) {
            const u32 r = static_cast<u32>(std::countr_zero(hits)) / 4;
            hits &= ~(15u << (4 * r));
            set.rays[set.quad[rows[r]].slot].t = -1.0f;
            set.live &= ~(1u << rows[r]);
        }
    }
}

// At the root of a subtree in a page: its reference is visited next; where the page is far, the
// active rays wait.
HWY_NOINLINE inline void step_set_page(const TraceScene& scene, RaySet& set) {
    const u32 index = set.at & kRefIndex;
    const PageRoot& root = scene.bvh.page_roots[index];
    if (root.page == kNone || enter_page(scene.bvh.page_states[root.page])) {
        set.ref[set.stack_size] = root.ref;
        set.mask[set.stack_size] = set.going;
        ++set.stack_size;
        return;
    }
    for (u32 rest = set.going; rest != 0; rest &= rest - 1) {
        // Copy the ray's slabs out of its row.
        const u32 row = static_cast<u32>(std::countr_zero(rest));
        SlabRay slabs;
        for (u32 k = 0; k < 3; ++k) {
            slabs.near_origin[k] = set.near_origin[k][row];
            slabs.far_origin[k] = set.far_origin[k][row];
            slabs.reciprocal[k] = set.reciprocal[k][row];
        }
        const float entry = box_entry(root.bounds, slabs, set.t[row]);
        if (entry >= 0) {
            wait_at(scene, {set.quad[row].slot, index, set.placement, entry});
        }
    }
}

// Pops the next entry with a live ray. Returns false when the set's traversal is complete.
HWY_INLINE bool take_next(RaySet& set) {
    // Skip entries whose rays are all blocked by now.
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

// One step at a node or a leaf block, not at a placement; does not pop.
template <bool kIsAny, bool kIsPlaced>
HWY_INLINE void step_set_in_tree(const TraceScene& scene, RaySet& set, TraceCounters& counters) {
    const u32 count = static_cast<u32>(std::popcount(set.going));
    if ((set.at & kRefKind) == kRefNode) {
        const BvhNode& node = scene.bvh.nodes[set.at];
        count_visit(node, count, counters);
        counters.lanes_issued += kSetRays;
        counters.lanes_active += count;
        step_set_node<kIsAny, kIsPlaced>(node, set);
    } else if ((set.at & kRefKind) == kRefLeaf) [[likely]] {
        note_fetch_of(scene.bvh, set.at);
        counters.leaf_tests += count;
        step_set_block<kIsAny, kIsPlaced>(scene, scene.bvh.blocks[set.at & kRefIndex], set);
    } else {
        step_set_page(scene, set);
    }
}

#    endif

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
