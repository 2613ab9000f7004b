// traverse-inl.h — traversal of the tree: groups of interleaved fibres, and one visit of a keyed
// list.
//
// Included by the traversal kernels once per instruction set (foreach_target). In a group every
// live fibre takes one step (fibre-inl.h), asks for the next one's memory and gives way to its
// neighbour, so that memory is waited for by many rays at once (Kocberber et al., "Asynchronous
// Memory Access Chaining", VLDB 2015). A visit tests one node against a list of rays and makes the
// children's lists (Barringer and Akenine-Möller, "Dynamic Ray Stream Traversal", 2014). Which of
// the two runs changes no hit.
#if defined(SHADERS_TRAVERSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef SHADERS_TRAVERSE_INL_H_
#        undef SHADERS_TRAVERSE_INL_H_
#    else
#        define SHADERS_TRAVERSE_INL_H_
#    endif

#    include <algorithm>
#    include <bit>

#    include "hwy/highway.h"
#    include "shaders/fibre-inl.h"
#    include "shaders/trace_kernels.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Fibres in flight per group: 24 was 3 to 8 % faster than 8 and 12, and 32 was no faster still.
inline constexpr u32 kGroupSize = 24;

template <bool kIsAny>
HWY_NOINLINE void run_single(
    const TraceScene& scene, u32 ref, TraceRay& ray, u32 slot, TraceCounters& counters) {
    Fibre fibre;
    open_fibre(fibre, ray, slot, ref);
    while (step<kIsAny>(scene, fibre, true, counters)) {
    }
}

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

// Hands the lists of a visit over, and asks for the memory of the children that got one.
HWY_INLINE void close_lists(const BvhView& bvh,
                            const DecodedNode& node,
                            const u32 counts[8],
                            u32 ray_count,
                            ChildLists& children,
                            TraceCounters& counters) {
    for (u32 child = 0; child < 8; ++child) {
        children.count[child] = counts[child];
        if (counts[child] != 0) {
            prefetch_ref(bvh, node.child[child]);
        }
    }
    ++counters.node_visits;
    counters.node_tests += ray_count;
    counters.rays_in_lists += ray_count > 1 ? ray_count : 0;
}

// Blocked shadow rays have t = −1 and so meet no box.
HWY_INLINE void visit_list(const TraceScene& scene,
                           const DecodedNode& node,
                           TraceRay* rays,
                           const u32* ids,
                           u32 count,
                           ChildLists& children,
                           TraceCounters& counters) {
    constexpr u32 kAhead = 8;
    u32 counts[8] = {};
    for (u32 k = 0; k < count; ++k) {
        if (k + kAhead < count) {
            prefetch_lines(&rays[ids[k + kAhead]], 1);
        }
        const TraceRay& ray = rays[ids[k]];
        SlabRay slabs;
        prepare_slabs(ray, slabs);
        alignas(32) float entry[8];
        u32 hits = hit_children(node.bounds, slabs, ray.t, entry);
        for (; hits != 0; hits &= hits - 1) {
            const u32 child = static_cast<u32>(std::countr_zero(hits));
            const u32 place = counts[child]++;
            children.ids[child][place] = ids[k];
            children.entry[child][place] = entry[child];
        }
    }
    close_lists(scene.bvh, node, counts, count, children, counters);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
