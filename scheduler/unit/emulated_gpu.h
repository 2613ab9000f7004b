// emulated_gpu.h — a device of execution units with memory and threads of its own.
//
// Its threads step the units in turn; without a ringing doorbell or a busy program they spin,
// yield, and then park. The doorbells are those of a CPU unit (W10).
//
// Owner thread: construct, set_hook, start, stop, destroy. Any thread: unit(i)'s calls, wake.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/unit/device_memory.h"
#include "scheduler/unit/execution_unit.h"
#include "scheduler/unit/parking.h"
#include "scheduler/unit/worker_pool.h"

namespace weft::unit {

struct EmulatedGpuConfig {
    u32 unit_count = 4;
    // One thread may step several units. 0: workers step them, as on a CPU. At most one per unit
    // is made.
    u32 thread_count = 1;
    u64 memory_bytes = u64{1} << 30;
};

class EmulatedGpu {
public:
    // One program per unit; they must outlive the device.
    EmulatedGpu(const EmulatedGpuConfig& config,
                std::span<UnitProgram* const> programs,
                const UnitConfig& unit_config);
    // Stops.
    ~EmulatedGpu();
    EmulatedGpu(const EmulatedGpu&) = delete;
    EmulatedGpu& operator=(const EmulatedGpu&) = delete;
    EmulatedGpu(EmulatedGpu&&) = delete;
    EmulatedGpu& operator=(EmulatedGpu&&) = delete;

    [[nodiscard]] u32 unit_count() const { return static_cast<u32>(units_.size()); }

    [[nodiscard]] u32 thread_count() const { return static_cast<u32>(places_.size()); }

    [[nodiscard]] ExecutionUnit& unit(u32 index) { return *units_[index]; }

    [[nodiscard]] DeviceMemory& memory() { return memory_; }

    // Starts the threads; units may be rung before.
    void start();
    // Ends the threads after their current step; waits for hooks that hold them. Doorbells that
    // ring go on ringing.
    void stop();

    // Something was delivered to the unit's program from outside.
    void wake(u32 unit) { units_[unit]->wake(); }

    // Called on the unit's thread before each of its steps; it may hold the thread there, so that
    // the unit stops answering. For tests; not while started.
    void set_hook(std::function<void(u32 unit)> hook);

private:
    [[nodiscard]] std::string thread_name(u32 thread) const;
    void serve(u32 thread);
    bool step_units(u32 thread);
    [[nodiscard]] bool must_stay_awake(u32 thread) const;

    DeviceMemory memory_;
    std::vector<std::unique_ptr<ExecutionUnit>> units_;
    std::vector<std::unique_ptr<ParkingPlace>>
        places_;  // by thread; unit u is of thread u mod count
    std::function<void(u32)> hook_;
    std::atomic<bool> is_closing_{false};     // release by stop, acquire by serve
    WorkerPool::Work serving_;                // what the pool runs
    std::unique_ptr<WorkerPool> maybe_pool_;  // while started
};

}  // namespace weft::unit
