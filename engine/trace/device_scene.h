// device_scene.h — a scene in the memory of a device: copies of all that kernels read.
//
// The emulated GPU reads its own memory only. Everything that SceneView and BvhView point at, and
// the filter table, is copied in before the frame; the views here point at the copies. They live as
// long as the device's memory. One thread; read-only afterwards.
#pragma once

#include <vector>

#include "engine/accel/acceleration.h"
#include "engine/scene/model/scene.h"
#include "engine/trace/scene_tables.h"
#include "scheduler/base/result.h"
#include "scheduler/unit/device_memory.h"

namespace weft::trace {

struct DeviceScene {
    shaders::SceneView view{};
    shaders::BvhView bvh{};
    const float* filter_table = nullptr;
};

// Error: the device's memory is too small; the sentence says what it has and what is needed.
base::Result<DeviceScene> copy_to_device(const scene::Scene& scene,
                                         const SceneTables& tables,
                                         const accel::Acceleration& acceleration,
                                         const std::vector<float>& filter_table,
                                         unit::DeviceMemory& memory);

}  // namespace weft::trace
