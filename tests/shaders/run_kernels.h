// run_kernels.h — runs one shading kernel over random paths, in calls of any size; tests compare
// the slots afterwards.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "shaders/host/shade_kernels.h"
#include "tests/shaders/random_paths.h"

namespace weft::tests {

inline constexpr u32 kPaths = 1500;

inline std::vector<float> filter_table() {
    std::vector<float> table(kFilterTableSize + 1);
    for (u32 i = 0; i <= kFilterTableSize; ++i) {
        table[i] = static_cast<float>(i) / kFilterTableSize - 0.5f;
    }
    return table;
}

inline RenderParams render_params(const std::vector<float>& table) {
    return {640, 360, 42, 5, 20.0f, 5.0f, 1, table.data(), 0.2f};
}

inline CameraRecord lens_camera() {
    return {{1, 2, 3},
            {1, 0, 0},
            {0, 1, 0},
            {0, 0, -1},
            0.8f,
            0.45f,
            0,
            0.1f,
            4.0f,
            0.002f,
            0,
            0.03f,
            -0.02f};
}

inline std::vector<u32> slots_in_order() {
    std::vector<u32> ids(kPaths);
    std::iota(ids.begin(), ids.end(), 0u);
    return ids;
}

enum class Kernel { Camera, Shade, Miss };

inline constexpr Kernel kKernels[] = {Kernel::Camera, Kernel::Shade, Kernel::Miss};

// Runs one kernel over `ids` in calls of `step` slots.
inline void run_kernel(const ShadeKernels& row,
                       Kernel kernel,
                       const SceneView& scene,
                       PathArrays& arrays,
                       const std::vector<u32>& ids,
                       u32 step,
                       ShadeCounters& counters) {
    static const std::vector<float> kTable = filter_table();
    const RenderParams params = render_params(kTable);
    const PathView view = arrays.view();
    for (u32 first = 0; first < ids.size(); first += step) {
        const u32 count = std::min(step, static_cast<u32>(ids.size()) - first);
        switch (kernel) {
            case Kernel::Camera:
                row.camera(lens_camera(), params, view, ids.data() + first, count, counters);
                break;
            case Kernel::Shade:
                row.shade(scene, params, view, ids.data() + first, count, counters);
                break;
            case Kernel::Miss:
                row.miss(scene, params, view, ids.data() + first, count, counters);
                break;
        }
    }
}

inline PathArrays ran(const ShadeKernels& row,
                      Kernel kernel,
                      const SceneView& scene,
                      const std::vector<u32>& ids,
                      u32 step) {
    PathArrays arrays(kPaths);
    fill_paths(arrays, 5);
    ShadeCounters counters;
    run_kernel(row, kernel, scene, arrays, ids, step, counters);
    return arrays;
}

// Counters of one kernel over the first `count` slots, in calls of `step`.
inline ShadeCounters counted(
    const ShadeKernels& row, Kernel kernel, const SceneView& scene, u32 count, u32 step) {
    PathArrays arrays(kPaths);
    fill_paths(arrays, 5);
    std::vector<u32> ids = slots_in_order();
    ids.resize(count);
    ShadeCounters counters;
    run_kernel(row, kernel, scene, arrays, ids, step, counters);
    return counters;
}

inline u32 differing_slots(const PathArrays& a, const PathArrays& b) {
    u32 count = 0;
    for (u32 i = 0; i < kPaths; ++i) {
        count += a.same_slot(b, i) ? 0u : 1u;
    }
    return count;
}

}  // namespace weft::tests
