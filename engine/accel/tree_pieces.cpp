#include "engine/accel/tree_pieces.h"

#include <algorithm>
#include <span>

#include <tbb/parallel_for.h>

namespace weft::accel {

namespace {

bool is_smaller(const SplitNode* one, const SplitNode* other) {
    return half_surface(one->box) < half_surface(other->box);
}

}  // namespace

std::vector<TreePiece> cut_pieces(const SplitNode& root, u64 most) {
    // Replace the largest node by its children; leaves stay.
    std::vector<TreePiece> pieces;
    std::vector<const SplitNode*> waiting{&root};
    while (!waiting.empty() && pieces.size() + waiting.size() < most) {
        std::pop_heap(waiting.begin(), waiting.end(), is_smaller);
        const SplitNode* const node = waiting.back();
        waiting.pop_back();
        if (node->child_count == 0) {
            pieces.push_back({node, {}, {}});
            continue;
        }
        for (SplitNode* const child : std::span(node->child, node->child_count)) {
            waiting.push_back(child);
            std::push_heap(waiting.begin(), waiting.end(), is_smaller);
        }
    }
    for (const SplitNode* const node : waiting) {
        pieces.push_back({node, {}, {}});
    }
    return pieces;
}

Place place_pieces(const SplitNode& top,
                   u32 first_index,
                   Place first,
                   std::vector<TreePiece>& pieces) {
    // A leaf that names a piece gives it the next place.
    if (top.child_count == 0) {
        if (top.item[0].index >= first_index) {
            TreePiece& piece = pieces[top.item[0].index - first_index];
            piece.place = first;
            first.node += static_cast<u32>(piece.tree->node_count);
            first.block += static_cast<u32>(piece.tree->leaf_count);
        }
        return first;
    }
    // Leaves follow each other depth first.
    for (const SplitNode* const child : std::span(top.child, top.child_count)) {
        first = place_pieces(*child, first_index, first, pieces);
    }
    return first;
}

void lay_out_pieces(std::vector<TreePiece>& pieces,
                    shaders::BvhNode* nodes,
                    const LeafWriter& writer) {
    tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t k) {
        TreePiece& piece = pieces[k];
        piece.laid = lay_out(*piece.tree, piece.place, nodes, writer);
    });
}

}  // namespace weft::accel
