// frame_kernels.h — the kernels of shaders/ as executables of the runtime's library, and the kernel
// tables of a device made from its chosen executables.
//
// Called by frame_runtime.cpp, on one thread.
#pragma once

#include <string>
#include <vector>

#include "scheduler/compute/kernel_library.h"
#include "shaders/host/shade_kernels.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::frame {

// Declares every kernel of a frame and adds the linked executables that this machine runs: those of
// the CPU and those of the emulated GPU.
void add_frame_kernels(compute::KernelLibrary& library);

// The kernels of one device. They point into code that `held` keeps loaded.
struct DeviceKernels {
    shaders::Isa isa = shaders::Isa::Sse4;
    shaders::ShadeKernels shade{};
    shaders::TraceKernels trace{};
    std::vector<compute::ExecutablePointer> held;
};

// The best executable of each kernel for a device. Error: a kernel has none.
base::Result<DeviceKernels> load_frame_kernels(const compute::KernelLibrary& library,
                                               const compute::Capability& device,
                                               const compute::Wish& wish);

}  // namespace weft::frame
