// kernel_rows.h — the kernels of each file in kernels/, by instruction set; gathered into rows by
// kernel_table.cpp.
//
// Each function returns what was compiled for that instruction set, whether or not this machine can
// run it.
#pragma once

#include "shaders/host/shade_kernels.h"
#include "shaders/kernels/bsdf_probe.h"

namespace weft::shaders {

using CameraKernel = decltype(ShadeKernels::camera);
using ShadeKernel = decltype(ShadeKernels::shade);
using MissKernel = decltype(ShadeKernels::miss);

// A kernel and how many paths it runs in lockstep.
struct CameraRow {
    CameraKernel kernel;
    u32 lane_count;
};

// The CPU's: one register of lanes.
namespace narrow {
CameraRow camera_row(Isa isa);
ShadeKernel shade_kernel(Isa isa);
MissKernel miss_kernel(Isa isa);
}  // namespace narrow

// The emulated device's: 32 lanes, of class "fma" alone.
namespace wide {
CameraRow camera_row(Isa isa);
ShadeKernel shade_kernel(Isa isa);
MissKernel miss_kernel(Isa isa);
}  // namespace wide

const BsdfProbe* probe_row(Isa isa);

}  // namespace weft::shaders
