// acceleration.h — the tree over a scene: BVH8 nodes and leaf blocks, built with Embree's builder,
// two levels.
//
// Instances that are the only user of their mesh are transformed to the world once and share one
// tree; a mesh with several users has a tree in object space and placements in the world tree.
// A tree keeps what it was made of, for patches (tree_patch.h).
// Layout and hit rules: shaders/traverse/bvh_view.h, shaders/traverse/trace_kernels.h. Building
// runs on all threads; the result is read-only and free of the thread count.
#pragma once

#include <functional>
#include <vector>

#include "engine/accel/placing.h"
#include "engine/scene/model/scene.h"
#include "scheduler/base/huge_pages.h"
#include "scheduler/base/result.h"
#include "shaders/traverse/bvh_view.h"

namespace weft::accel {

struct BuildConfig {
    u32 thread_count = 0;  // 0: all cores
    u32 leaf_fill = 4;  // triangles that the builder aims at per leaf block, 1..4 (tests vary it to
                        // get other trees)
    bool is_high_quality = true;
    // Instances whose bit is false are left out (--hide). Empty: all are in.
    std::vector<bool> is_visible;
    // Instances whose hits traversal asks about. Empty: as needs_flag() of their material says.
    std::vector<bool> is_flagged{};
    // Asked now and then by any building thread; once true the build ends with an error. Empty:
    // it is never stopped.
    std::function<bool()> should_stop{};
};

// The tree of a shared mesh in its own space; its placements lead to it.
struct MeshRoot {
    u32 ref = shaders::kRefEmpty;  // kRefEmpty: the mesh has none
    u32 levels = 0;
    bool is_flagged = false;
    std::vector<Box> cells{};  // mesh_cells()
};

// What a tree was made of, so that it can be patched (tree_patch.h): shared arrays, not copies.
struct TreeSource {
    scene::Arena<u32> indices;
    scene::Arena<float> positions;
    scene::Arena<scene::Mesh> meshes;
    scene::Arena<scene::Instance> instances;
    std::vector<bool> is_held;  // by instance: whether all of it is in the tree
};

struct Acceleration {
    base::PageArray<shaders::BvhNode> nodes;
    base::PageArray<shaders::LeafBlock> blocks;
    base::PageArray<shaders::Placement> placements;
    u32 root = shaders::kRefEmpty;
    u32 node_count = 0;  // rows in use: a patched tree has room for more
    u32 block_count = 0;
    std::vector<MeshRoot> mesh_roots;  // by mesh
    TreeSource source;
    bool is_high_quality = true;
    bool is_patched = false;  // else it is what a build of its scene gives
    double build_s = 0;

    [[nodiscard]] shaders::BvhView view() const {
        return {nodes.data(), blocks.data(), placements.data(), root};
    }

    [[nodiscard]] u64 size_bytes() const {
        return nodes.size_bytes() + blocks.size_bytes() + placements.size_bytes();
    }
};

// References have 30 bits and kernels' stacks kMaxTreeLevels levels: an error says what there is
// too much of.
base::Status check_limits(u64 nodes, u64 blocks, u64 placements, u32 levels);

// What a tree of this scene under this configuration is made of.
TreeSource source_of(const scene::Scene& scene, const BuildConfig& config);

// Stopped: an error of kind Render.
base::Result<Acceleration> build_acceleration(const scene::Scene& scene, const BuildConfig& config);

}  // namespace weft::accel
