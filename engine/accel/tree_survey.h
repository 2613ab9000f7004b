// tree_survey.h — compares a tree with a changed scene: the fate of each instance, and which fates
// occur below each node and in each block.
//
// The first half of a patch (tree_patch.h): reads the former tree and writes nothing. Visits each
// block once. Called by patch_acceleration, in its arena.
#pragma once

#include <vector>

#include "engine/accel/acceleration.h"

namespace weft::accel {

// What a patch may leave as the former build decided.
enum class PatchMode : u8 {
    Quick,  // baked or placed, and which triangles are degenerate: for a first picture
    Exact,  // nothing: every hit has the bits that a built tree finds
};

// Fates below a reference, as bits. An instance has exactly one of the first three.
enum Below : u8 {
    kKept = 1,
    kMoved = 2,       // or deformed
    kGone = 4,        // hidden or deleted; in an exact patch also moved, and added again
    kRenumbered = 8,  // kept, but its index or its flag differs
};

inline bool has_both_halves(u8 below) {
    return (below & (kKept | kMoved)) == (kKept | kMoved);
}

struct TreeSurvey {
    // By former instance.
    std::vector<u32> number;  // its index in the changed scene; kNone: deleted
    std::vector<u8> fate;
    // Shown instances that the tree does not hold, or that are gone and added again: those that get
    // a placement, and the others.
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
    // An exact patch is possible, and its additions are the smaller part of the scene. Where it is
    // false, only the fates are known.
    bool is_possible = true;
    TreeFigures figures;  // of an exact patch
};

// Requires has_same_geometry() of tree and scene, for an exact patch has_same_triangles(). With
// `may_refit`, large baked instances of an exact patch move instead of being added again.
TreeSurvey survey_tree(const Acceleration& tree,
                       const scene::Scene& scene,
                       const BuildConfig& config,
                       PatchMode mode,
                       bool may_refit);

}  // namespace weft::accel
