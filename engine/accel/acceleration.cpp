#include "engine/accel/acceleration.h"

#include <algorithm>

#include <tbb/parallel_for.h>

#include "engine/accel/layout.h"
#include "engine/accel/placing.h"
#include "engine/accel/split_tree.h"
#include "engine/accel/tree_parts.h"
#include "engine/accel/tree_size.h"
#include "scheduler/base/clock.h"
#include "scheduler/base/memory_limit.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::accel {

namespace {

// The BLAS of a shared mesh during a build.
struct MeshTree {
    SplitTree tree;
    std::vector<Box> cells;
    Laid laid;
    u32 mesh = 0;
    bool is_flagged = false;
};

// The state of one build. Steps, in order: split_world, split_meshes, split_top, allocate,
// lay_out_all, remember_source.
class Builder {
public:
    Builder(const scene::Scene& scene, const BuildConfig& config)
        : scene_(scene),
          config_(config),
          placing_(decide_placing(scene, config.is_visible)),
          far_(scene.instances.size()) {}

    base::Result<Acceleration> build();

private:
    base::Result<SplitTree> split_world();
    base::Status split_meshes();
    base::Result<SplitTree> split_top() const;
    base::Status allocate(const SplitNode* world, const SplitNode* top);
    void make_placements();
    Laid lay_out_all(const SplitNode* world, const SplitNode* top);
    void remember_source();

    const scene::Scene& scene_;
    const BuildConfig& config_;
    Placing placing_;
    FarMarks far_;
    std::vector<MeshTree> meshes_;
    std::vector<u32> tree_of_mesh_;  // index into meshes_; kNone: not shared, or no triangle
    std::vector<u32> placed_;        // instances that get a placement
    std::vector<Box> placed_boxes_;
    Acceleration out_;
};

// Splits the drawable triangles of all baked instances.
base::Result<SplitTree> Builder::split_world() {
    // Number the triangles.
    std::vector<u64> first(placing_.baked.size() + 1, 0);
    for (std::size_t k = 0; k < placing_.baked.size(); ++k) {
        const u32 mesh = scene_.instances[placing_.baked[k]].mesh;
        first[k + 1] = first[k] + scene_.meshes[mesh].record.triangle_count;
    }
    SplitInput input;
    input.resize(first.back());
    // Transform them to the world, and keep those that can be drawn.
    tbb::parallel_for(std::size_t{0}, placing_.baked.size(), [&](std::size_t k) {
        const u32 instance = placing_.baked[k];
        const auto count = static_cast<u32>(first[k + 1] - first[k]);
        tbb::parallel_for(0u, count, [&, instance](u32 primitive) {
            const Corners corners = world_corners(scene_, instance, primitive);
            if (is_drawable(corners, instance, far_)) {
                input.set(first[k] + primitive, {instance, primitive}, bounds_of(corners));
            }
        });
    });
    // Split them.
    input.drop_empty();
    return SplitTree::build(std::move(input), split_config(config_), "the world");
}

// Splits a BLAS per shared mesh; computes the world boxes of its placements.
base::Status Builder::split_meshes() {
    tree_of_mesh_.assign(scene_.meshes.size(), kNone);
    const std::vector<bool> flagged = flagged_meshes(scene_, placing_, config_);
    for (const u32 mesh : placing_.shared) {
        base::Result<SplitTree> tree = split_mesh(scene_, mesh, config_);
        WEFT_TRY(tree);
        if (tree.value().maybe_root()) {
            tree_of_mesh_[mesh] = static_cast<u32>(meshes_.size());
            meshes_.push_back(
                {std::move(tree.value()), mesh_cells(scene_, mesh), {}, mesh, flagged[mesh]});
        }
    }
    // Collect the placements of meshes with triangles.
    for (const u32 instance : placing_.placed) {
        if (tree_of_mesh_[scene_.instances[instance].mesh] != kNone) {
            placed_.push_back(instance);
        }
    }
    // Compute the world boxes of placements.
    placed_boxes_.resize(placed_.size());
    tbb::parallel_for(std::size_t{0}, placed_.size(), [&](std::size_t k) {
        const scene::Instance& instance = scene_.instances[placed_[k]];
        placed_boxes_[k] =
            placed_bounds(meshes_[tree_of_mesh_[instance.mesh]].cells, instance.object_to_world);
        if (!is_in_reach(placed_boxes_[k])) {
            far_.mark(placed_[k]);
        }
    });
    return base::Done{};
}

// Splits the placements. One node joins them with the baked triangles at the root.
base::Result<SplitTree> Builder::split_top() const {
    // Take one item per placement.
    SplitInput input;
    input.resize(placed_.size());
    for (u32 k = 0; k < placed_.size(); ++k) {
        input.set(k, {placed_[k], k}, placed_boxes_[k]);
    }
    input.drop_empty();
    return SplitTree::build(
        std::move(input), {1, config_.is_high_quality, &config_.should_stop}, "the instances");
}

// Allocates arrays of exactly the needed size.
base::Status Builder::allocate(const SplitNode* world, const SplitNode* top) {
    // Count the TLAS.
    u64 nodes = 1;  // the root that joins both parts of the TLAS
    u64 blocks = 0;
    u32 levels = world ? world->levels : 0;
    u32 mesh_levels = 0;
    for (const SplitNode* tree : {world, top}) {
        nodes += tree ? tree->node_count : 0;
    }
    blocks += world ? world->leaf_count : 0;
    // Count the BLASes.
    for (const MeshTree& mesh : meshes_) {
        nodes += mesh.tree.maybe_root()->node_count;
        blocks += mesh.tree.maybe_root()->leaf_count;
        mesh_levels = std::max(mesh_levels, mesh.tree.maybe_root()->levels);
    }
    // Check the limits; a single part needs no joining root.
    levels = 1 + std::max(levels, (top ? top->levels : 0) + mesh_levels);
    WEFT_TRY(check_limits(nodes, blocks, placed_.size(), levels));
    nodes -= world && top ? 0 : 1;
    // Allocate.
    out_.nodes = base::PageArray<shaders::BvhNode>(nodes);
    out_.blocks = base::PageArray<shaders::LeafBlock>(blocks);
    out_.placements = base::PageArray<shaders::Placement>(placed_.size());
    if (out_.nodes.size() != nodes || out_.blocks.size() != blocks ||
        out_.placements.size() != placed_.size()) {
        const u64 size_bytes = nodes * sizeof(shaders::BvhNode) +
                               blocks * sizeof(shaders::LeafBlock) +
                               placed_.size() * sizeof(shaders::Placement);
        return base::Error{
            base::ErrorKind::TooLarge,
            "no memory for the " + std::to_string(size_bytes) + " bytes of the tree"};
    }
    return base::Done{};
}

void Builder::make_placements() {
    tbb::parallel_for(std::size_t{0}, placed_.size(), [&](std::size_t k) {
        const scene::Instance& instance = scene_.instances[placed_[k]];
        const u32 root = meshes_[tree_of_mesh_[instance.mesh]].laid.ref;
        out_.placements[k] = placement_of(instance, placed_[k], placed_boxes_[k], root);
    });
}

// Writes all trees into the arrays. Order in memory: the root that joins, the tree over placements,
// the tree over baked triangles, then the BLASes.
Laid Builder::lay_out_all(const SplitNode* world, const SplitNode* top) {
    // Assign places.
    Place place = {world && top ? 1u : 0u, 0};
    const u32 top_node = place.node;
    place.node += static_cast<u32>(top ? top->node_count : 0);
    const u32 world_node = place.node;
    place.node += static_cast<u32>(world ? world->node_count : 0);
    place.block += static_cast<u32>(world ? world->leaf_count : 0);
    // Write the BLASes.
    for (MeshTree& mesh : meshes_) {
        const SplitNode& root = *mesh.tree.maybe_root();
        const TriangleWriter writer(
            {&scene_, out_.blocks.data(), &config_.is_flagged, false, mesh.is_flagged});
        mesh.laid = lay_out(root, place, out_.nodes.data(), writer);
        place.node += static_cast<u32>(root.node_count);
        place.block += static_cast<u32>(root.leaf_count);
    }
    ENSURE(place.node, ==, out_.nodes.size());
    ENSURE(place.block, ==, out_.blocks.size());
    // Write the placements, which refer to them.
    make_placements();

    // Write both parts of the TLAS.
    std::vector<Laid> parts;
    if (world) {
        const TriangleWriter writer(
            {&scene_, out_.blocks.data(), &config_.is_flagged, true, false});
        parts.push_back(lay_out(*world, {world_node, 0}, out_.nodes.data(), writer));
    }
    if (top) {
        std::vector<Laid> placements(placed_.size());
        for (u32 k = 0; k < placed_.size(); ++k) {
            placements[k] = {shaders::kRefInstance | k, placed_boxes_[k]};
        }
        parts.push_back(
            lay_out(*top, {top_node, 0}, out_.nodes.data(), ReferenceWriter(placements)));
    }
    if (parts.size() < 2) {
        return parts.empty() ? Laid{} : parts[0];
    }
    // Join them at the root.
    SplitNode leaves[2] = {};
    SplitNode join{};
    join.child_count = 2;
    for (u32 c = 0; c < 2; ++c) {
        leaves[c].item_count = 1;
        leaves[c].item[0] = {0, c};
        join.child[c] = &leaves[c];
    }
    return lay_out(join, {0, 0}, out_.nodes.data(), ReferenceWriter(parts));
}

// Records the source and the roots, for patches.
void Builder::remember_source() {
    // Keep the scene's arrays, by which a patch finds what changed.
    out_.source = source_of(scene_, config_);
    far_.take_from(out_.source.is_held);
    // Keep the sizes and the roots of the BLASes.
    out_.node_count = static_cast<u32>(out_.nodes.size());
    out_.block_count = static_cast<u32>(out_.blocks.size());
    out_.mesh_roots.resize(scene_.meshes.size());
    for (MeshTree& mesh : meshes_) {
        out_.mesh_roots[mesh.mesh] = {
            mesh.laid.ref, mesh.tree.maybe_root()->levels, mesh.is_flagged, std::move(mesh.cells)};
    }
    out_.is_high_quality = config_.is_high_quality;
    out_.figures.built_triangles = triangles_in_tree(scene_, placing_);
}

base::Result<Acceleration> Builder::build() {
    // Claim memory.
    WEFT_TRY(go_on(config_));
    const base::Result<base::MemoryClaim> claim =
        base::claim_memory(triangles_in_tree(scene_, placing_) * kBuildBytesOfTriangle +
                               placing_.placed.size() * kBuildBytesOfPlacement,
                           "the tree over the scene's triangles");
    WEFT_TRY(claim);
    // Split the baked triangles, the shared meshes, and the placements.
    base::Result<SplitTree> world = split_world();
    WEFT_TRY(world);
    WEFT_TRY(split_meshes());
    base::Result<SplitTree> top = split_top();
    WEFT_TRY(top);
    WEFT_TRY(go_on(config_));
    // Write all trees into arrays of their size.
    WEFT_TRY(allocate(world.value().maybe_root(), top.value().maybe_root()));
    out_.root = lay_out_all(world.value().maybe_root(), top.value().maybe_root()).ref;
    remember_source();
    return std::move(out_);
}

}  // namespace

base::Status check_limits(u64 nodes, u64 blocks, u64 placements, u32 levels) {
    const auto refuse = [](u64 found, const char* what, u64 limit) {
        return base::Error{base::ErrorKind::Scene,
                           "the scene needs " + std::to_string(found) + " " + what +
                               " in its tree, and at most " + std::to_string(limit) +
                               " are possible"};
    };
    constexpr u64 kMost = u64{shaders::kRefIndex};  // the last index is part of kRefEmpty
    if (nodes > kMost) {
        return refuse(nodes, "nodes", kMost);
    }
    if (blocks > kMost) {
        return refuse(blocks, "leaf blocks", kMost);
    }
    if (placements > kMost) {
        return refuse(placements, "placed instances", kMost);
    }
    if (levels > shaders::kMaxTreeLevels) {
        return refuse(levels, "levels", shaders::kMaxTreeLevels);
    }
    return base::Done{};
}

TreeSource source_of(const scene::Scene& scene, const BuildConfig& config) {
    TreeSource source{scene.indices, scene.positions, scene.meshes, scene.instances, {}};
    source.is_held = config.is_visible;
    source.is_held.resize(scene.instances.size(), true);
    return source;
}

base::Result<Acceleration> build_acceleration(const scene::Scene& scene,
                                              const BuildConfig& config) {
    const auto begin = base::Clock::now();
    Acceleration made;
    const base::Status status = run_build(config, [&](const BuildConfig& watched) -> base::Status {
        base::Result<Acceleration> built = Builder(scene, watched).build();
        WEFT_TRY(built);
        made = std::move(built.value());
        return base::Done{};
    });
    WEFT_TRY(status);
    made.build_s = base::seconds_since(begin);
    return made;
}

}  // namespace weft::accel
