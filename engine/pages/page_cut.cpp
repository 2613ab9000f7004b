#include "engine/pages/page_cut.h"

#include <algorithm>
#include <limits>

#include "scheduler/base/ensure.h"

namespace weft::pages {

namespace {

constexpr Bounds kNowhere = [] {
    Bounds bounds{};
    for (auto& axis : bounds) {
        axis = {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
    }
    return bounds;
}();

void extend(std::array<float, 2>& axis, float low, float high) {
    axis[0] = std::min(axis[0], low);
    axis[1] = std::max(axis[1], high);
}

struct Measuring {
    const BuiltTree& tree;
    CutLimits limits;
    std::vector<SubtreeSize> sizes;

    [[nodiscard]] bool fits(const SubtreeSize& size) const {
        return padded_bytes(size.node_count, size.block_count) <= limits.page_bytes &&
               (limits.subtree_bytes == 0 ||
                plain_bytes(size.node_count, size.block_count) <= limits.subtree_bytes);
    }

    // Recurses as deep as the tree, at most kMaxTreeLevels.
    SubtreeSize measure(u32 ref) {
        if (ref == shaders::kRefEmpty) {
            return {0, 0, true};
        }
        switch (ref & shaders::kRefKind) {
            case shaders::kRefLeaf:
                return kBlockSize;
            case shaders::kRefNode:
                return measure_node(tree.nodes[ref]);
            default:
                return {0, 0, false};
        }
    }

    SubtreeSize measure_node(const shaders::BvhNode& node) {
        const u64 place = sizes.size();
        sizes.emplace_back();
        SubtreeSize sum = {1, 0, true};
        for (const u32 child : node.child) {
            const SubtreeSize part = measure(child);
            sum.node_count += part.node_count;
            sum.block_count += part.block_count;
            sum.is_page = sum.is_page && part.is_page;
        }
        sum.is_page = sum.is_page && fits(sum);
        if (sum.is_page) {
            sizes.resize(place + 1);
        }
        sizes[place] = sum;
        return sum;
    }
};

}  // namespace

u64 padded_bytes(u32 node_count, u32 block_count) {
    return PageEntry{0, 0, node_count, 0, block_count, 0}.size_bytes();
}

u64 plain_bytes(u32 node_count, u32 block_count) {
    return node_count * sizeof(shaders::BvhNode) + block_count * sizeof(shaders::LeafBlock);
}

std::vector<SubtreeSize> measure_subtrees(const BuiltTree& tree, const CutLimits& limits) {
    Measuring measuring{tree, limits, {}};
    measuring.measure(tree.root);
    return std::move(measuring.sizes);
}

Bounds child_bounds(const shaders::BvhNode& node, u32 child) {
    Bounds bounds{};
    for (u32 axis = 0; axis < 3; ++axis) {
        bounds[axis] = {node.bounds[axis][0][child], node.bounds[axis][1][child]};
    }
    return bounds;
}

Bounds root_bounds(const BuiltTree& tree) {
    Bounds bounds = kNowhere;
    if ((tree.root & shaders::kRefKind) == shaders::kRefLeaf) {
        const shaders::LeafBlock& block = tree.blocks[tree.root & shaders::kRefIndex];
        for (const auto& vertex : block.vertex) {
            for (u32 axis = 0; axis < 3; ++axis) {
                const auto [low, high] = std::minmax_element(vertex[axis], vertex[axis] + 4);
                extend(bounds[axis], *low, *high);
            }
        }
        return bounds;
    }
    const shaders::BvhNode& node = tree.nodes[tree.root];
    for (u32 child = 0; child < 8; ++child) {
        for (u32 axis = 0; axis < 3; ++axis) {
            extend(bounds[axis], node.bounds[axis][0][child], node.bounds[axis][1][child]);
        }
    }
    return bounds;
}

}  // namespace weft::pages
