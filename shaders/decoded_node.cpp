// decoded_node.cpp — see decoded_node.h.
#include "shaders/decoded_node.h"

#include <limits>

namespace weft::shaders {

namespace {

// How far along the octant's diagonal the box begins: the sum of the coordinates of the corner that
// faces the rays.
float distance_of(const BvhNode& node, u32 octant, u32 child) {
    float distance = 0;
    for (u32 axis = 0; axis < 3; ++axis) {
        const bool is_negative = (octant >> axis & 1) != 0;
        distance += is_negative ? -node.bounds[axis][1][child] : node.bounds[axis][0][child];
    }
    return distance;
}

}  // namespace

void decode_node(const BvhNode& node, u32 octant, DecodedNode& out) {
    // Insertion sort, far to near; equals stay in the node's order.
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

    out = {};
    out.child_count = count;
    for (u32 k = 0; k < 8; ++k) {
        out.child[k] = k < count ? node.child[order[k]] : kRefEmpty;
        for (u32 axis = 0; axis < 3; ++axis) {
            constexpr float kInfinity = std::numeric_limits<float>::infinity();
            out.bounds[axis][0][k] = k < count ? node.bounds[axis][0][order[k]] : kInfinity;
            out.bounds[axis][1][k] = k < count ? node.bounds[axis][1][order[k]] : -kInfinity;
        }
    }
}

}  // namespace weft::shaders
