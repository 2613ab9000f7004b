// trace_any.cpp — any-hit traversal for every instruction set: whether anything blocks each shadow
// ray, and what tints it. Called through trace_table.cpp; pure but for the rays and sums named, any
// thread over distinct rays.
#include "shaders/trace_rows.h"
#include "shaders/width.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "shaders/kernels/trace_any.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "shaders/lane_visit-inl.h"
#include "shaders/set_walk-inl.h"
#include "shaders/packet-inl.h"
#include "shaders/traverse-inl.h"
// clang-format on

#if WEFT_HAS_SSE4 || HWY_TARGET != HWY_SSE4

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

void any_packet(const TraceScene& scene,
                u32 ref,
                TraceRay* rays,
                const u32* ids,
                u32 count,
                TraceCounters& counters) {
    run_packets<true>(scene, ref, rays, ids, count, counters);
}

void any_group(const TraceScene& scene,
               u32 ref,
               TraceRay* rays,
               const u32* ids,
               u32 count,
               TraceCounters& counters) {
    if constexpr (kIsDevice) {
        run_packets<true>(scene, ref, rays, ids, count, counters);
    } else {
        run_group<true>(scene, ref, rays, ids, count, counters);
    }
}

void any_visit(const TraceScene& scene,
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

void any_walk(const TraceScene& scene,
              u32 ref,
              u32 octant,
              TraceRay* rays,
              const u32* ids,
              u32 count,
              TraceCounters& counters) {
#    ifdef WEFT_WIDE_LANES
    static_cast<void>(octant);
    run_packets<true>(scene, ref, rays, ids, count, counters);
#    else
    walk_sets<true>(scene, ref, octant, rays, ids, count, counters);
#    endif
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif

#if HWY_ONCE
namespace weft::shaders::WEFT_WIDTH {

TraceRow any_row([[maybe_unused]] Isa isa) {
#    if (HWY_TARGETS & HWY_AVX3)
    if (isa == Isa::Avx512) {
        return {&N_AVX3::any_group, &N_AVX3::any_packet, &N_AVX3::any_visit, &N_AVX3::any_walk};
    }
#    endif
#    if (HWY_TARGETS & HWY_AVX2)
    if (isa == Isa::Avx2) {
        return {&N_AVX2::any_group, &N_AVX2::any_packet, &N_AVX2::any_visit, &N_AVX2::any_walk};
    }
#    endif
#    if (HWY_TARGETS & HWY_SSE4) && WEFT_HAS_SSE4
    if (isa == Isa::Sse4) {
        return {&N_SSE4::any_group, &N_SSE4::any_packet, &N_SSE4::any_visit, &N_SSE4::any_walk};
    }
#    endif
    return {};
}

}  // namespace weft::shaders::WEFT_WIDTH
#endif
