#include "engine/frame/shared_runtime.h"

#include <algorithm>

#include "engine/frame/frame_kernels.h"
#include "scheduler/base/ensure.h"

namespace weft::frame {

namespace {

// Frames of several renderers that the processor works on at once; more wait, the most urgent
// first. Its threads are divided by the system.
constexpr u32 kFramesOfProcessor = 8;
// Units of the emulated GPU belong to one frame at a time.
constexpr u32 kFramesOfGpu = 1;
// Programs at once: frames, what comes before and after them, and written files.
constexpr u32 kQueueThreads = 12;

compute::RuntimeConfig runtime_config() {
    compute::RuntimeConfig config;
    config.queue.thread_count = kQueueThreads;
    return config;
}

bool is_same_shape(const compute::EmulatedGpuShape& a, const compute::EmulatedGpuShape& b) {
    return a.units == b.units && a.memory_bytes == b.memory_bytes &&
           a.local_memory_bytes == b.local_memory_bytes;
}

}  // namespace

std::shared_ptr<SharedRuntime> SharedRuntime::take() {
    static std::mutex mutex;
    static std::weak_ptr<SharedRuntime> living;
    const std::lock_guard lock(mutex);
    std::shared_ptr<SharedRuntime> runtime = living.lock();
    if (!runtime) {
        runtime = std::shared_ptr<SharedRuntime>(new SharedRuntime());
        living = runtime;
    }
    return runtime;
}

SharedRuntime::SharedRuntime() : runtime_(runtime_config()) {
    add_frame_kernels(runtime_.library());
    const auto attached = runtime_.attach(std::make_shared<compute::Device>(
        compute::cpu_capability(), nullptr, compute::Launcher{}, kFramesOfProcessor));
    ENSURE(attached.is_ok(), ==, true);
}

std::shared_ptr<const SharedRuntime::EmulatedGpu> SharedRuntime::emulated_gpu(
    const compute::EmulatedGpuShape& shape) {
    const std::lock_guard lock(mutex_);
    std::erase_if(gpus_, [](const auto& gpu) { return gpu.second.expired(); });
    for (const auto& [of, gpu] : gpus_) {
        if (std::shared_ptr<const EmulatedGpu> held = gpu.lock();
            held && is_same_shape(of, shape)) {
            return held;
        }
    }
    const compute::Capability record = compute::emulated_gpu_capability(shape);
    if (record.instruction_sets.empty()) {
        return nullptr;
    }
    const auto handle = runtime_.attach(
        std::make_shared<compute::Device>(record,
                                          compute::make_emulated_memory(shape.memory_bytes),
                                          compute::Launcher{},
                                          kFramesOfGpu));
    if (!handle.is_ok()) {
        return nullptr;
    }
    auto made = std::make_shared<const EmulatedGpu>(*this, handle.value());
    gpus_.emplace_back(shape, made);
    return made;
}

SharedRuntime::EmulatedGpu::~EmulatedGpu() {
    const base::Status detached = owner.runtime_.detach(handle);
    ENSURE(detached.is_ok(), ==, true);
}

std::vector<compute::DeviceHandle> SharedRuntime::others_than(const EmulatedGpu* own) const {
    std::vector<compute::DeviceHandle> others;
    for (const compute::ListedDevice& device : runtime_.devices()) {
        if (device.capability.is_emulated && (own == nullptr || !(device.handle == own->handle))) {
            others.push_back(device.handle);
        }
    }
    return others;
}

}  // namespace weft::frame
