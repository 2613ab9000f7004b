// lane_visit-inl.h — one visit of a keyed list: tests a node's children against all rays of the
// list, and builds the lists of the children.
//
// One ray per lane: each child's box is tested by all lanes at once, and the rays that hit it are
// appended to the child's list. On the CPU a list holds rays of one octant, so all share the near
// side of each box. On the emulated device rays may be of any octant, and each child is one branch
// of all lanes. Barringer and Akenine-Möller, "Dynamic Ray Stream Traversal", 2014. Included by
// traversal kernels; writes the caller's lists.
#if defined(WEFT_SHADERS_LANE_VISIT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_LANE_VISIT_INL_H_
#        undef WEFT_SHADERS_LANE_VISIT_INL_H_
#    else
#        define WEFT_SHADERS_LANE_VISIT_INL_H_
#    endif

#    include <algorithm>
#    include <bit>

#    include "shaders/lanes/pack-inl.h"
#    include "shaders/lanes/quads-inl.h"
#    include "shaders/traverse/packet-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Rays of any class, prepared for slab tests.
struct LaneSlabs {
    Float near_origin[3];
    Float far_origin[3];
    Float reciprocal[3];
    Bool is_negative[3];
};

HWY_INLINE LaneSlabs prepare_lane_slabs(const LaneRays& rays) {
    const Float size = max(max(abs(rays.origin[0]), abs(rays.origin[1])), abs(rays.origin[2]));
    LaneSlabs s;
    for (u32 k = 0; k < 3; ++k) {
        const Float along = copy_sign(size * Float(0x1p-20f), rays.reciprocal[k]);
        s.near_origin[k] = rays.origin[k] + along;
        s.far_origin[k] = rays.origin[k] - along;
        s.reciprocal[k] = rays.reciprocal[k];
        s.is_negative[k] = rays.reciprocal[k] < Float(0.0f);
    }
    return s;
}

HWY_INLINE LaneInterval child_interval(const DecodedNode& node,
                                       u32 child,
                                       const LaneSlabs& s,
                                       Float t) {
    LaneInterval i = {0.0f, t};
    for (u32 k = 0; k < 3; ++k) {
        const Float low = node.bounds[k][0][child];
        const Float high = node.bounds[k][1][child];
        const Float enter = select(s.is_negative[k], high, low) - s.near_origin[k];
        const Float leave = select(s.is_negative[k], low, high) - s.far_origin[k];
        i.near = max(i.near, enter * s.reciprocal[k]);
        i.far = min(i.far, leave * s.reciprocal[k]);
    }
    return i;
}

// Blocked shadow rays have t = −1 and so hit no box.
#    ifndef WEFT_WIDE_LANES
HWY_INLINE u32 whole_lanes(u32 count) {
    return (count + kLanes - 1) / kLanes * kLanes;
}

// A node for a list of one octant: list c belongs to child `order >> 3 * c & 7`.
struct NodeBoxes {
    const float (&bounds)[3][2][8];
    u32 order;
    u32 child_count;
    u32 octant;
};

// Builds the children's lists; all rays are of the node's octant.
HWY_INLINE void visit_boxes(
    const NodeBoxes& node, const TraceRay* rays, const u32* ids, u32 count, ChildLists& children) {
    constexpr u32 kAhead = 2 * kLanes;
    constexpr u32 kRayWords = sizeof(TraceRay) / 4;
    const u32* const words = reinterpret_cast<const u32*>(rays);
    std::fill_n(children.count, 8, 0u);
    const u32 near_row[3] = {node.octant & 1, node.octant >> 1 & 1, node.octant >> 2 & 1};
    for (u32 first = 0; first < count; first += kLanes) {
        // Take the next rays, one per lane; prefetch later ones.
        const u32 size = std::min(count - first, kLanes);
        alignas(64) u32 slot[kLanes];
        alignas(64) u32 at[kLanes];
        for (u32 k = 0; k < kLanes; ++k) {
            slot[k] = ids[first + (k < size ? k : 0)];
            at[k] = slot[k] * kRayWords;
        }
        for (u32 k = first + kAhead; k < std::min(count, first + kAhead + kLanes); ++k) {
            prefetch_lines(&rays[ids[k]], 1);
        }
        // Load their origins, t and reciprocals.
        const QuadLanes from = load_quad(words + offsetof(TraceRay, origin) / 4, at);
        const QuadLanes over = load_quad(words + offsetof(TraceRay, reciprocal) / 4, at);
        const Float3 o = first_three(from);
        const Float3 r = first_three(over);
        const Float origin[3] = {o.x, o.y, o.z};
        const Float reciprocal[3] = {r.x, r.y, r.z};
        const Float t = bits_to_float(from.d);
        // Move the origins outwards for slab tests.
        const Float margin = max(max(abs(o.x), abs(o.y)), abs(o.z)) * Float(0x1p-20f);
        Float near_origin[3];
        Float far_origin[3];
        for (u32 k = 0; k < 3; ++k) {
            const Float along = copy_sign(margin, reciprocal[k]);
            near_origin[k] = origin[k] + along;
            far_origin[k] = origin[k] - along;
        }
        // Test each child by all lanes.
        const Uint slots = load(slot);
        const u32 used = ~0u >> (32 - size);
        u32 order = node.order;
        for (u32 c = 0; c < node.child_count; ++c, order >>= 3) {
            const u32 child = order & 7;
            Float near = 0.0f;
            Float far = t;
            for (u32 k = 0; k < 3; ++k) {
                const Float enter = Float(node.bounds[k][near_row[k]][child]) - near_origin[k];
                const Float leave = Float(node.bounds[k][1 - near_row[k]][child]) - far_origin[k];
                near = max(near, enter * reciprocal[k]);
                far = min(far, leave * reciprocal[k]);
            }
            // Append the rays that hit it to its list.
            const u32 lanes = bits_of(near <= far) & used;
            const Bool where = Bool::of_bits(lanes);
            const u32 place = children.count[c];
            const Packing packing(UintTag(), hn::RebindMask(UintTag(), where.m));
            hn::StoreU(packing.packed(slots.v), UintTag(), children.ids[c] + place);
            const auto entries = packing.packed(float_to_bits(near).v);
            hn::StoreU(hn::BitCast(FloatTag(), entries), FloatTag(), children.entry[c] + place);
            children.count[c] = place + static_cast<u32>(std::popcount(lanes));
        }
    }
}

// A visit on the CPU: a decoded node and rays of its octant.
HWY_INLINE void visit_octant(const TraceScene& scene,
                             const DecodedNode& node,
                             const TraceRay* rays,
                             const u32* ids,
                             u32 count,
                             ChildLists& children,
                             TraceCounters& counters) {
    constexpr u32 kInOrder = 076543210;
    visit_boxes({node.bounds, kInOrder, node.child_count, node.octant}, rays, ids, count, children);
    for (u32 c = 0; c < node.child_count; ++c) {
        if (children.count[c] != 0) {
            prefetch_ref(scene.bvh, node.child[c]);
        }
    }
    count_visit(node, count, counters);
    counters.lanes_issued += whole_lanes(count);
    counters.lanes_active += count;
}
#    endif

// A visit on the emulated device: rays of any octant.
HWY_INLINE void visit_lanes(const TraceScene& scene,
                            const DecodedNode& node,
                            TraceRay* rays,
                            const u32* ids,
                            u32 count,
                            ChildLists& children,
                            TraceCounters& counters) {
    const Lockstep lockstep(counters.divergence);
    u32 counts[8] = {};
    // Test kLanes rays at a time against each child.
    for (u32 first = 0; first < count; first += kLanes) {
        const u32 size = std::min(count - first, kLanes);
        u32 slot[kLanes];
        for (u32 k = 0; k < kLanes; ++k) {
            slot[k] = ids[first + (k < size ? k : 0)];
        }
        const LoadedRays loaded = load_rays<false>(rays, slot);
        const LaneSlabs slabs = prepare_lane_slabs(loaded.lanes);
        for (u32 child = 0; child < node.child_count; ++child) {
            const LaneInterval i = child_interval(node, child, slabs, loaded.t);
            // Append the rays that hit it to the child's list.
            u32 lanes = branch(i.near <= i.far, ~0u >> (32 - size));
            float entry[kLanes];
            store(i.near, entry);
            for (; lanes != 0; lanes &= lanes - 1) {
                const u32 lane = static_cast<u32>(std::countr_zero(lanes));
                const u32 place = counts[child]++;
                children.ids[child][place] = slot[lane];
                children.entry[child][place] = entry[lane];
            }
        }
        counters.lanes_issued += kLanes;
        counters.lanes_active += size;
    }
    // Store the counts and prefetch children with rays.
    for (u32 child = 0; child < 8; ++child) {
        children.count[child] = counts[child];
        if (counts[child] != 0) {
            prefetch_ref(scene.bvh, node.child[child]);
        }
    }
    count_visit(node, count, counters);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
