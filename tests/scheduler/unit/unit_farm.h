// unit_farm.h — CPU units and an emulated GPU with range programs, put together for a test.
#pragma once

#include <memory>
#include <vector>

#include "scheduler/unit/emulated_gpu.h"
#include "scheduler/unit/work_runner.h"
#include "tests/scheduler/unit/range_work.h"

namespace weft::unit {

struct FarmConfig {
    u32 cpu_units = 1;
    u32 gpu_units = 0;
    u32 gpu_threads = 1;
    UnitConfig unit{.most_work = 4096};
    RangeProgramConfig program{};
};

// Units 0 .. cpu_units − 1 are the CPU's, the others the device's.
class UnitFarm {
public:
    explicit UnitFarm(const FarmConfig& config) {
        const u32 count = config.cpu_units + config.gpu_units;
        for (u32 number = 0; number < count; ++number) {
            programs_.push_back(std::make_unique<RangeProgram>(config.unit, config.program));
        }
        for (u32 number = 0; number < config.cpu_units; ++number) {
            cpu_.push_back(
                std::make_unique<ExecutionUnit>(number, *programs_[number], config.unit));
        }
        std::vector<UnitProgram*> device_programs;
        for (u32 number = config.cpu_units; number < count; ++number) {
            device_programs.push_back(programs_[number].get());
        }
        gpu = std::make_unique<EmulatedGpu>(
            EmulatedGpuConfig{config.gpu_units, config.gpu_threads, u64{1} << 20},
            device_programs,
            config.unit);
    }

    [[nodiscard]] std::vector<ExecutionUnit*> units() {
        std::vector<ExecutionUnit*> all;
        for (const auto& unit : cpu_) {
            all.push_back(unit.get());
        }
        for (u32 index = 0; index < gpu->unit_count(); ++index) {
            all.push_back(&gpu->unit(index));
        }
        return all;
    }

    [[nodiscard]] std::vector<RangeProgram*> programs() {
        std::vector<RangeProgram*> all;
        for (const auto& program : programs_) {
            all.push_back(program.get());
        }
        return all;
    }

private:
    std::vector<std::unique_ptr<RangeProgram>> programs_;
    std::vector<std::unique_ptr<ExecutionUnit>> cpu_;

public:
    std::unique_ptr<EmulatedGpu> gpu;  // last: its threads end before their programs go
};

// One worker for each unit.
inline std::vector<std::vector<u32>> one_to_one(u32 count) {
    std::vector<std::vector<u32>> mapping(count);
    for (u32 worker = 0; worker < count; ++worker) {
        mapping[worker].push_back(worker);
    }
    return mapping;
}

// Unit u to worker u mod `workers`; workers beyond the units have none.
inline std::vector<std::vector<u32>> dealt(u32 units, u32 workers) {
    std::vector<std::vector<u32>> mapping(workers);
    for (u32 unit = 0; unit < units; ++unit) {
        mapping[unit % workers].push_back(unit);
    }
    return mapping;
}

}  // namespace weft::unit
