#include "engine/accel/layout.h"

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

}  // namespace

Laid TriangleWriter::write_leaf(const SplitNode& leaf, u32 block) const {
    const scene::Scene& scene = *config_.scene;
    // Start with an empty block.
    shaders::LeafBlock& out = config_.blocks[block];
    out = {};
    Laid laid;
    laid.ref = shaders::kRefLeaf | block;
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
    return laid;
}

Laid ReferenceWriter::write_leaf(const SplitNode& leaf, u32 /*block*/) const {
    ENSURE(leaf.item_count, ==, 1u);
    return laid_[leaf.item[0].index];
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
    return join_children({laid.data(), tree.child_count}, place.node, nodes);
}

}  // namespace weft::accel
