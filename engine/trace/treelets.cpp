#include "engine/trace/treelets.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

#include "scheduler/base/ensure.h"

namespace weft::trace {

namespace {

constexpr u64 kAlignment = 64;

u64 aligned(u64 bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

u32 index_in(u32 ref) {
    return ref & shaders::kRefIndex;
}

u32 kind_of(u32 ref) {
    return ref & shaders::kRefKind;
}

}  // namespace

TreeletParts parts_of(const std::byte* image) {
    TreeletParts parts{};
    parts.header = reinterpret_cast<const TreeletHeader*>(image);
    const TreeletHeader& header = *parts.header;
    image += sizeof(TreeletHeader);
    parts.nodes = reinterpret_cast<const shaders::BvhNode*>(image);
    image += sizeof(shaders::BvhNode) * header.node_count;
    parts.blocks = reinterpret_cast<const shaders::LeafBlock*>(image);
    image += sizeof(shaders::LeafBlock) * header.block_count;
    parts.placements = reinterpret_cast<const shaders::Placement*>(image);
    image += sizeof(shaders::Placement) * header.placement_count;
    parts.exits = reinterpret_cast<const shaders::PageRoot*>(image);
    return parts;
}

TreeletCut::TreeletCut(const shaders::BvhView& tree,
                       u32 first_node,
                       std::size_t node_count,
                       u32 treelet_bytes)
    : tree_(tree),
      first_node_(first_node),
      most_piece_bytes_(treelet_bytes - sizeof(TreeletHeader)),
      places_{0} {
    ENSURE(treelet_bytes, >=, kLeastBytes);
    ENSURE(treelet_bytes % kAlignment, ==, 0U);
    if (tree.root == shaders::kRefEmpty) {
        return;
    }
    cut_children_.resize(node_count);
    // Gathering a treelet finds the roots of those behind its exits.
    add_root(tree.root);
    measure(tree.root);
    for (std::size_t treelet = 0; treelet < roots_.size(); ++treelet) {
        gather(roots_[treelet]);
        for (const Exit& exit : exits_) {
            if (!shaders::is_page(exit.ref)) {
                add_root(exit.ref);
            }
        }
        const u64 bytes = gathered_bytes();
        ENSURE(bytes, <=, u64{treelet_bytes});
        places_.push_back(places_.back() + bytes);
        most_bytes_ = std::max(most_bytes_, static_cast<u32>(bytes));
        most_ways_out_ = std::max(most_ways_out_, ways_out_);
    }
}

void TreeletCut::add_root(u32 ref) {
    if (treelet_of_root_.try_emplace(ref, count()).second) {
        roots_.push_back(ref);
    }
}

// The root of a tree that is always in memory is reached without a detour.
u32 TreeletCut::resolved(u32 ref) const {
    if (ref == shaders::kRefEmpty || !shaders::is_page(ref)) {
        return ref;
    }
    const shaders::PageRoot& root = tree_.page_roots[index_in(ref)];
    return root.page == kNone ? root.ref : ref;
}

// Bytes of the piece that hangs together below a reference, after cutting. Recurses as deep as the
// tree, at most kMaxTreeLevels.
u64 TreeletCut::measure(u32 ref) {
    switch (kind_of(ref)) {
        case shaders::kRefNode:
            return measure_node(index_in(ref));
        case shaders::kRefLeaf:
            return sizeof(shaders::LeafBlock);
        case shaders::kRefInstance: {
            // The tree of a shared mesh is measured once, and always lies behind an exit.
            const u32 root = resolved(tree_.placements[index_in(ref)].root);
            if (!shaders::is_page(root) && treelet_of_root_.find(root) == treelet_of_root_.end()) {
                add_root(root);
                measure(root);
            }
            return sizeof(shaders::Placement) + sizeof(shaders::PageRoot);
        }
        default:
            return ref == shaders::kRefEmpty ? 0 : sizeof(shaders::PageRoot);
    }
}

u64 TreeletCut::measure_node(u32 index) {
    const shaders::BvhNode& node = tree_.nodes[index];
    std::array<u64, 8> piece{};
    for (u32 child = 0; child < 8; ++child) {
        piece[child] = node.child[child] == shaders::kRefEmpty ? 0 : measure(node.child[child]);
    }
    // Cut off the largest pieces until the rest fits.
    u64 sum = std::accumulate(piece.begin(), piece.end(), u64{sizeof(node)});
    u8 cut = 0;
    while (sum > most_piece_bytes_) {
        auto* const largest = std::max_element(piece.begin(), piece.end());
        sum = sum - *largest + sizeof(shaders::PageRoot);
        *largest = 0;
        cut = static_cast<u8>(cut | 1U << (largest - piece.begin()));
    }
    cut_children_[index - first_node_] = cut;
    return sum;
}

TreeletCut::Bounds TreeletCut::bounds_of(u32 ref) const {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    Bounds bounds{};
    for (auto& side : bounds.side) {
        side[0] = kInfinity;
        side[1] = -kInfinity;
    }
    for (u32 axis = 0; axis < 3; ++axis) {
        float(&side)[2] = bounds.side[axis];
        if (shaders::is_page(ref)) {
            std::copy_n(tree_.page_roots[index_in(ref)].bounds[axis], 2, side);
            continue;
        }
        if (kind_of(ref) == shaders::kRefNode) {
            // The union of the children's boxes; those of absent ones are empty.
            const auto& rows = tree_.nodes[index_in(ref)].bounds[axis];
            side[0] = *std::min_element(rows[0], rows[0] + 8);
            side[1] = *std::max_element(rows[1], rows[1] + 8);
            continue;
        }
        // The union of the triangles' boxes, widened as in trace_kernels.h.
        const shaders::LeafBlock& block = tree_.blocks[index_in(ref)];
        for (const auto& vertex : block.vertex) {
            for (u32 k = 0; k < 4; ++k) {
                const float margin = std::bit_cast<float>(static_cast<u32>(block.margin[k]) << 23);
                side[0] = std::min(side[0], vertex[axis][k] - margin);
                side[1] = std::max(side[1], vertex[axis][k] + margin);
            }
        }
    }
    return bounds;
}

void TreeletCut::gather(u32 root) {
    nodes_.clear();
    blocks_.clear();
    placements_.clear();
    exits_.clear();
    ways_out_ = 0;
    place(root);
}

// Places what lies below a reference, as far as the treelet goes. Returns the reference to it in
// the image.
u32 TreeletCut::place(u32 ref) {
    switch (kind_of(ref)) {
        case shaders::kRefNode:
            return place_node(index_in(ref));
        case shaders::kRefLeaf:
            blocks_.push_back(index_in(ref));
            return shaders::kRefLeaf | static_cast<u32>(blocks_.size() - 1);
        case shaders::kRefInstance:
            return place_instance(index_in(ref));
        default:
            return ref == shaders::kRefEmpty ? ref : exit_to(ref, bounds_of(ref));
    }
}

u32 TreeletCut::place_node(u32 index) {
    const auto at = static_cast<u32>(nodes_.size());
    nodes_.push_back({index, {}});
    const shaders::BvhNode& node = tree_.nodes[index];
    for (u32 child = 0; child < 8; ++child) {
        u32 ref = shaders::kRefEmpty;
        if ((cut_children_[index - first_node_] >> child & 1) != 0) {
            Bounds bounds{};
            for (u32 axis = 0; axis < 3; ++axis) {
                bounds.side[axis][0] = node.bounds[axis][0][child];
                bounds.side[axis][1] = node.bounds[axis][1][child];
            }
            ref = exit_to(node.child[child], bounds);
        } else if (node.child[child] != shaders::kRefEmpty) {
            ref = place(node.child[child]);
        }
        nodes_[at].child[child] = ref;
    }
    return shaders::kRefNode | at;
}

u32 TreeletCut::place_instance(u32 index) {
    const u32 root = resolved(tree_.placements[index].root);
    exit_to(root, bounds_of(root));
    placements_.push_back(index);
    return shaders::kRefInstance | static_cast<u32>(placements_.size() - 1);
}

// The reference to an exit; placements of one mesh share theirs.
u32 TreeletCut::exit_to(u32 ref, const Bounds& bounds) {
    ++ways_out_;
    const auto found = std::find_if(
        exits_.begin(), exits_.end(), [ref](const Exit& exit) { return exit.ref == ref; });
    const auto at = static_cast<u32>(found - exits_.begin());
    if (found == exits_.end()) {
        exits_.push_back({ref, bounds});
    }
    return shaders::kRefPage | at;
}

u64 TreeletCut::gathered_bytes() const {
    return aligned(sizeof(TreeletHeader) + nodes_.size() * sizeof(shaders::BvhNode) +
                   blocks_.size() * sizeof(shaders::LeafBlock) +
                   placements_.size() * sizeof(shaders::Placement) +
                   exits_.size() * sizeof(shaders::PageRoot));
}

void TreeletCut::write(u32 treelet, std::byte* image) {
    const u32 root = roots_[treelet];
    gather(root);
    // Write the header.
    TreeletHeader header;
    header.node_count = static_cast<u32>(nodes_.size());
    header.block_count = static_cast<u32>(blocks_.size());
    header.placement_count = static_cast<u32>(placements_.size());
    header.exit_count = static_cast<u32>(exits_.size());
    header.root = kind_of(root);  // the first of its kind
    header.ways_out = ways_out_;
    header.source = root;
    std::memset(image, 0, gathered_bytes());
    const auto append = [&image](const auto& record) {
        std::memcpy(image, &record, sizeof(record));
        image += sizeof(record);
    };
    append(header);
    // Write nodes and blocks; references of nodes are those into the image.
    for (const PlacedNode& placed : nodes_) {
        shaders::BvhNode node = tree_.nodes[placed.index];
        std::copy_n(placed.child, 8, node.child);
        append(node);
    }
    for (const u32 block : blocks_) {
        append(tree_.blocks[block]);
    }
    // Write placements, which name their index in the tree, and exits.
    for (const u32 index : placements_) {
        shaders::Placement placement = tree_.placements[index];
        placement.root = exit_to(resolved(placement.root), {});
        placement.reserved[0] = index;
        append(placement);
    }
    for (const Exit& exit : exits_) {
        shaders::PageRoot page_root{};
        std::memcpy(page_root.bounds, exit.bounds.side, sizeof(page_root.bounds));
        page_root.ref = shaders::is_page(exit.ref) ? count() + index_in(exit.ref)
                                                   : treelet_of_root_.at(exit.ref);
        append(page_root);
    }
}

}  // namespace weft::trace
