// tree_additions.h — small trees for what a patched tree does not hold: triangles of instances that
// are shown or new, and placements of shared meshes.
//
// Split first, so that arrays can be taken at their size, and then laid out into them. Called by
// patch_acceleration, in its arena.
#pragma once

#include <optional>
#include <vector>

#include "engine/accel/acceleration.h"
#include "engine/accel/layout.h"
#include "engine/accel/split_tree.h"

namespace weft::accel {

class TreeAdditions {
public:
    // `added` get triangles in the world, `placed` a placement each, from number `first_placement`
    // on.
    struct Config {
        const scene::Scene* scene = nullptr;
        const BuildConfig* build = nullptr;
        const std::vector<MeshRoot>* mesh_roots = nullptr;
        const std::vector<u32>* added = nullptr;
        const std::vector<u32>* placed = nullptr;
        u32 first_placement = 0;
        FarMarks* far = nullptr;
    };

    static base::Result<TreeAdditions> split(const Config& config);

    [[nodiscard]] u64 node_count() const;
    [[nodiscard]] u64 block_count() const;
    [[nodiscard]] u32 levels() const;

    [[nodiscard]] const std::vector<Box>& placed_boxes() const { return placed_boxes_; }

    // From `place` on, which has room for the counts above: one or two subtrees, or none.
    std::vector<Laid> write(Place place, Acceleration& out) const;

private:
    explicit TreeAdditions(const Config& config) : config_(config) {}

    base::Status split_triangles();
    base::Status split_placements();
    [[nodiscard]] u32 mesh_levels() const;

    Config config_;
    std::vector<Box> placed_boxes_;
    std::optional<SplitTree> triangles_;
    std::optional<SplitTree> placements_;
};

}  // namespace weft::accel
