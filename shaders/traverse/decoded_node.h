// decoded_node.h — a node of the tree unpacked for visits: its children in use, in the order in
// which a list of rays of one octant should go to them.
//
// A visit of a keyed list (trace_kernels.h) takes one of these, so that it sorts nothing; whoever
// visits decodes a node once and may keep it as long as the tree lives (a cluster's cache does).
// Pure; any thread.
#pragma once

#include "scheduler/base/ids.h"
#include "shaders/traverse/bvh_view.h"

namespace weft::shaders {

// Children far to near; places from child_count on are empty: low = +infinity, high = −infinity,
// child = kRefEmpty. 256 B.
struct alignas(64) DecodedNode {
    float bounds[3][2][8];  // as in BvhNode: [axis][0 = low, 1 = high][child]
    u32 child[8];
    u32 child_count;
    u32 octant;  // that it was decoded for
    u32 reserved[6];
};

static_assert(sizeof(DecodedNode) == 256);

// Writes into node.order[octant], for each octant of directions (bit k is set where direction k is
// negative), in which order a list should go to the children: bits 3c .. 3c + 2 are the place of
// the c-th, far to near; bits 24 and up how many there are.
void order_children(BvhNode& node);

inline constexpr u32 kOrderCount = 24;

// The node's order must be set.
void decode_node(const BvhNode& node, u32 octant, DecodedNode& out);

}  // namespace weft::shaders
