// traverse-inl.h — traversal of single rays, and of groups of interleaved fibres.
//
// Included by the traversal kernels once per instruction set (foreach_target). In a group each live
// fibre takes one step (fibre-inl.h), prefetches the memory of its next step and yields to the next
// fibre, so that the cache misses of many rays overlap (Kocberber et al., "Asynchronous Memory
// Access Chaining", VLDB 2015). The choice of kernel changes no hit.
#if defined(SHADERS_TRAVERSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef SHADERS_TRAVERSE_INL_H_
#        undef SHADERS_TRAVERSE_INL_H_
#    else
#        define SHADERS_TRAVERSE_INL_H_
#    endif

#    include <algorithm>
#    include <bit>

#    include "hwy/highway.h"
#    include "shaders/traverse/fibre-inl.h"
#    include "shaders/traverse/trace_kernels.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Fibres in flight per group: 24 was 3 to 8 % faster than 8 and 12; 32 was no faster.
inline constexpr u32 kGroupSize = 24;

// Traverses from `ref` with one ray.
template <bool kIsAny>
HWY_NOINLINE void run_single(
    const TraceScene& scene, u32 ref, TraceRay& ray, u32 slot, TraceCounters& counters) {
    Fibre fibre;
    open_fibre(fibre, ray, slot, ref);
    while (step<kIsAny>(scene, fibre, true, counters)) {
    }
}

// Traverses from `ref` with kGroupSize rays in flight.
template <bool kIsAny>
HWY_NOINLINE void run_interleaved(const TraceScene& scene,
                                  u32 ref,
                                  TraceRay* rays,
                                  const u32* ids,
                                  u32 count,
                                  TraceCounters& counters) {
    Fibre fibres[kGroupSize];
    Fibre* live[kGroupSize];
    u32 live_count = std::min(count, kGroupSize);
    for (u32 k = 0; k < live_count; ++k) {
        live[k] = &fibres[k];
        open_fibre(fibres[k], rays[ids[k]], ids[k], ref);
    }
    // Step the live fibres in turn; a finished one starts the next ray, or leaves.
    u32 next = live_count;
    while (live_count != 0) {
        counters.lanes_issued += kGroupSize;
        counters.lanes_active += live_count;
        for (u32 k = 0; k < live_count;) {
            Fibre& fibre = *live[k];
            if (step<kIsAny>(scene, fibre, false, counters)) {
                prefetch_ref(scene.bvh, fibre.ref);
                ++k;
            } else if (next != count) {
                open_fibre(fibre, rays[ids[next]], ids[next], ref);
                ++next;
                if (next != count) {
                    prefetch_lines(&rays[ids[next]], 1);
                }
                ++k;
            } else {
                std::swap(live[k], live[--live_count]);
            }
        }
    }
}

template <bool kIsAny>
void run_group(const TraceScene& scene,
               u32 ref,
               TraceRay* rays,
               const u32* ids,
               u32 count,
               TraceCounters& counters) {
    if (ref == kRefEmpty || count == 0) {
        return;
    }
    TraceCounters counted;
    if (count == 1) {
        run_single<kIsAny>(scene, ref, rays[ids[0]], ids[0], counted);
        counted.lanes_issued = 1;
        counted.lanes_active = 1;
    } else {
        run_interleaved<kIsAny>(scene, ref, rays, ids, count, counted);
    }
    counters.node_visits += counted.node_tests;
    counters.node_tests += counted.node_tests;
    counters.leaf_tests += counted.leaf_tests;
    counters.lanes_issued += counted.lanes_issued;
    counters.lanes_active += counted.lanes_active;
}

// Counts one visit of a node (BvhNode or DecodedNode) by `ray_count` rays.
template <typename Node>
HWY_INLINE void count_visit(const Node& node, u32 ray_count, TraceCounters& counters) {
    note_fetch(&node, sizeof(node));
    ++counters.node_visits;
    counters.node_tests += ray_count;
    counters.rays_in_lists += ray_count > 1 ? ray_count : 0;
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
