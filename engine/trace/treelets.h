// treelets.h — a tree cut into treelets, each small enough for an entry of a cluster's cache.
//
// A treelet is a connected piece of a tree with one root: nodes, leaf blocks and placements, and an
// exit for each child that lies in another treelet. Its image is one range of bytes in the device's
// memory; a cluster copies it as a whole (local_tree.h). References count from the image's own
// arrays, so that kernels which traverse a copy reach nothing else. An exit is a page root
// (bvh_view.h) of a page that is always far; its `ref` is the number of the treelet behind it.
// Of a tree with pages only what is always in memory is cut: page root r behind an exit has the
// number count() + r (page_treelets.h).
//
//     | header | nodes | blocks | placements | exits |
//
// The cut makes few treelets: from below, a node keeps the pieces of its children, and while they
// are too large together, the largest becomes a treelet. Sukhamay Kundu and Jayadev Misra, "A
// Linear Tree Partitioning Algorithm", SIAM Journal on Computing, 1977. Made before the frame by
// one thread; read-only afterwards.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "scheduler/base/ids.h"
#include "shaders/traverse/bvh_view.h"

namespace weft::trace {

class PageTreelets;

// The head of an image.
struct alignas(64) TreeletHeader {
    u32 node_count = 0;
    u32 block_count = 0;
    u32 placement_count = 0;
    u32 exit_count = 0;
    u32 root = 0;      // reference into the image's arrays
    u32 ways_out = 0;  // references to exits: one ray leaves by so many at most
    u32 source = 0;    // reference to its root in the tree that was cut; kNone: it lies in a page
    u32 reserved[9] = {};
};

static_assert(sizeof(TreeletHeader) == 64);

// The arrays of an image, wherever it lies. In a placement, reserved[0] is its index in the tree.
struct TreeletParts {
    const TreeletHeader* header;
    const shaders::BvhNode* nodes;
    const shaders::LeafBlock* blocks;
    const shaders::Placement* placements;
    const shaders::PageRoot* exits;
};

TreeletParts parts_of(const std::byte* image);

// The treelets in a device's memory. Treelet 0 holds the root.
struct TreeletView {
    const std::byte* images = nullptr;  // null: the tree is not cut
    const u64* places = nullptr;        // by treelet: where its image begins; then the end
    const shaders::Placement* placements = nullptr;
    const PageTreelets* pages = nullptr;           // of a tree with pages; else null
    const shaders::BvhNode* page_nodes = nullptr;  // of the host, read over the bus
    const shaders::LeafBlock* page_blocks = nullptr;
    u32 count = 0;          // without those of pages
    u32 most_bytes = 0;     // of an image
    u32 most_ways_out = 0;  // of a treelet

    [[nodiscard]] u64 size_of(u32 treelet) const { return places[treelet + 1] - places[treelet]; }
};

class TreeletCut {
public:
    static constexpr u32 kLeastBytes = 1024;  // any node fits with eight exits

    // Cuts a tree, whose nodes outside of pages are `node_count` rows from `first_node` on, into
    // images of at most so many bytes (a multiple of 64). The arrays must outlive the cut.
    TreeletCut(const shaders::BvhView& tree,
               u32 first_node,
               std::size_t node_count,
               u32 treelet_bytes);

    [[nodiscard]] u32 count() const { return static_cast<u32>(roots_.size()); }

    [[nodiscard]] const std::vector<u64>& places() const { return places_; }

    [[nodiscard]] u64 size_bytes() const { return places_.back(); }

    [[nodiscard]] u32 most_bytes() const { return most_bytes_; }

    [[nodiscard]] u32 most_ways_out() const { return most_ways_out_; }

    // Writes an image, of places()[treelet + 1] − places()[treelet] bytes, aligned to 64.
    void write(u32 treelet, std::byte* image);

private:
    struct Bounds {
        float side[3][2];
    };

    struct PlacedNode {
        u32 index;     // in the tree
        u32 child[8];  // references into the image
    };

    struct Exit {
        u32 ref;  // in the tree
        Bounds bounds;
    };

    [[nodiscard]] u32 resolved(u32 ref) const;
    u64 measure(u32 ref);
    u64 measure_node(u32 index);
    void add_root(u32 ref);
    void gather(u32 root);
    u32 place(u32 ref);
    u32 place_node(u32 index);
    u32 place_instance(u32 index);
    u32 exit_to(u32 ref, const Bounds& bounds);
    [[nodiscard]] Bounds bounds_of(u32 ref) const;
    [[nodiscard]] u64 gathered_bytes() const;

    shaders::BvhView tree_;
    u32 first_node_;
    u64 most_piece_bytes_;
    std::vector<u8> cut_children_;  // by node: bit c: child c is another treelet's root
    std::vector<u32> roots_;        // by treelet
    std::unordered_map<u32, u32> treelet_of_root_;
    std::vector<u64> places_;
    u32 most_bytes_ = 0;
    u32 most_ways_out_ = 0;
    // The treelet gathered last.
    std::vector<PlacedNode> nodes_;
    std::vector<u32> blocks_;  // indices in the tree
    std::vector<u32> placements_;
    std::vector<Exit> exits_;
    u32 ways_out_ = 0;
};

}  // namespace weft::trace
