// scene_shade.h — the shading kernel for one scene: what the materials of the scene use at all, as
// options of an executable, and the source that it is built from (R7).
//
// A kernel without the code that no material asks for computes the same bits. Any thread.
#pragma once

#include <string>

#include "engine/trace/scene_tables.h"
#include "scheduler/compute/kernel_source.h"

namespace weft::frame {

// The source that the program carries, for every instruction set of the CPU.
compute::KernelSource scene_shade_source();

// "WEFT_SCENE_FLAGS=0x210 WEFT_SCENE_SLOTS=0x3" (shaders/kernels/feature_set.h).
std::string scene_shade_options(const trace::SceneTables& tables);

}  // namespace weft::frame
