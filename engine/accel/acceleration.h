// acceleration.h — the tree over a scene: BVH8 nodes and leaf blocks, built with Embree's builder,
// two levels.
//
// Instances that are the only user of their mesh are transformed to the world once and share one
// tree; a mesh with several users has a tree in object space and placements in the world tree.
// Layout and hit rules: shaders/bvh_view.h, shaders/trace_kernels.h. Building runs on all threads;
// the result is read-only and free of the thread count.
#pragma once

#include <vector>

#include "engine/scene/scene.h"
#include "scheduler/base/huge_pages.h"
#include "scheduler/base/result.h"
#include "shaders/bvh_view.h"

namespace weft::accel {

struct BuildConfig {
    u32 thread_count = 0;  // 0: all cores
    u32 leaf_fill = 4;  // triangles that the builder aims at per leaf block, 1..4 (tests vary it to
                        // get other trees)
    bool is_high_quality = true;
    // Instances whose bit is false are left out (--hide). Empty: all are in.
    std::vector<bool> is_visible;
    // Instances whose hits traversal asks about. Empty: as needs_asking() of their material says.
    std::vector<bool> is_asked{};
};

struct Acceleration {
    base::PageArray<shaders::BvhNode> nodes;
    base::PageArray<shaders::LeafBlock> blocks;
    base::PageArray<shaders::Placement> placements;
    u32 root = shaders::kRefEmpty;
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

base::Result<Acceleration> build_acceleration(const scene::Scene& scene, const BuildConfig& config);

}  // namespace weft::accel
