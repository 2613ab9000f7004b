// fetch_trace.h — reports each read of the tree by traversal kernels to a listener, in counting
// builds only.
//
// A counting build (CMake preset `counting`, WEFT_COUNTING) checks for a listener of this thread at
// every fetch. In other builds these functions are empty and cost nothing. engine/bench listens, to
// simulate caches. One thread per listener.
#pragma once

#include "scheduler/base/ids.h"
#include "shaders/traverse/bvh_view.h"

namespace weft::shaders {

#ifdef WEFT_COUNTING
inline constexpr bool kIsCounting = true;
#else
inline constexpr bool kIsCounting = false;
#endif

struct FetchListener {
    void (*fetched)(void* context, const void* data, u32 size_bytes);
    void* context;
};

// The listener of this thread, or null. Kernels read it in counting builds.
inline thread_local const FetchListener* fetch_listener = nullptr;

inline void note_fetch(const void* data, u32 size_bytes) {
    if constexpr (kIsCounting) {
        if (fetch_listener) {
            fetch_listener->fetched(fetch_listener->context, data, size_bytes);
        }
    }
}

// Reports the node, block or placement of `ref`.
inline void note_fetch_of(const BvhView& bvh, u32 ref) {
    if constexpr (kIsCounting) {
        const u32 index = ref & kRefIndex;
        switch (ref & kRefKind) {
            case kRefNode:
                note_fetch(bvh.nodes + index, sizeof(BvhNode));
                break;
            case kRefLeaf:
                note_fetch(bvh.blocks + index, sizeof(LeafBlock));
                break;
            case kRefInstance:
                note_fetch(bvh.placements + index, sizeof(Placement));
                break;
            default:
                note_fetch(bvh.page_roots + index, sizeof(PageRoot));
        }
    }
}

}  // namespace weft::shaders
