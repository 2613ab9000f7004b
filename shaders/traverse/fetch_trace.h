// fetch_trace.h — what traversal kernels read of the tree, told to a listener: in counting builds
// only.
//
// A counting build (CMake preset `counting`, WEFT_COUNTING) asks on every fetch whether somebody
// listens on this thread; any other build has empty functions here and pays nothing. engine/bench
// listens, to simulate caches. One thread per listener.
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

// Of this thread; null: nobody listens. Kernels look at it in counting builds.
inline thread_local const FetchListener* fetch_listener = nullptr;

inline void note_fetch(const void* data, u32 size_bytes) {
    if constexpr (kIsCounting) {
        if (fetch_listener) {
            fetch_listener->fetched(fetch_listener->context, data, size_bytes);
        }
    }
}

// A node, a block or a placement that `ref` names.
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
            default:
                note_fetch(bvh.placements + index, sizeof(Placement));
        }
    }
}

}  // namespace weft::shaders
