#include "engine/accel/acceleration.h"

#include <algorithm>

#include <tbb/parallel_for.h>

#include "engine/accel/layout.h"
#include "engine/accel/placing.h"
#include "engine/accel/split_tree.h"
#include "engine/accel/tree_parts.h"
#include "engine/accel/tree_pieces.h"
#include "engine/accel/tree_size.h"
#include "scheduler/base/clock.h"
#include "scheduler/base/memory_limit.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::accel {

namespace {

// Pieces of the baked triangles are at most so many, or as many as placements. (64 beside 5000
// placements cost rays more nodes than one piece, 500 fewer.)
constexpr u64 kMostPieces = 1024;

// The BLAS of a shared mesh during a build.
struct MeshTree {
    SplitTree tree;
    std::vector<Box> cells;
    Laid laid;
    u32 mesh = 0;
    bool is_flagged = false;
};

// The state of one build. Steps, in order: split_world, split_meshes, cut_world, split_top,
// allocate, lay_out_all, remember_source.
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
    void cut_world(const SplitNode* world);
    base::Result<SplitTree> split_top() const;
    base::Status allocate(const SplitNode* top);
    void make_placements();
    Laid lay_out_all(const SplitNode* top);
    void remember_source();

    const scene::Scene& scene_;
    const BuildConfig& config_;
    Placing placing_;
    FarMarks far_;
    std::vector<MeshTree> meshes_;
    std::vector<u32> tree_of_mesh_;  // index into meshes_; kNone: not shared, or no triangle
    std::vector<u32> placed_;        // instances that get a placement
    std::vector<Box> placed_boxes_;
    std::vector<TreePiece> pieces_;  // of the baked triangles
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

// Cuts the tree over the baked triangles; without placements it stays whole.
void Builder::cut_world(const SplitNode* world) {
    if (world) {
        const u64 most = std::max<u64>(kMostPieces, placed_.size());
        pieces_ = cut_pieces(*world, placed_.empty() ? 1 : most);
    }
}

// Splits the placements and the pieces of the baked triangles.
base::Result<SplitTree> Builder::split_top() const {
    SplitInput input;
    const auto first_piece = static_cast<u32>(placed_.size());
    input.resize(placed_.size() + pieces_.size());
    for (u32 k = 0; k < placed_.size(); ++k) {
        input.set(k, {placed_[k], k}, placed_boxes_[k]);
    }
    for (u32 k = 0; k < pieces_.size(); ++k) {
        input.set(first_piece + k, {0, first_piece + k}, pieces_[k].tree->box);
    }
    input.drop_empty();
    return SplitTree::build(
        std::move(input), {1, config_.is_high_quality, &config_.should_stop}, "the instances");
}

// Allocates arrays of exactly the needed size.
base::Status Builder::allocate(const SplitNode* top) {
    // Count the TLAS.
    u64 nodes = top ? top->node_count : 0;
    u64 blocks = 0;
    u32 levels = 0;
    for (const TreePiece& piece : pieces_) {
        nodes += piece.tree->node_count;
        blocks += piece.tree->leaf_count;
        levels = std::max(levels, piece.tree->levels);
    }
    // Count the BLASes.
    for (const MeshTree& mesh : meshes_) {
        nodes += mesh.tree.maybe_root()->node_count;
        blocks += mesh.tree.maybe_root()->leaf_count;
        levels = std::max(levels, mesh.tree.maybe_root()->levels);
    }
    levels += top ? top->levels : 0;
    WEFT_TRY(check_limits(nodes, blocks, placed_.size(), levels));
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

// Writes all trees into the arrays. Order in memory: the tree over placements and pieces, the
// pieces, then the BLASes.
Laid Builder::lay_out_all(const SplitNode* top) {
    // Assign places.
    const auto first_piece = static_cast<u32>(placed_.size());
    Place place;
    if (top) {
        place.node = static_cast<u32>(top->node_count);
        place = place_pieces(*top, first_piece, place, pieces_);
    }
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

    // Write the TLAS.
    if (!top) {
        return {};
    }
    const TriangleWriter writer({&scene_, out_.blocks.data(), &config_.is_flagged, true, false});
    lay_out_pieces(pieces_, out_.nodes.data(), writer);
    std::vector<Laid> parts(placed_.size() + pieces_.size());
    for (u32 k = 0; k < placed_.size(); ++k) {
        const u32 mesh = scene_.instances[placed_[k]].mesh;
        parts[k] = laid_placement(k, placed_boxes_[k], meshes_[tree_of_mesh_[mesh]].laid);
    }
    for (u32 k = 0; k < pieces_.size(); ++k) {
        parts[first_piece + k] = pieces_[k].laid;
    }
    return lay_out(*top, {}, out_.nodes.data(), ReferenceWriter(parts));
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
    cut_world(world.value().maybe_root());
    base::Result<SplitTree> top = split_top();
    WEFT_TRY(top);
    WEFT_TRY(go_on(config_));
    // Write all trees into arrays of their size.
    WEFT_TRY(allocate(top.value().maybe_root()));
    out_.root = lay_out_all(top.value().maybe_root()).ref;
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
