// tree_survey.h — what a changed scene does to a tree: which instances stay, move, go or come, and
// which nodes and blocks that concerns.
//
// The first half of a patch (tree_patch.h): it reads the former tree and writes nothing. Each block
// is looked at once. Called by patch_acceleration, in its arena.
#pragma once

#include <vector>

#include "engine/accel/acceleration.h"

namespace weft::accel {

// What is below a reference; bits add up. An instance has one of the first three.
enum Below : u8 {
    kKept = 1,
    kMoved = 2,
    kGone = 4,        // hidden or deleted
    kRenumbered = 8,  // kept, but its number or its flag differs
};

inline bool has_both_halves(u8 below) {
    return (below & (kKept | kMoved)) == (kKept | kMoved);
}

struct TreeSurvey {
    // By former instance.
    std::vector<u32> number;  // what it is now; kNone: it is no more
    std::vector<u8> fate;
    // Shown, and not in the tree: those whose mesh has a tree, and the others.
    std::vector<u32> placed;
    std::vector<u32> added;
    // By node and block.
    std::vector<u8> below_node;
    std::vector<u8> below_block;
    // Of the whole: levels, and how many nodes and blocks are to be taken apart.
    u32 levels = 0;
    u64 split_nodes = 0;
    u64 split_blocks = 0;
    bool has_changes = false;
};

// The tree must be of the scene's geometry.
TreeSurvey survey_tree(const Acceleration& tree,
                       const scene::Scene& scene,
                       const BuildConfig& config);

}  // namespace weft::accel
