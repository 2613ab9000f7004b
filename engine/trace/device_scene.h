// device_scene.h — copies of a scene's tables and tree in the memory of a device.
//
// The emulated GPU reads its own memory only. copy_to_device() copies all arrays of SceneView, the
// tree and the filter table before the frame; the views here point to the copies, which live as
// long as the device's memory. The tree is copied in treelets alone, which clusters copy on into
// their local memories (local_tree.h). One thread; read-only afterwards.
#pragma once

#include <vector>

#include "engine/accel/acceleration.h"
#include "engine/scene/model/scene.h"
#include "engine/trace/scene_tables.h"
#include "engine/trace/treelets.h"
#include "scheduler/base/result.h"
#include "scheduler/unit/device_memory.h"

namespace weft::trace {

struct DeviceScene {
    shaders::SceneView view{};
    TreeletView treelets{};  // none: nothing to hit
    const float* filter_table = nullptr;
};

// Fails if the device's memory is too small; the error names both sizes.
base::Result<DeviceScene> copy_to_device(const scene::Scene& scene,
                                         const SceneTables& tables,
                                         const accel::Acceleration& acceleration,
                                         const std::vector<float>& filter_table,
                                         u32 treelet_bytes,
                                         unit::DeviceMemory& memory);

}  // namespace weft::trace
