#include "engine/accel/paged_build.h"

#include <algorithm>
#include <span>

#include <tbb/parallel_for.h>

#include "engine/accel/layout.h"
#include "engine/accel/surface_pages.h"
#include "engine/accel/tree_parts.h"
#include "engine/accel/tree_size.h"
#include "engine/accel/world_regions.h"
#include "scheduler/base/memory_limit.h"

namespace weft::accel {

namespace {

constexpr u64 kFewestTriangles = u64{1} << 14;
constexpr u64 kMostTriangles = u64{1} << 22;

// What the TLAS refers to.
struct WrittenPart {
    Laid laid;  // the reference is the writer's
    u32 levels = 0;
};

// The state of one build. Steps, in order: write_surfaces, write_meshes, place_instances,
// write_regions, write_top.
class PagedBuilder {
public:
    PagedBuilder(const scene::Scene& scene,
                 const BuildConfig& config,
                 u64 most_triangles,
                 pages::PageFileWriter& writer)
        : scene_(scene),
          config_(config),
          most_triangles_(most_triangles),
          writer_(writer),
          placing_(decide_placing(scene, config.is_visible)),
          far_(scene.instances.size()) {}

    base::Status build(PagedBuild& out);

private:
    base::Status write_meshes();
    void place_instances();
    base::Status write_regions();
    base::Result<u32> write_top();
    base::Result<WrittenPart> write(const SplitTree& tree, TriangleWriter::Config triangles);

    const scene::Scene& scene_;
    const BuildConfig& config_;
    u64 most_triangles_;
    pages::PageFileWriter& writer_;
    Placing placing_;
    FarMarks far_;
    std::vector<WrittenPart> meshes_;      // by mesh; empty: no BLAS
    std::vector<std::vector<Box>> cells_;  // by mesh
    std::vector<WrittenPart> regions_;
    std::vector<u32> placed_;  // instances that get a placement
    std::vector<Box> placed_boxes_;
    std::vector<shaders::Placement> placements_;
};

// Lays a part out in arrays of its own and hands it to the writer.
base::Result<WrittenPart> PagedBuilder::write(const SplitTree& tree,
                                              TriangleWriter::Config triangles) {
    const SplitNode* const root = tree.maybe_root();
    if (!root) {
        return WrittenPart{};
    }
    std::vector<shaders::BvhNode> nodes(root->node_count);
    std::vector<shaders::LeafBlock> blocks(root->leaf_count);
    triangles.scene = &scene_;
    triangles.blocks = blocks.data();
    triangles.is_instance_flagged = &config_.is_flagged;
    WrittenPart part{lay_out(*root, {0, 0}, nodes.data(), TriangleWriter(triangles)), root->levels};
    base::Result<u32> written = writer_.append({nodes.data(), blocks.data(), part.laid.ref});
    WEFT_TRY(written);
    part.laid.ref = written.value();
    return part;
}

base::Status PagedBuilder::write_meshes() {
    meshes_.resize(scene_.meshes.size());
    cells_.resize(scene_.meshes.size());
    const std::vector<bool> flagged = flagged_meshes(scene_, placing_, config_);
    for (const u32 mesh : placing_.shared) {
        const base::Result<base::MemoryClaim> claim =
            base::claim_memory(scene_.meshes[mesh].record.triangle_count * kBuildBytesOfTriangle,
                               "the tree over mesh '" + scene_.meshes[mesh].name + "'");
        WEFT_TRY(claim);
        WEFT_TRY(go_on(config_));
        base::Result<SplitTree> tree = split_mesh(scene_, mesh, config_);
        WEFT_TRY(tree);
        base::Result<WrittenPart> part =
            write(tree.value(), {.is_world = false, .is_flagged = flagged[mesh]});
        WEFT_TRY(part);
        meshes_[mesh] = part.value();
        if (part.value().laid.ref != shaders::kRefEmpty) {
            cells_[mesh] = mesh_cells(scene_, mesh);
        }
    }
    return base::Done{};
}

// Computes the records of placed instances, and their world boxes.
void PagedBuilder::place_instances() {
    for (const u32 instance : placing_.placed) {
        if (meshes_[scene_.instances[instance].mesh].laid.ref != shaders::kRefEmpty) {
            placed_.push_back(instance);
        }
    }
    placed_boxes_.resize(placed_.size());
    placements_.resize(placed_.size());
    tbb::parallel_for(std::size_t{0}, placed_.size(), [&](std::size_t k) {
        const scene::Instance& instance = scene_.instances[placed_[k]];
        placed_boxes_[k] = placed_bounds(cells_[instance.mesh], instance.object_to_world);
        if (!is_in_reach(placed_boxes_[k])) {
            far_.mark(placed_[k]);
        }
        placements_[k] =
            placement_of(instance, placed_[k], placed_boxes_[k], meshes_[instance.mesh].laid.ref);
    });
    cells_ = {};
}

base::Status PagedBuilder::write_regions() {
    const WorldRegions regions = WorldRegions::cut(scene_, placing_.baked, most_triangles_, far_);
    for (std::size_t region = 0; region < regions.size(); ++region) {
        WEFT_TRY(go_on(config_));
        const std::vector<SplitItem> triangles = regions.triangles_of(region);
        const base::Result<base::MemoryClaim> claim = base::claim_memory(
            triangles.size() * kBuildBytesOfTriangle, "the tree over the scene's triangles");
        WEFT_TRY(claim);
        SplitInput input;
        input.resize(triangles.size());
        tbb::parallel_for(std::size_t{0}, triangles.size(), [&](std::size_t k) {
            const SplitItem& item = triangles[k];
            input.set(k, item, bounds_of(world_corners(scene_, item.owner, item.index)));
        });
        base::Result<SplitTree> tree =
            SplitTree::build(std::move(input), split_config(config_), "the world");
        WEFT_TRY(tree);
        base::Result<WrittenPart> part = write(tree.value(), {.is_world = true});
        WEFT_TRY(part);
        regions_.push_back(part.value());
    }
    return base::Done{};
}

// Builds the tree over regions and placements. The root of a single region is that of the scene.
base::Result<u32> PagedBuilder::write_top() {
    if (placed_.empty() && regions_.size() == 1) {
        return regions_[0].laid.ref;
    }
    // Take one item for each region and placement.
    std::vector<Laid> parts;
    u32 region_levels = 0;
    u32 mesh_levels = 0;
    for (const WrittenPart& region : regions_) {
        parts.push_back(region.laid);
        region_levels = std::max(region_levels, region.levels);
    }
    for (u32 k = 0; k < placed_.size(); ++k) {
        const Laid& mesh = meshes_[scene_.instances[placed_[k]].mesh].laid;
        parts.push_back(laid_placement(k, placed_boxes_[k], mesh));
    }
    for (const WrittenPart& mesh : meshes_) {
        mesh_levels = std::max(mesh_levels, mesh.levels);
    }
    SplitInput input;
    input.resize(parts.size());
    for (u32 k = 0; k < parts.size(); ++k) {
        input.set(k, {0, k}, parts[k].box);
    }
    input.drop_empty();
    // Split them, and lay the tree out.
    base::Result<SplitTree> top =
        SplitTree::build(std::move(input),
                         {1, config_.is_high_quality, &config_.should_stop},
                         "the regions and instances");
    WEFT_TRY(top);
    const SplitNode* const root = top.value().maybe_root();
    if (!root) {
        return shaders::kRefEmpty;
    }
    const u32 levels = root->levels + std::max(region_levels, mesh_levels);
    WEFT_TRY(check_limits(root->node_count, 0, placed_.size(), levels));
    // A root needs a node, also over a single part.
    std::vector<shaders::BvhNode> nodes(std::max<u64>(root->node_count, 1));
    const Laid laid = root->child_count == 0
                          ? join_children({&parts[root->item[0].index], 1}, 0, nodes.data())
                          : lay_out(*root, {0, 0}, nodes.data(), ReferenceWriter(parts));
    return writer_.append({nodes.data(), nullptr, laid.ref});
}

base::Status PagedBuilder::build(PagedBuild& out) {
    WEFT_TRY(go_on(config_));
    WEFT_TRY(write_surfaces(scene_, config_, writer_));
    WEFT_TRY(go_on(config_));
    WEFT_TRY(write_meshes());
    place_instances();
    WEFT_TRY(write_regions());
    const base::Result<u32> root = write_top();
    WEFT_TRY(root);
    base::Result<pages::ResidentTree> tree = writer_.finish(std::move(placements_), root.value());
    WEFT_TRY(tree);
    out.tree = std::move(tree.value());
    out.source = source_of(scene_, config_);
    far_.take_from(out.source.is_held);
    out.built_triangles = triangles_in_tree(scene_, placing_);
    return base::Done{};
}

}  // namespace

u64 most_region_triangles(u64 memory_bytes) {
    return std::clamp(memory_bytes / 4 / kBuildBytesOfTriangle, kFewestTriangles, kMostTriangles);
}

base::Result<PagedBuild> build_into_pages(const scene::Scene& scene,
                                          const BuildConfig& config,
                                          u64 memory_bytes,
                                          pages::PageFileWriter& writer) {
    PagedBuild made;
    WEFT_TRY(run_build(config, [&](const BuildConfig& watched) {
        return PagedBuilder(scene, watched, most_region_triangles(memory_bytes), writer)
            .build(made);
    }));
    return made;
}

}  // namespace weft::accel
