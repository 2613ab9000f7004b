// decoded_node.cpp — see decoded_node.h.
#include "shaders/traverse/decoded_node.h"

#include <limits>

#include "shaders/traverse/fetch_trace.h"

namespace weft::shaders {

namespace {

// Where the box begins along the octant's diagonal: the sum of the coordinates of the corner that
// faces the rays.
float distance_of(const BvhNode& node, u32 octant, u32 child) {
    float distance = 0;
    for (u32 axis = 0; axis < 3; ++axis) {
        const bool is_negative = (octant >> axis & 1) != 0;
        distance += is_negative ? -node.bounds[axis][1][child] : node.bounds[axis][0][child];
    }
    return distance;
}

// Insertion sort, far to near; stable.
u32 order_of(const BvhNode& node, u32 octant) {
    float distance[8];
    u32 order[8];
    u32 count = 0;
    for (u32 child = 0; child < 8; ++child) {
        if (node.child[child] == kRefEmpty) {
            continue;
        }
        const float here = distance_of(node, octant, child);
        u32 place = count++;
        for (; place != 0 && distance[place - 1] < here; --place) {
            distance[place] = distance[place - 1];
            order[place] = order[place - 1];
        }
        distance[place] = here;
        order[place] = child;
    }
    u32 packed = count << kOrderCount;
    for (u32 k = 0; k < count; ++k) {
        packed |= order[k] << (3 * k);
    }
    return packed;
}

}  // namespace

void order_children(BvhNode& node) {
    for (u32 octant = 0; octant < 8; ++octant) {
        node.order[octant] = order_of(node, octant);
    }
}

void decode_node(const BvhNode& node, u32 octant, bool is_any, DecodedNode& out) {
    note_fetch(&node, sizeof(node));
    // Start with empty places.
    out = {};
    out.octant = octant;
    for (u32 k = 0; k < 8; ++k) {
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        out.child[k] = kRefEmpty;
        for (u32 axis = 0; axis < 3; ++axis) {
            out.bounds[axis][0][k] = kInfinity;
            out.bounds[axis][1][k] = -kInfinity;
        }
    }
    // Append the children in use.
    const u32 order = is_any ? kAnyOrder : node.order[octant];
    for (u32 c = 0; c < order >> kOrderCount; ++c) {
        const u32 child = order >> (3 * c) & 7;
        if (node.child[child] == kRefEmpty) {
            continue;
        }
        const u32 k = out.child_count++;
        out.child[k] = node.child[child];
        for (u32 axis = 0; axis < 3; ++axis) {
            out.bounds[axis][0][k] = node.bounds[axis][0][child];
            out.bounds[axis][1][k] = node.bounds[axis][1][child];
        }
    }
}

}  // namespace weft::shaders
