#include "scheduler/compute/capability.h"

#include <algorithm>
#include <array>
#include <cpuid.h>
#include <cstring>
#include <thread>
#include <unistd.h>

#include <hwy/highway.h>
#include <hwy/targets.h>

namespace weft::compute {

namespace {

// Lanes of the emulated GPU run in lockstep in registers of the processor.
constexpr u32 kEmulatedLanes = 32;

// An emulated device has no more lanes at once than the processor. With two threads it rendered
// 0.42 to 0.46 of what the CPU did (apartment, dragon).
constexpr double kEmulatedShare = 0.45;

u64 system_bytes(int name) {
    const long found = sysconf(name);
    return found > 0 ? static_cast<u64>(found) : 0;
}

// The text in the registers of some leaves of cpuid, without blanks at its ends.
std::string cpuid_text(u32 first, u32 last, const std::array<u32, 4>& order) {
    std::string text;
    for (u32 leaf = first; leaf <= last; ++leaf) {
        std::array<u32, 4> words{};
        if (__get_cpuid(leaf, &words[0], &words[1], &words[2], &words[3]) == 0) {
            return {};
        }
        for (const u32 word : order) {
            std::array<char, 4> letters{};
            if (word < 4) {
                std::memcpy(letters.data(), &words[word], letters.size());
                text.append(letters.data(), letters.size());
            }
        }
    }
    std::erase(text, '\0');
    const std::size_t begin = text.find_first_not_of(' ');
    const std::size_t end = text.find_last_not_of(' ');
    return begin == std::string::npos ? std::string() : text.substr(begin, end - begin + 1);
}

std::vector<InstructionSet> processor_sets() {
    const auto targets = hwy::SupportedTargets();
    std::vector<InstructionSet> sets;
    if ((targets & HWY_AVX3) != 0) {
        sets.push_back({"avx512", "fma", 512, 16});
    }
    if ((targets & HWY_AVX2) != 0) {
        sets.push_back({"avx2", "fma", 256, 8});
    }
    if ((targets & HWY_SSE4) != 0) {
        sets.push_back({"sse4", "sse4", 128, 4});
    }
    return sets;
}

}  // namespace

const char* type_name(DeviceType type) {
    return type == DeviceType::Cpu ? "cpu" : "gpu";
}

const char* cache_name(CacheType type) {
    constexpr std::array<const char*, 3> kNames = {"none", "read only", "read and write"};
    return kNames[static_cast<u32>(type)];
}

bool Capability::has_extension(std::string_view extension) const {
    return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

const InstructionSet* Capability::find_set(std::string_view set) const {
    for (const InstructionSet& own : instruction_sets) {
        if (own.name == set) {
            return &own;
        }
    }
    return nullptr;
}

const InstructionSet* Capability::best_set(std::string_view arithmetic_class) const {
    for (const InstructionSet& own : instruction_sets) {
        if (arithmetic_class.empty() || own.arithmetic_class == arithmetic_class) {
            return &own;
        }
    }
    return nullptr;
}

Capability cpu_capability() {
    Capability cpu;
    cpu.name = "cpu";
    cpu.type = DeviceType::Cpu;
    cpu.vendor = cpuid_text(0, 0, {1, 3, 2, 4});
    cpu.version = cpuid_text(0x80000002U, 0x80000004U, {0, 1, 2, 3});
    cpu.units = std::max(1U, std::thread::hardware_concurrency());
    cpu.instruction_sets = processor_sets();
    cpu.memory_bytes = system_bytes(_SC_PHYS_PAGES) * system_bytes(_SC_PAGESIZE);
    cpu.local_memory_bytes = system_bytes(_SC_LEVEL2_CACHE_SIZE);
    cpu.cache = CacheType::ReadWrite;
    cpu.has_double = true;
    cpu.has_images = true;
    for (const InstructionSet& set : cpu.instruction_sets) {
        cpu.extensions.push_back(set.name);
    }
    return cpu;
}

Capability emulated_gpu_capability(const EmulatedGpuShape& shape) {
    Capability gpu = cpu_capability();
    gpu.name = "egpu";
    gpu.type = DeviceType::Gpu;
    gpu.vendor = "Weft";
    gpu.version = "emulated on " + gpu.version;
    const u32 units = gpu.units;
    gpu.units = shape.units;
    std::erase_if(gpu.instruction_sets,
                  [](const InstructionSet& set) { return set.arithmetic_class != "fma"; });
    const double own = static_cast<double>(shape.units) * kEmulatedLanes;
    const double processor = gpu.instruction_sets.empty()
                                 ? 0
                                 : static_cast<double>(units) * gpu.instruction_sets.front().lanes;
    gpu.lane_speed = std::min(1.0, processor / own) * kEmulatedShare;
    for (InstructionSet& set : gpu.instruction_sets) {
        set.lanes = kEmulatedLanes;
    }
    gpu.memory_bytes = shape.memory_bytes;
    gpu.local_memory_bytes = shape.local_memory_bytes;
    gpu.is_emulated = true;
    gpu.draws_display = true;
    gpu.extensions = {"lockstep32", "counts_branches"};
    return gpu;
}

}  // namespace weft::compute
