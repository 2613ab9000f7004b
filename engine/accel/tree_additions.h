// tree_additions.h — small trees over the instances that a patch adds: triangles of shown or new
// instances, and placements of shared meshes.
//
// split() builds them, so that arrays can be allocated at their size; write() then lays them out.
// Called by patch_acceleration, in its arena.
#pragma once

#include <optional>
#include <vector>

#include "engine/accel/acceleration.h"
#include "engine/accel/layout.h"
#include "engine/accel/split_tree.h"

namespace weft::accel {

class TreeAdditions {
public:
    // Instances of `added` get triangles in world space; those of `placed` get placements, numbered
    // from `first_placement` on.
    struct Config {
        const scene::Scene* scene = nullptr;
        const BuildConfig* build = nullptr;
        const std::vector<MeshRoot>* mesh_roots = nullptr;
        const std::vector<u32>* added = nullptr;
        const std::vector<u32>* placed = nullptr;
        u32 first_placement = 0;
        FarMarks* far = nullptr;
        bool is_high_quality = false;
    };

    static base::Result<TreeAdditions> split(const Config& config);

    [[nodiscard]] u64 node_count() const;
    [[nodiscard]] u64 block_count() const;
    [[nodiscard]] u32 levels() const;

    [[nodiscard]] const std::vector<Box>& placed_boxes() const { return placed_boxes_; }

    // Writes up to two subtrees from `place` on, which has room for the counts above.
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
