// frame_kernels.h — the kernels of shaders/ as executables of the runtime's library with the
// parameters that each reads and writes, and the kernel tables of a device made from executables.
//
// Pure but for the library. Any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scheduler/compute/kernel_library.h"
#include "shaders/host/shade_kernels.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::frame {

// Parameters beside the scene's arrays (engine/trace/device_scene.h), which have their own names.
inline constexpr const char* kPathsParameter = "paths";    // path state of all units of the device
inline constexpr const char* kFilterParameter = "filter";  // of the pixel
// The guide of paths; empty where they are not guided.
inline constexpr const char* kGuideSlotsParameter = "guide_slots";
inline constexpr const char* kGuideTablesParameter = "guide_tables";
// The tree: nodes, leaf blocks and placements. On a device with memory of its own: images of
// treelets, where each begins, and placements.
inline constexpr const char* kTreeParameter = "tree";
inline constexpr const char* kTreePartsParameter = "tree_parts";
inline constexpr const char* kPlacementsParameter = "placements";
// Of a tree with pages: the arrays of the page store, which every device reads in place. Without
// pages they are empty; with pages the processor reads its nodes and blocks here alone.
inline constexpr const char* kPageNodesParameter = "page_nodes";
inline constexpr const char* kPageBlocksParameter = "page_blocks";
inline constexpr const char* kPageRecordsParameter = "page_records";  // of surfaces, for shading

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

[[nodiscard]] std::vector<std::string> frame_kernel_names();

// The tables of a device from the executable of each kernel. Error: that of `find`.
base::Result<DeviceKernels> frame_kernels(
    compute::DeviceType type,
    const std::function<base::Result<compute::ExecutablePointer>(const char* kernel)>& find);

// The best executable of each kernel for a device. Error: a kernel has none.
base::Result<DeviceKernels> load_frame_kernels(const compute::KernelLibrary& library,
                                               const compute::Capability& device,
                                               const compute::Wish& wish);

}  // namespace weft::frame
