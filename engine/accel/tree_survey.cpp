#include "engine/accel/tree_survey.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <tbb/parallel_for.h>

#include "engine/accel/instance_match.h"
#include "engine/accel/split_tree.h"

namespace weft::accel {

namespace {

// Above this depth the children of a node are parallel tasks.
constexpr u32 kForkedSurveyLevels = 4;

// A mesh of fewer triangles is built within a millisecond.
constexpr u64 kLeastRefitted = 4096;

bool is_shown(const BuildConfig& config, u32 instance) {
    return config.is_visible.empty() || config.is_visible[instance];
}

// True if the matrix has other bytes: a zero of another sign may change a bit of a hit.
bool has_moved(const scene::Instance& former, const scene::Instance& now) {
    return std::memcmp(&former.object_to_world, &now.object_to_world, sizeof(math::Affine)) != 0;
}

struct Found {
    u8 below = 0;
    u32 levels = 0;
    u64 split_nodes = 0;
    u64 split_blocks = 0;
};

class Surveyor {
public:
    Surveyor(const Acceleration& tree,
             const scene::Scene& scene,
             const BuildConfig& config,
             PatchMode mode,
             bool may_refit)
        : tree_(tree), scene_(scene), config_(config), mode_(mode), may_refit_(may_refit) {}

    TreeSurvey survey();

private:
    void decide_fates();
    void decide_exactly();
    void find_additions();
    void count_triangles();

    [[nodiscard]] u32 source_mesh(u32 old) const { return tree_.source.instances[old].mesh; }

    [[nodiscard]] u64 triangles_of(u32 mesh) const {
        return scene_.meshes[mesh].record.triangle_count;
    }

    [[nodiscard]] bool has_new_placements() const;
    [[nodiscard]] u8 below_triangle(const shaders::LeafBlock& block, u32 k) const;
    Found look_at(u32 ref, u32 depth);
    Found look_at_block(u32 index);
    Found look_at_node(u32 index, u32 depth);

    const Acceleration& tree_;
    const scene::Scene& scene_;
    const BuildConfig& config_;
    const PatchMode mode_;
    const bool may_refit_;
    Placing placing_;                // of an exact patch
    std::vector<bool> gets_placed_;  // by instance: placing_.placed as marks
    TreeSurvey made_;
};

void Surveyor::decide_fates() {
    const TreeSource& source = tree_.source;
    made_.number = match_instances(source.instances, scene_.instances);
    made_.fate.assign(source.instances.size(), kGone);
    for (u32 old = 0; old < made_.fate.size(); ++old) {
        const u32 now = made_.number[old];
        if (now == kNone || !source.is_held[old] || !is_shown(config_, now)) {
            continue;
        }
        const bool is_in_place =
            source.instances[old].object_to_world == scene_.instances[now].object_to_world;
        made_.fate[old] = is_in_place ? kKept : kMoved;
    }
    // A placement needs an inverse; without one the instance is added in world space instead.
    for (std::size_t k = 0; k < tree_.placements.size(); ++k) {
        const u32 old = tree_.placements[k].instance;
        if (old != kNone && made_.fate[old] == kMoved &&
            !math::inverse(scene_.instances[made_.number[old]].object_to_world)) {
            made_.fate[old] = kGone;
        }
    }
}

// Lets nothing stay that a build would make differently: what is placed and has moved leaves the
// tree and is added again, and so is what a build would no longer bake, or place. What is baked and
// has moved, or is deformed, does the same or keeps the order that it has in the tree.
void Surveyor::decide_exactly() {
    // Choose again which instances are placed.
    placing_ = decide_placing(scene_, config_.is_visible);
    gets_placed_.assign(scene_.instances.size(), false);
    for (const u32 now : placing_.placed) {
        gets_placed_[now] = true;
    }
    std::vector<bool> was_placed(tree_.source.instances.size(), false);
    for (const shaders::Placement& placement : tree_.placements.span()) {
        if (placement.instance != kNone) {
            was_placed[placement.instance] = true;
        }
    }
    // Take out what differs, or let it keep its order.
    const std::vector<bool> is_deformed =
        find_deformed(scene_.meshes, tree_.source.positions, scene_.positions);
    for (u32 old = 0; old < made_.fate.size(); ++old) {
        if (made_.fate[old] == kGone) {
            continue;
        }
        const u32 now = made_.number[old];
        const bool differs = is_deformed[source_mesh(old)] ||
                             has_moved(tree_.source.instances[old], scene_.instances[now]);
        const bool can_refit = may_refit_ && !was_placed[old] && !gets_placed_[now] &&
                               triangles_of(source_mesh(old)) >= kLeastRefitted;
        if (differs) {
            made_.fate[old] = can_refit ? kMoved : kGone;
        } else {
            made_.fate[old] = was_placed[old] == gets_placed_[now] ? kKept : kGone;
        }
    }
    // A BLAS stays as it is.
    for (const u32 mesh : placing_.shared) {
        if (is_deformed[mesh] || tree_.mesh_roots[mesh].ref == shaders::kRefEmpty) {
            made_.is_possible = false;
        }
    }
}

void Surveyor::find_additions() {
    std::vector<bool> is_there(scene_.instances.size(), false);
    for (u32 old = 0; old < made_.fate.size(); ++old) {
        if (made_.fate[old] != kGone) {
            is_there[made_.number[old]] = true;
        }
    }
    for (u32 now = 0; now < scene_.instances.size(); ++now) {
        if (is_there[now] || !is_shown(config_, now)) {
            continue;
        }
        const scene::Instance& instance = scene_.instances[now];
        const bool has_tree = tree_.mesh_roots[instance.mesh].ref != shaders::kRefEmpty &&
                              math::inverse(instance.object_to_world).has_value();
        const bool is_placed = mode_ == PatchMode::Exact ? gets_placed_[now] : has_tree;
        (is_placed ? made_.placed : made_.added).push_back(now);
    }
}

// An exact patch that builds more than it keeps is not worth the copy.
void Surveyor::count_triangles() {
    TreeFigures& figures = made_.figures;
    for (u32 old = 0; old < made_.fate.size(); ++old) {
        if (made_.fate[old] != kGone && !gets_placed_[made_.number[old]]) {
            (made_.fate[old] == kKept ? figures.kept_triangles : figures.refitted_triangles) +=
                triangles_of(source_mesh(old));
        }
    }
    for (const u32 mesh : placing_.shared) {
        figures.kept_triangles += triangles_of(mesh);
    }
    for (const u32 now : made_.added) {
        figures.built_triangles += triangles_of(scene_.instances[now].mesh);
    }
    made_.is_possible =
        made_.is_possible && figures.built_triangles + made_.placed.size() <=
                                 figures.kept_triangles + figures.refitted_triangles;
}

// True if a kept placement has a new index, or its mesh needs a flag.
bool Surveyor::has_new_placements() const {
    for (std::size_t k = 0; k < tree_.placements.size(); ++k) {
        const u32 old = tree_.placements[k].instance;
        if (old == kNone || made_.fate[old] != kKept) {
            continue;
        }
        const u32 now = made_.number[old];
        if (now != old || (must_flag(scene_, config_.is_flagged, now) &&
                           !tree_.mesh_roots[scene_.instances[now].mesh].is_flagged)) {
            return true;
        }
    }
    return false;
}

u8 Surveyor::below_triangle(const shaders::LeafBlock& block, u32 k) const {
    const u32 old = block.instance[k];
    if (made_.fate[old] != kKept) {
        return made_.fate[old];
    }
    const u32 now = made_.number[old];
    const bool was_flagged = (block.flags >> k & 1u) != 0;
    const bool is_same = now == old && was_flagged == must_flag(scene_, config_.is_flagged, now);
    return static_cast<u8>(is_same ? kKept : kKept | kRenumbered);
}

Found Surveyor::look_at_block(u32 index) {
    const shaders::LeafBlock& block = tree_.blocks[index];
    Found found;
    for (u32 k = 0; k < kMaxLeafItems; ++k) {
        if ((block.flags & 0x100u << k) != 0) {
            found.below |= below_triangle(block, k);
        }
    }
    made_.below_block[index] = found.below;
    found.split_blocks = has_both_halves(found.below) ? 1U : 0U;
    return found;
}

Found Surveyor::look_at_node(u32 index, u32 depth) {
    const shaders::BvhNode& node = tree_.nodes[index];
    std::array<Found, kMaxChildren> children;
    const auto look = [&](u32 c) { children[c] = look_at(node.child[c], depth + 1); };
    if (depth < kForkedSurveyLevels) {
        tbb::parallel_for(0u, kMaxChildren, look);
    } else {
        for (u32 c = 0; c < kMaxChildren; ++c) {
            look(c);
        }
    }
    Found found;
    for (const Found& child : children) {
        found.below |= child.below;
        found.levels = std::max(found.levels, child.levels);
        found.split_nodes += child.split_nodes;
        found.split_blocks += child.split_blocks;
    }
    ++found.levels;
    found.split_nodes += has_both_halves(found.below) ? 1U : 0U;
    made_.below_node[index] = found.below;
    return found;
}

Found Surveyor::look_at(u32 ref, u32 depth) {
    if (ref == shaders::kRefEmpty) {
        return {};
    }
    const u32 index = ref & shaders::kRefIndex;
    switch (ref & shaders::kRefKind) {
        case shaders::kRefInstance: {
            const u32 old = tree_.placements[index].instance;
            return {made_.fate[old], tree_.mesh_roots[source_mesh(old)].levels, 0, 0};
        }
        case shaders::kRefLeaf:
            return look_at_block(index);
        default:
            return look_at_node(index, depth);
    }
}

TreeSurvey Surveyor::survey() {
    decide_fates();
    if (mode_ == PatchMode::Exact) {
        decide_exactly();
    }
    find_additions();
    if (mode_ == PatchMode::Exact) {
        count_triangles();
        if (!made_.is_possible) {
            return std::move(made_);
        }
    }
    made_.below_node.assign(tree_.node_count, 0);
    made_.below_block.assign(tree_.block_count, 0);
    const Found whole = look_at(tree_.root, 0);
    made_.levels = whole.levels;
    made_.split_nodes = whole.split_nodes;
    made_.split_blocks = whole.split_blocks;
    made_.has_changes = (whole.below & ~unsigned{kKept}) != 0 || !made_.added.empty() ||
                        !made_.placed.empty() || has_new_placements();
    return std::move(made_);
}

}  // namespace

TreeSurvey survey_tree(const Acceleration& tree,
                       const scene::Scene& scene,
                       const BuildConfig& config,
                       PatchMode mode,
                       bool may_refit) {
    return Surveyor(tree, scene, config, mode, may_refit).survey();
}

}  // namespace weft::accel
