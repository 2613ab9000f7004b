// device_scene.h — the arrays of a scene that kernels read, by name: what devices get of it.
//
// Each row says which array of SceneView it is, how many elements it has, and which kernels read
// it. The frame makes a buffer of the runtime of each (engine/frame/frame_objects.h): the processor
// reads the host's arrays in place, a device with memory of its own gets copies. The tree is not
// among them: such a device gets it in treelets (treelets.h). Constant; any thread.
#pragma once

#include <span>

#include "engine/scene/model/scene.h"
#include "engine/trace/scene_tables.h"

namespace weft::trace {

// Kernels that read an array, as bits.
inline constexpr u32 kReadByTrace = 1;  // hits: geometry, alpha and tint of flagged triangles
inline constexpr u32 kReadByShade = 2;
inline constexpr u32 kReadByMiss = 4;

struct SceneArray {
    const char* name;
    u32 element_bytes;
    u32 readers;
    bool may_be_null;  // where no material of the scene needs it
    bool is_image;     // the environment
    const void* (*get)(const shaders::SceneView& view);
    void (*set)(shaders::SceneView& view, const void* place);
    u64 (*count)(const scene::Scene& scene, const SceneTables& tables);
};

std::span<const SceneArray> scene_arrays();

// The bytes of an array in the host's memory; empty ones may have no address.
std::span<const std::byte> bytes_of(const SceneArray& array,
                                    const scene::Scene& scene,
                                    const SceneTables& tables);

}  // namespace weft::trace
