// decoded_node.h — a node decoded for visits by rays of one octant: its children in use, sorted in
// the order in which a stack takes them.
//
// A visit of a keyed list (trace_kernels.h) reads a decoded node, so that it sorts nothing. Callers
// decode a node once and may keep it while the tree lives; clusters keep them in their software
// cache. Pure; any thread.
#pragma once

#include "scheduler/base/ids.h"
#include "shaders/traverse/bvh_view.h"

namespace weft::shaders {

// Children in order; places from child_count on are empty: low = +infinity, high = −infinity,
// child = kRefEmpty. 256 B.
struct alignas(64) DecodedNode {
    float bounds[3][2][8];  // as in BvhNode: [axis][0 = low, 1 = high][child]
    u32 child[8];
    u32 child_count;
    u32 octant;  // of the rays that it was decoded for
    u32 reserved[6];
};

static_assert(sizeof(DecodedNode) == 256);

// Fills node.order: for each octant of directions (bit k is set where component k is negative) the
// indices of the children from far to near.
void order_children(BvhNode& node);

// Sorts the children far to near, or, for any-hit rays, from the last to the first. Requires
// order_children(node).
void decode_node(const BvhNode& node, u32 octant, bool is_any, DecodedNode& out);

}  // namespace weft::shaders
