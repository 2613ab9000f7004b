// tree_survey.h — compares a tree with a changed scene: the fate of each instance, and which fates
// occur below each node and in each block.
//
// The first half of a patch (tree_patch.h): reads the former tree and writes nothing. Visits each
// block once. Called by patch_acceleration, in its arena.
#pragma once

#include <vector>

#include "engine/accel/acceleration.h"

namespace weft::accel {

// Fates below a reference, as bits. An instance has exactly one of the first three.
enum Below : u8 {
    kKept = 1,
    kMoved = 2,
    kGone = 4,        // hidden or deleted
    kRenumbered = 8,  // kept, but its index or its flag differs
};

inline bool has_both_halves(u8 below) {
    return (below & (kKept | kMoved)) == (kKept | kMoved);
}

struct TreeSurvey {
    // By former instance.
    std::vector<u32> number;  // its index in the changed scene; kNone: deleted
    std::vector<u8> fate;
    // Shown instances that the tree does not hold: those whose mesh has a BLAS, and the others.
    std::vector<u32> placed;
    std::vector<u32> added;
    // By node and block.
    std::vector<u8> below_node;
    std::vector<u8> below_block;
    // Of the whole tree: levels, and the numbers of nodes and blocks to be split.
    u32 levels = 0;
    u64 split_nodes = 0;
    u64 split_blocks = 0;
    bool has_changes = false;
};

// Requires has_same_geometry() of tree and scene.
TreeSurvey survey_tree(const Acceleration& tree,
                       const scene::Scene& scene,
                       const BuildConfig& config);

}  // namespace weft::accel
