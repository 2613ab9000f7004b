#include "engine/accel/tree_additions.h"

#include <algorithm>

#include <tbb/parallel_for.h>

namespace weft::accel {

namespace {

const SplitNode* root_of(const std::optional<SplitTree>& tree) {
    return tree ? tree->maybe_root() : nullptr;
}

}  // namespace

base::Result<TreeAdditions> TreeAdditions::split(const Config& config) {
    TreeAdditions made(config);
    WEFT_TRY(made.split_triangles());
    WEFT_TRY(made.split_placements());
    return made;
}

base::Status TreeAdditions::split_triangles() {
    const scene::Scene& scene = *config_.scene;
    const std::vector<u32>& added = *config_.added;
    std::vector<u64> first(added.size() + 1, 0);
    for (std::size_t k = 0; k < added.size(); ++k) {
        const u32 mesh = scene.instances[added[k]].mesh;
        first[k + 1] = first[k] + scene.meshes[mesh].record.triangle_count;
    }
    SplitInput input;
    input.resize(first.back());
    tbb::parallel_for(std::size_t{0}, added.size(), [&](std::size_t k) {
        const auto count = static_cast<u32>(first[k + 1] - first[k]);
        tbb::parallel_for(0u, count, [&, k](u32 primitive) {
            const Corners corners = world_corners(scene, added[k], primitive);
            if (is_drawable(corners, added[k], *config_.far)) {
                input.set(first[k] + primitive, {added[k], primitive}, bounds_of(corners));
            }
        });
    });
    input.drop_empty();
    base::Result<SplitTree> tree = SplitTree::build(
        std::move(input), {kMaxLeafItems, config_.is_high_quality}, "the added triangles");
    WEFT_TRY(tree);
    triangles_ = std::move(tree.value());
    return base::Done{};
}

base::Status TreeAdditions::split_placements() {
    const std::vector<u32>& placed = *config_.placed;
    SplitInput input;
    input.resize(placed.size());
    for (u32 k = 0; k < placed.size(); ++k) {
        const scene::Instance& instance = config_.scene->instances[placed[k]];
        placed_boxes_.push_back(
            placed_bounds((*config_.mesh_roots)[instance.mesh].cells, instance.object_to_world));
        input.set(k, {placed[k], k}, placed_boxes_[k]);
        if (!is_in_reach(placed_boxes_[k])) {
            config_.far->mark(placed[k]);
        }
    }
    input.drop_empty();
    base::Result<SplitTree> tree =
        SplitTree::build(std::move(input), {1, config_.is_high_quality}, "the added instances");
    WEFT_TRY(tree);
    placements_ = std::move(tree.value());
    return base::Done{};
}

u64 TreeAdditions::node_count() const {
    u64 count = 0;
    for (const auto* tree : {&triangles_, &placements_}) {
        const SplitNode* const root = root_of(*tree);
        count += root ? root->node_count : 0;
    }
    return count;
}

u64 TreeAdditions::block_count() const {
    const SplitNode* const root = root_of(triangles_);
    return root ? root->leaf_count : 0;
}

u32 TreeAdditions::mesh_levels() const {
    u32 levels = 0;
    for (const u32 instance : *config_.placed) {
        const u32 mesh = config_.scene->instances[instance].mesh;
        levels = std::max(levels, (*config_.mesh_roots)[mesh].levels);
    }
    return levels;
}

u32 TreeAdditions::levels() const {
    const SplitNode* const triangles = root_of(triangles_);
    const SplitNode* const placements = root_of(placements_);
    return std::max(triangles ? triangles->levels : 0,
                    placements ? placements->levels + mesh_levels() : 0);
}

std::vector<Laid> TreeAdditions::write(Place place, Acceleration& out) const {
    std::vector<Laid> parts;
    if (const SplitNode* const root = root_of(triangles_)) {
        const TriangleWriter writer(
            {config_.scene, out.blocks.data(), &config_.build->is_flagged, true, false});
        parts.push_back(lay_out(*root, place, out.nodes.data(), writer));
        place.node += static_cast<u32>(root->node_count);
    }
    if (const SplitNode* const root = root_of(placements_)) {
        std::vector<Laid> references;
        for (u32 k = 0; k < placed_boxes_.size(); ++k) {
            references.push_back(
                {shaders::kRefInstance | (config_.first_placement + k), placed_boxes_[k]});
        }
        parts.push_back(lay_out(*root, place, out.nodes.data(), ReferenceWriter(references)));
    }
    return parts;
}

}  // namespace weft::accel
