#include "engine/accel/tree_parts.h"

#include <algorithm>
#include <atomic>
#include <new>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "scheduler/base/ensure.h"
#include "scheduler/base/memory_limit.h"

namespace weft::accel {

SplitConfig split_config(const BuildConfig& config) {
    return {std::clamp(config.leaf_fill, 1u, kMaxLeafItems),
            config.is_high_quality,
            &config.should_stop};
}

base::Status go_on(const BuildConfig& config) {
    if (config.should_stop && config.should_stop()) {
        return base::Error{base::ErrorKind::Render, "building the tree was stopped"};
    }
    return base::Done{};
}

base::Result<SplitTree> split_mesh(const scene::Scene& scene, u32 mesh, const BuildConfig& config) {
    const u32 count = scene.meshes[mesh].record.triangle_count;
    SplitInput input;
    input.resize(count);
    tbb::parallel_for(0u, count, [&](u32 primitive) {
        const Corners corners = object_corners(scene, mesh, primitive);
        if (!is_degenerate(corners)) {
            input.set(primitive, {mesh, primitive}, bounds_of(corners));
        }
    });
    input.drop_empty();
    return SplitTree::build(
        std::move(input), split_config(config), "mesh '" + scene.meshes[mesh].name + "'");
}

std::vector<bool> flagged_meshes(const scene::Scene& scene,
                                 const Placing& placing,
                                 const BuildConfig& config) {
    std::vector<bool> flagged(scene.meshes.size(), false);
    for (const u32 instance : placing.placed) {
        if (must_flag(scene, config.is_flagged, instance)) {
            flagged[scene.instances[instance].mesh] = true;
        }
    }
    return flagged;
}

shaders::Placement placement_of(const scene::Instance& instance,
                                u32 number,
                                const Box& world_box,
                                u32 root) {
    const auto inverse = math::inverse(instance.object_to_world);
    ENSURE(inverse.has_value(), ==, true);
    shaders::Placement placement{};
    for (std::size_t row = 0; row < 3; ++row) {
        std::copy_n(inverse->data() + 4 * row, 3, placement.to_object[row]);
        placement.to_object[row][3] = instance.object_to_world[4 * row + 3];
    }
    for (u32 axis = 0; axis < 3; ++axis) {
        placement.bounds[axis][0] = world_box.low[axis];
        placement.bounds[axis][1] = world_box.high[axis];
    }
    placement.root = root;
    placement.instance = number;
    return placement;
}

base::Status run_build(const BuildConfig& asked_config,
                       const std::function<base::Status(const BuildConfig&)>& build) {
    // Stop as well when the process exceeds its memory limit.
    std::atomic<bool> has_run_out{false};
    BuildConfig config = asked_config;
    config.should_stop = [&] {
        if (base::is_beyond_memory_limit()) {
            has_run_out.store(true, std::memory_order_relaxed);
        }
        return has_run_out.load(std::memory_order_relaxed) ||
               (asked_config.should_stop && asked_config.should_stop());
    };
    // Use at most the threads asked for.
    const auto cores = static_cast<u32>(tbb::this_task_arena::max_concurrency());
    const bool has_fewer = config.thread_count != 0 && config.thread_count < cores;
    tbb::task_arena arena = has_fewer ? tbb::task_arena(static_cast<int>(config.thread_count))
                                      : tbb::task_arena(tbb::task_arena::attach());
    // Build, and say whether memory ran out.
    try {
        const base::Status status = arena.execute([&] { return build(config); });
        if (!status.is_ok() && has_run_out.load(std::memory_order_relaxed)) {
            return base::beyond_memory_limit(base::ErrorKind::TooLarge,
                                             "the tree over the scene does not fit into memory");
        }
        return status;
    } catch (const std::bad_alloc&) {
        return base::Error{base::ErrorKind::TooLarge, "building the tree ran out of memory"};
    }
}

}  // namespace weft::accel
