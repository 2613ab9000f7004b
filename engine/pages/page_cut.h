// page_cut.h — where a tree is cut: the highest subtrees that fit into a page.
//
// The writer measures a tree from below, then walks it from the root by the sizes found. Sizes
// below the cut are forgotten, so that they need no memory. Pure; any thread.
#pragma once

#include <array>
#include <vector>

#include "engine/pages/page_file.h"

namespace weft::pages {

// low and high per axis, as in PageRoot.
using Bounds = std::array<std::array<float, 2>, 3>;

// What lies in a subtree.
struct SubtreeSize {
    u32 node_count = 0;
    u32 block_count = 0;
    bool is_page = false;  // it fits into a page and refers to nothing outside
};

// Bytes of a page that holds so much, with its padding.
u64 padded_bytes(u32 node_count, u32 block_count);
// The same without padding.
u64 plain_bytes(u32 node_count, u32 block_count);

// What a subtree below a page root may fill.
struct CutLimits {
    u64 page_bytes = 0;     // with the padding of a page of its own
    u64 subtree_bytes = 0;  // nodes and blocks alone; 0: the page alone limits it
};

// The sizes of the nodes at and above the cut, depth first: a walk from the root that does not go
// below a node with is_page meets them one by one. A root that is a block has none.
std::vector<SubtreeSize> measure_subtrees(const BuiltTree& tree, const CutLimits& limits);

// The size of a single block.
inline constexpr SubtreeSize kBlockSize = {0, 1, true};

// The box of one child, as its node has it.
Bounds child_bounds(const shaders::BvhNode& node, u32 child);
// The union of its children's boxes, or the box of its triangles' vertices.
Bounds root_bounds(const BuiltTree& tree);

}  // namespace weft::pages
