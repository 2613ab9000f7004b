// capability.h — the capability record of a physical device, which requirements are matched with
// (R1).
//
// Found once when a device is attached, then constant. Devices of one arithmetic class compute the
// same bits from the same kernel, so work may be split over them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::compute {

enum class DeviceType : u32 {
    Cpu,  // computes on the host's processor, in the host's memory
    Gpu,  // has memory of its own, and may be busy with the display
};

const char* type_name(DeviceType type);  // "cpu", "gpu"

// How device memory is cached.
enum class CacheType : u32 { None, ReadOnly, ReadWrite };

const char* cache_name(CacheType type);  // "none", "read only", "read and write"

// One instruction set that a device runs.
struct InstructionSet {
    std::string name;              // "avx2"
    std::string arithmetic_class;  // "fma"; the same bits wherever it is the same
    u32 simd_bits = 32;            // of one register
    u32 lanes = 1;                 // of 32 bits, that run in lockstep
};

struct Capability {
    std::string name;  // as users call it: "cpu", "egpu"
    DeviceType type = DeviceType::Cpu;
    std::string vendor;
    std::string version;                           // model, or driver
    u32 units = 1;                                 // that compute at once
    std::vector<InstructionSet> instruction_sets;  // best first; at least one
    u64 memory_bytes = 0;
    u64 local_memory_bytes = 0;  // of one unit
    CacheType cache = CacheType::None;
    bool has_double = false;
    bool has_images = false;     // buffers with two coordinates and a format
    bool is_emulated = false;    // computes on another device's processor
    bool draws_display = false;  // may be busy with the display (R10)
    std::vector<std::string> extensions;
    double lane_speed = 1;  // of one lane, relative to a CPU's

    [[nodiscard]] bool has_extension(std::string_view extension) const;
    // nullptr: the device does not run it.
    [[nodiscard]] const InstructionSet* find_set(std::string_view set) const;
    // The best of a class; an empty class means any. nullptr: none.
    [[nodiscard]] const InstructionSet* best_set(std::string_view arithmetic_class) const;
};

// The processor of this machine, with all of its instruction sets that kernels can be built for.
Capability cpu_capability();

struct EmulatedGpuShape {
    u32 units = 4;
    u64 memory_bytes = u64{8} << 30;
    u64 local_memory_bytes = u64{1} << 20;
};

// The emulated GPU on this processor. Empty instruction sets (the processor has none of class
// "fma"): it is unavailable.
Capability emulated_gpu_capability(const EmulatedGpuShape& shape);

}  // namespace weft::compute
