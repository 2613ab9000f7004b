// kernel_rows.h — the kernels of each file in kernels/, by instruction set; gathered into rows by
// kernel_table.cpp.
//
// Each function returns the kernel compiled for an instruction set, or null where there is none. It
// does not check that this machine can run it.
#pragma once

#include "shaders/host/shade_kernels.h"
#include "shaders/kernels/bsdf_probe.h"

namespace weft::shaders {

using CameraKernel = decltype(ShadeKernels::camera);
using ShadeKernel = decltype(ShadeKernels::shade);
using MissKernel = decltype(ShadeKernels::miss);

// A camera kernel, and the number of paths that it runs in lockstep.
struct CameraRow {
    CameraKernel kernel;
    u32 lane_count;
};

// For the CPU: one register of lanes.
namespace narrow {
CameraRow camera_row(Isa isa);
ShadeKernel shade_kernel(Isa isa);
MissKernel miss_kernel(Isa isa);
}  // namespace narrow

// For the emulated device: 32 lanes, arithmetic class "fma" alone.
namespace wide {
CameraRow camera_row(Isa isa);
ShadeKernel shade_kernel(Isa isa);
MissKernel miss_kernel(Isa isa);
}  // namespace wide

// One lane, without vectors; for AVX-512 those of AVX2.
namespace single {
CameraRow camera_row(Isa isa);
ShadeKernel shade_kernel(Isa isa);
MissKernel miss_kernel(Isa isa);
}  // namespace single

const BsdfProbe* probe_row(Isa isa);

}  // namespace weft::shaders
