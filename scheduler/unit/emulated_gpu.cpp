#include "scheduler/unit/emulated_gpu.h"

#include <algorithm>
#include <emmintrin.h>
#include <thread>
#include <utility>

#include "scheduler/base/ensure.h"
#include "scheduler/base/trace_log.h"

namespace weft::unit {

namespace {

// Waits as a worker does (worker.cpp): spin with pauses for about 1 us, then yield.
constexpr u32 kGpuSpinPasses = 16;
constexpr u32 kGpuYieldPasses = 8;

}  // namespace

EmulatedGpu::EmulatedGpu(const EmulatedGpuConfig& config,
                         std::span<UnitProgram* const> programs,
                         const UnitConfig& unit_config)
    : memory_(config.memory_bytes) {
    ENSURE(programs.size(), ==, config.unit_count);
    for (u32 index = 0; index < config.unit_count; ++index) {
        units_.push_back(std::make_unique<ExecutionUnit>(index, *programs[index], unit_config));
    }
    const u32 thread_count = std::min(config.thread_count, config.unit_count);
    for (u32 thread = 0; thread < thread_count; ++thread) {
        places_.push_back(std::make_unique<ParkingPlace>());
    }
    for (u32 index = 0; thread_count > 0 && index < config.unit_count; ++index) {
        units_[index]->set_thread_place(places_[index % thread_count].get());
    }
}

EmulatedGpu::~EmulatedGpu() {
    stop();
}

void EmulatedGpu::set_hook(std::function<void(u32 unit)> hook) {
    ENSURE(maybe_pool_ == nullptr, ==, true);
    hook_ = std::move(hook);
}

void EmulatedGpu::start() {
    ENSURE(maybe_pool_ == nullptr, ==, true);
    is_closing_.store(false, std::memory_order_relaxed);  // the threads start later
    if (places_.empty()) {
        return;
    }
    serving_ = [this](WorkerIndex thread, const std::stop_token&) {
        serve(static_cast<u32>(thread));
    };
    maybe_pool_ = std::make_unique<WorkerPool>(thread_count());
    maybe_pool_->start(serving_);
}

void EmulatedGpu::stop() {
    if (!maybe_pool_) {
        return;
    }
    is_closing_.store(true, std::memory_order_release);  // pairs with serve
    for (const auto& place : places_) {
        place->wake();
    }
    // Units catch what their programs throw; a hook must not throw.
    ENSURE(maybe_pool_->wait().is_ok(), ==, true);
    maybe_pool_.reset();
}

bool EmulatedGpu::step_units(u32 thread) {
    bool has_worked = false;
    for (u32 index = thread; index < unit_count(); index += thread_count()) {
        if (hook_) {
            hook_(index);
        }
        has_worked |= units_[index]->step();
    }
    return has_worked;
}

bool EmulatedGpu::must_stay_awake(u32 thread) const {
    for (std::size_t index = thread; index < units_.size(); index += places_.size()) {
        if (units_[index]->must_stay_awake()) {
            return true;
        }
    }
    return false;
}

// The thread's name in traces: the numbers of the units that it steps.
std::string EmulatedGpu::thread_name(u32 thread) const {
    std::string name = thread + thread_count() < unit_count() ? "egpu units" : "egpu unit";
    for (u32 index = thread; index < unit_count(); index += thread_count()) {
        name += " " + std::to_string(index);
    }
    return name;
}

void EmulatedGpu::serve(u32 thread) {
    base::name_traced_thread(thread_name(thread));
    ParkingPlace& place = *places_[thread];
    u32 idle_passes = 0;
    while (!is_closing_.load(std::memory_order_acquire)) {  // pairs with stop
        if (step_units(thread)) {
            idle_passes = 0;
        } else if (++idle_passes <= kGpuSpinPasses) {
            _mm_pause();
        } else if (idle_passes <= kGpuSpinPasses + kGpuYieldPasses) {
            std::this_thread::yield();
        } else {
            const u32 ticket = place.announce(Sleep::ForAnswers);
            // Check again: from here on, a thread that rings or delivers sees the sleeper.
            const bool must_go_on = step_units(thread) || must_stay_awake(thread) ||
                                    is_closing_.load(std::memory_order_acquire);
            if (!must_go_on) {
                place.park(ticket);
            }
            place.leave();
        }
    }
}

}  // namespace weft::unit
