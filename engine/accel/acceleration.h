// acceleration.h — the tree over a scene: a two-level BVH8 of nodes and leaf blocks, built with
// Embree's builder.
//
// Instances that are the only user of their mesh are transformed to the world and share the TLAS's
// triangles; a mesh with several users has a BLAS in object space and placements in the TLAS. A
// tree keeps references to its source, for patches (tree_patch.h). Layout and hit rules:
// shaders/traverse/bvh_view.h, shaders/traverse/trace_kernels.h. Building runs on all threads; the
// result is read-only and does not depend on the number of threads.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/accel/placing.h"
#include "engine/pages/page_store.h"
#include "engine/scene/model/scene.h"
#include "scheduler/base/huge_pages.h"
#include "scheduler/base/result.h"
#include "shaders/traverse/bvh_view.h"

namespace weft::accel {

struct BuildConfig {
    u32 thread_count = 0;  // 0: all cores
    u32 leaf_fill = 4;     // target number of triangles per leaf block, 1..4 (tests vary it to get
                           // different trees)
    bool is_high_quality = true;
    // By instance: false hides it (--hide). Empty: all are visible.
    std::vector<bool> is_visible;
    // By instance: hits on it go through clip planes, alpha and tint. Empty: needs_flag() of its
    // material.
    std::vector<bool> is_flagged{};
    // By instance: light samples read its corners, so that no page holds them (surface_pages.h).
    // Empty: by its material's emission.
    std::vector<bool> is_light{};
    // Polled by the building threads; when it returns true the build ends with an error. Empty:
    // never.
    std::function<bool()> should_stop{};
    // An exact patch (tree_patch.h) refits while the cost for rays grows by this factor at most.
    double most_growth = 1.5;
    // Rays that will traverse the tree, roughly; 0: unknown. An exact patch refits only for few
    // rays per triangle: a refit saves building time, and each ray in it tests more boxes.
    u64 ray_count = 0;
};

// The BLAS of a shared mesh, in object space.
struct MeshRoot {
    u32 ref = shaders::kRefEmpty;  // kRefEmpty: the mesh has no BLAS
    u32 levels = 0;
    bool is_flagged = false;
    std::vector<Box> cells{};  // mesh_cells()
};

// The source of a tree, which patches compare with a changed scene (tree_patch.h): shared arrays,
// no copies.
struct TreeSource {
    scene::GeometryArena<u32> indices;
    scene::GeometryArena<float> positions;
    scene::Arena<scene::Mesh> meshes;
    scene::Arena<scene::Instance> instances;
    std::vector<bool> is_held;  // by instance: all of its triangles are in the tree
};

// Triangles of a tree by where they come from; those of a shared mesh count once.
struct TreeFigures {
    u64 kept_triangles = 0;      // as they were in the tree that was patched (tree_patch.h)
    u64 refitted_triangles = 0;  // with other corners in the order of that tree
    u64 built_triangles = 0;
    double growth = 1;  // of the refitted triangles' cost for rays, against that tree
};

struct Acceleration {
    base::PageArray<shaders::BvhNode> nodes;
    base::PageArray<shaders::LeafBlock> blocks;
    base::PageArray<shaders::Placement> placements;
    u32 root = shaders::kRefEmpty;
    u32 node_count = 0;  // rows in use; a patched tree has spare rows
    u32 block_count = 0;
    std::vector<MeshRoot> mesh_roots;  // by mesh
    // Of a tree with pages (paged_tree.h), which cannot be patched; nodes, blocks and placements
    // are empty then. Else null.
    std::shared_ptr<pages::PageStore> store;
    u64 subtree_bytes = 0;  // below one page root, at most; 0: as many as of a page
    TreeSource source;
    bool is_high_quality = true;
    bool is_patched = false;  // false: the result of a build
    bool is_exact = true;     // every hit has the bits that a built tree finds
    TreeFigures figures;
    double build_s = 0;

    [[nodiscard]] shaders::BvhView view() const {
        return store ? store->view()
                     : shaders::BvhView{nodes.data(), blocks.data(), placements.data(), root};
    }

    [[nodiscard]] u64 size_bytes() const {
        return store ? store->figures().resident_bytes + store->figures().budget_bytes
                     : nodes.size_bytes() + blocks.size_bytes() + placements.size_bytes();
    }
};

// Checks counts against the 30 bits of references, and levels against kMaxTreeLevels. The error
// names the limit.
base::Status check_limits(u64 nodes, u64 blocks, u64 placements, u32 levels);

// The source of a tree over this scene under this configuration.
TreeSource source_of(const scene::Scene& scene, const BuildConfig& config);

// Builds the tree. If should_stop() stops it: an error of kind Render.
base::Result<Acceleration> build_acceleration(const scene::Scene& scene, const BuildConfig& config);

}  // namespace weft::accel
