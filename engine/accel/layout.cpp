#include "engine/accel/layout.h"

#include <algorithm>
#include <array>

#include <tbb/task_group.h>

#include "scheduler/base/ensure.h"
#include "shaders/traverse/decoded_node.h"

namespace weft::accel {

namespace {

// Subtrees with more leaves are tasks of their own.
constexpr u64 kLeavesPerTask = 4096;

void clear_node(shaders::BvhNode& node) {
    for (u32 child = 0; child < kMaxChildren; ++child) {
        for (u32 axis = 0; axis < 3; ++axis) {
            node.bounds[axis][0][child] = __builtin_huge_valf();
            node.bounds[axis][1][child] = -__builtin_huge_valf();
        }
        node.child[child] = shaders::kRefEmpty;
    }
}

float area_of(const Corners& corners) {
    const auto cross = math::cross(corners[1] - corners[0], corners[2] - corners[0]);
    return 0.5F * math::length(cross);
}

bool blocks_sooner(const Laid& one, const Laid& other) {
    return one.blocking * other.cost > other.blocking * one.cost;
}

// Computes `blocking` and `cost` of a node over children that are visited in order. A random ray
// through a box enters a box in it with the ratio of their surfaces.
void sum_blocking(std::span<const Laid> laid, Laid& whole) {
    const float surface = half_surface(whole.box);
    float passing = 1;
    whole.cost = 1;
    for (const Laid& child : laid) {
        const float entered =
            surface > 0 ? std::min(half_surface(child.box) / surface, 1.0F) : 1.0F;
        whole.cost += passing * entered * child.cost;
        passing *= 1 - entered * child.blocking;
    }
    whole.blocking = 1 - passing;
}

}  // namespace

Laid TriangleWriter::write_leaf(const SplitNode& leaf, u32 block) const {
    const scene::Scene& scene = *config_.scene;
    // Start with an empty block.
    shaders::LeafBlock& out = config_.blocks[block];
    out = {};
    Laid laid;
    laid.ref = shaders::kRefLeaf | block;
    float area = 0;
    for (u32 k = 0; k < kMaxLeafItems; ++k) {
        // Spare places repeat the first triangle.
        const bool is_used = k < leaf.item_count;
        const SplitItem& item = leaf.item[is_used ? k : 0];
        const Corners corners = config_.is_world ? world_corners(scene, item.owner, item.index)
                                                 : object_corners(scene, item.owner, item.index);
        // Store the corners, transposed.
        for (u32 corner = 0; corner < 3; ++corner) {
            for (u32 axis = 0; axis < 3; ++axis) {
                out.vertex[corner][axis][k] = corners[corner][axis];
            }
        }
        // Grow the box, and store margin and numbers.
        laid.box.include(bounds_of(corners));
        area += is_used ? area_of(corners) : 0;
        out.margin[k] = margin_exponent(corners);
        out.primitive[k] = item.index;
        out.instance[k] = config_.is_world ? item.owner : kNone;
        // Mark the place as used, and as flagged where traversal must ask about hits.
        if (is_used) {
            const bool is_flagged = config_.is_world
                                        ? must_flag(scene, *config_.is_instance_flagged, item.owner)
                                        : config_.is_flagged;
            out.flags |= 0x100u << k | (is_flagged ? 1u << k : 0u);
        }
    }
    // A random ray through a convex box of surface S hits triangles of area A in it 2·A / S times.
    const float surface = half_surface(laid.box);
    laid.blocking = surface > 0 ? std::min(area / surface, 1.0F) : 0.5F;
    return laid;
}

Laid ReferenceWriter::write_leaf(const SplitNode& leaf, u32 /*block*/) const {
    ENSURE(leaf.item_count, ==, 1u);
    return laid_[leaf.item[0].index];
}

Laid laid_placement(u32 placement, const Box& box, const Laid& mesh) {
    // Entering it is a step of its own.
    return {shaders::kRefInstance | placement, box, mesh.blocking, mesh.cost + 1};
}

Laid join_children(std::span<const Laid> laid, u32 index, shaders::BvhNode* nodes) {
    // Write the boxes and references of the children.
    shaders::BvhNode& node = nodes[index];
    clear_node(node);
    Laid whole;
    whole.ref = shaders::kRefNode | index;
    for (std::size_t c = 0; c < laid.size(); ++c) {
        for (u32 axis = 0; axis < 3; ++axis) {
            node.bounds[axis][0][c] = laid[c].box.low[axis];
            node.bounds[axis][1][c] = laid[c].box.high[axis];
        }
        node.child[c] = laid[c].ref;
        whole.box.include(laid[c].box);
    }
    // Precompute the order of the children for each octant.
    shaders::order_children(node);
    sum_blocking(laid, whole);
    return whole;
}

Laid lay_out(const SplitNode& tree,
             Place place,
             shaders::BvhNode* nodes,
             const LeafWriter& writer) {
    // A leaf is one block or reference.
    if (tree.child_count == 0) {
        return writer.write_leaf(tree, place.block);
    }
    // Write the children's subtrees one after another behind this node.
    std::array<Laid, kMaxChildren> laid;
    tbb::task_group tasks;
    Place next = {place.node + 1, place.block};
    for (u32 c = 0; c < tree.child_count; ++c) {
        const SplitNode& child = *tree.child[c];
        const auto write = [&laid, &child, &writer, next, nodes, c] {
            laid[c] = lay_out(child, next, nodes, writer);
        };
        if (child.leaf_count > kLeavesPerTask) {
            tasks.run(write);
        } else {
            write();
        }
        next.node += static_cast<u32>(child.node_count);
        next.block += static_cast<u32>(child.leaf_count);
    }
    tasks.wait();
    // Write the node.
    std::stable_sort(laid.begin(), laid.begin() + tree.child_count, blocks_sooner);
    return join_children({laid.data(), tree.child_count}, place.node, nodes);
}

}  // namespace weft::accel
