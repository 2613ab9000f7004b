// trace_row-inl.h — the traversal functions as one row of the kernel table, for closest or any
// hits.
//
// At 32 lanes groups and walks are packets: the emulated device has one ray per lane. Included by
// kernels/trace_*.cpp, which are called through trace_table.cpp; pure but for the rays and sums
// named, any thread over distinct rays.
#if defined(WEFT_SHADERS_TRACE_ROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_TRACE_ROW_INL_H_
#        undef WEFT_SHADERS_TRACE_ROW_INL_H_
#    else
#        define WEFT_SHADERS_TRACE_ROW_INL_H_
#    endif

#    include "shaders/traverse/lane_visit-inl.h"
#    include "shaders/traverse/packet-inl.h"
#    include "shaders/traverse/set_walk-inl.h"
#    include "shaders/traverse/trace_rows.h"
#    include "shaders/traverse/traverse-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

template <bool kIsAny>
void trace_packet(const TraceScene& scene,
                  u32 ref,
                  TraceRay* rays,
                  const u32* ids,
                  u32 count,
                  TraceCounters& counters) {
    // Only groups of the device count the branches of lanes.
    run_packets<kIsAny>({scene, ref, rays, counters, nullptr}, ids, count);
}

template <bool kIsAny>
void trace_group(const TraceScene& scene,
                 u32 ref,
                 TraceRay* rays,
                 const u32* ids,
                 u32 count,
                 TraceCounters& counters) {
#    ifdef WEFT_WIDE_LANES
    run_packets<kIsAny>({scene, ref, rays, counters, &counters.divergence}, ids, count);
#    else
    run_group<kIsAny>(scene, ref, rays, ids, count, counters);
#    endif
}

inline void trace_visit(const TraceScene& scene,
                        const DecodedNode& node,
                        TraceRay* rays,
                        const u32* ids,
                        u32 count,
                        ChildLists& children,
                        TraceCounters& counters) {
#    ifdef WEFT_WIDE_LANES
    visit_lanes(scene, node, rays, ids, count, children, counters);
#    else
    visit_octant(scene, node, rays, ids, count, children, counters);
#    endif
}

template <bool kIsAny>
void trace_walk(const TraceScene& scene,
                u32 ref,
                [[maybe_unused]] u32 octant,
                TraceRay* rays,
                const u32* ids,
                u32 count,
                TraceCounters& counters) {
#    ifdef WEFT_WIDE_LANES
    run_packets<kIsAny>({scene, ref, rays, counters, &counters.divergence}, ids, count);
#    else
    walk_sets<kIsAny>(scene, ref, octant, rays, ids, count, counters);
#    endif
}

template <bool kIsAny>
void trace_placed(const TraceScene& scene,
                  u32 placement,
                  u32 ref,
                  TraceRay* rays,
                  const u32* ids,
                  u32 count,
                  TraceCounters& counters) {
#    ifdef WEFT_WIDE_LANES
    // Packets enter the only placement of a tree whose mesh begins at `ref`.
    Placement only = scene.bvh.placements[placement];
    only.root = ref;
    TraceScene inner = scene;
    inner.bvh.placements = &only;
    run_packets<kIsAny>({inner, kRefInstance, rays, counters, &counters.divergence}, ids, count);
#    else
    walk_placed<kIsAny>(scene, placement, ref, rays, ids, count, counters);
#    endif
}

template <bool kIsAny>
TraceRow trace_row() {
    return {&trace_group<kIsAny>,
            &trace_packet<kIsAny>,
            &trace_visit,
            &trace_walk<kIsAny>,
            &trace_placed<kIsAny>};
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
