// lane_visit-inl.h — one visit of a keyed list on the emulated device: one node against 32 rays at
// a time.
//
// Does what visit_list (traverse-inl.h) does, with the rays in lanes instead of the children: each
// child is one branch of all lanes. Rays may be of any octant. Included by traversal kernels;
// writes the caller's lists.
#if defined(WEFT_SHADERS_LANE_VISIT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_LANE_VISIT_INL_H_
#        undef WEFT_SHADERS_LANE_VISIT_INL_H_
#    else
#        define WEFT_SHADERS_LANE_VISIT_INL_H_
#    endif

#    include <algorithm>
#    include <bit>

#    include "shaders/packet-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Rays of any class as boxes see them.
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

HWY_INLINE void visit_lanes(const TraceScene& scene,
                            const DecodedNode& node,
                            TraceRay* rays,
                            const u32* ids,
                            u32 count,
                            ChildLists& children,
                            TraceCounters& counters) {
    const Lockstep lockstep(counters.divergence);
    u32 counts[8] = {};
    for (u32 first = 0; first < count; first += kLanes) {
        const u32 size = std::min(count - first, kLanes);
        u32 slot[kLanes];
        for (u32 k = 0; k < kLanes; ++k) {
            slot[k] = ids[first + (k < size ? k : 0)];
        }
        const Uint slots = load(slot);
        const LaneSlabs slabs = prepare_lane_slabs(load_lane_rays(rays, slots));
        const Float t = read_float(records_of(rays, slots), offsetof(TraceRay, t));
        for (u32 child = 0; child < node.child_count; ++child) {
            const LaneInterval i = child_interval(node, child, slabs, t);
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
    close_lists(scene.bvh, node, counts, count, children, counters);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
