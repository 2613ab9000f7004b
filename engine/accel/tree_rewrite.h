// tree_rewrite.h — splits the copy of a former tree into a tree of what is kept and one of what has
// moved.
//
// The second half of a patch (tree_patch.h). Both trees keep the order of the former one; what is
// gone leaves it. Rows that hold both kinds get a second row behind the former ones, which has no
// room for more than the survey counted. Called by patch_acceleration, in its arena.
#pragma once

#include <array>
#include <atomic>

#include "engine/accel/acceleration.h"
#include "engine/accel/layout.h"
#include "engine/accel/tree_survey.h"

namespace weft::accel {

// What the tree of moved triangles costs a ray, before they moved and after: the sum over all its
// nodes of their children's surfaces. Divided by that of the whole box, it is the mean number of
// boxes that a ray through the whole box enters.
struct Refit {
    u64 triangles = 0;
    Box before;
    double cost_before = 0;
    double cost_after = 0;

    void add(const Refit& child, const Box& after);
    // By how much the moves have made the order worse; 1: not at all. NaN where a box has no
    // surface.
    [[nodiscard]] double growth(const Box& after) const;
};

// A subtree split into its kept and its moved triangles; an empty half has kRefEmpty.
struct Halves {
    Laid kept;
    Laid moved;
    Refit refit;
};

// The children of a node to be written.
struct LaidList {
    std::array<Laid, kMaxChildren> laid;
    u32 count = 0;

    void add(const Laid& more) {
        if (more.ref != shaders::kRefEmpty) {
            laid[count++] = more;
        }
    }
};

// Writes a node over the subtrees of the list; a single subtree needs none.
Laid write_node(u32 node, const LaidList& list, Acceleration& out);

class TreeRewriter {
public:
    struct Config {
        const Acceleration* from = nullptr;
        const scene::Scene* scene = nullptr;
        const BuildConfig* build = nullptr;
        const TreeSurvey* survey = nullptr;
        FarMarks* far = nullptr;
        Acceleration* out = nullptr;  // holds a copy of `from`, and its placements as they are now
        bool has_costs = false;       // Halves::refit is wanted
    };

    explicit TreeRewriter(const Config& config);

    // Once.
    Halves rewrite();

    // Rows in use after it.
    [[nodiscard]] u32 node_count() const { return next_node_.load(std::memory_order_relaxed); }

    [[nodiscard]] u32 block_count() const { return next_block_.load(std::memory_order_relaxed); }

private:
    [[nodiscard]] Box root_box() const;
    Halves rewrite(u32 ref, const Box& box, u32 depth);
    Halves rewrite_block(u32 block, const Box& box);
    Halves rewrite_node(u32 node, const Box& box, u32 depth);

    const Acceleration& from_;
    const scene::Scene& scene_;
    const BuildConfig& config_;
    const TreeSurvey& survey_;
    FarMarks& far_;
    Acceleration& out_;
    const bool has_costs_;
    // Relaxed, both: they only hand out rows; the end of the tasks publishes the rows' contents.
    std::atomic<u32> next_node_;
    std::atomic<u32> next_block_;
};

}  // namespace weft::accel
