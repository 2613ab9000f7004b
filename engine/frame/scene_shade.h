// scene_shade.h — the shading kernel for one scene: its source, and the features that the scene's
// materials use as compiler options (R7).
//
// Leaving out code that no material uses changes no bit. Any thread.
#pragma once

#include <string>

#include "engine/trace/scene_tables.h"
#include "scheduler/compute/kernel_source.h"

namespace weft::frame {

// The source that the program carries, for every instruction set of the CPU.
compute::KernelSource scene_shade_source();

// "WEFT_SCENE_FLAGS=0x210 WEFT_SCENE_SLOTS=0x3" (shaders/host/feature_set.h).
std::string scene_shade_options(const trace::SceneTables& tables);

}  // namespace weft::frame
