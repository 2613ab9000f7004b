// tree_pieces.h — cuts the tree over the baked triangles into pieces, so that one tree can be split
// over pieces and placements together.
//
// Two trees side by side cost each ray the nodes of both, however near its hit is in one of them.
// Pieces are cut near the root: what lies below a piece stays as it was split. Called when a tree
// is built in memory; pure, on the caller's thread.
#pragma once

#include <vector>

#include "engine/accel/layout.h"
#include "engine/accel/split_tree.h"

namespace weft::accel {

// A subtree of baked triangles.
struct TreePiece {
    const SplitNode* tree = nullptr;
    Place place;
    Laid laid;
};

// Cuts a tree into pieces, the largest first, until they are `most` at least or leaves.
std::vector<TreePiece> cut_pieces(const SplitNode& root, u64 most);

// Gives each piece its place, from `first` on, in the order in which the leaves of `top` name it:
// neighbours in space are neighbours in memory. A leaf whose item's index is `first_index` + k
// names piece k. Returns the place behind the last one.
Place place_pieces(const SplitNode& top,
                   u32 first_index,
                   Place first,
                   std::vector<TreePiece>& pieces);

// Writes all pieces at their places.
void lay_out_pieces(std::vector<TreePiece>& pieces,
                    shaders::BvhNode* nodes,
                    const LeafWriter& writer);

}  // namespace weft::accel
