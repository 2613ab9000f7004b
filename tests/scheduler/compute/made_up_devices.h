// made_up_devices.h — small devices and kernels for the tests of this room, independent of the
// machine.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <span>
#include <vector>

#include "scheduler/compute/runtime.h"

namespace weft::compute {

inline Capability made_up(const std::string& name, DeviceType type = DeviceType::Cpu) {
    Capability capability;
    capability.name = name;
    capability.type = type;
    capability.units = 2;
    capability.instruction_sets = {{"avx2", "fma", 256, 8}, {"sse4", "sse4", 128, 4}};
    capability.memory_bytes = u64{1} << 24;
    capability.local_memory_bytes = u64{1} << 20;
    capability.has_images = true;
    return capability;
}

inline std::shared_ptr<Device> device_of(const Capability& capability, u32 slots = 1) {
    return std::make_shared<Device>(capability, nullptr, Launcher{}, slots);
}

// out[i] = in[i] * factor. Arguments: in, out, factor.
inline u32 scale(void* const* arguments, u64 first, u64 count) {
    const float* const in = static_cast<const float*>(arguments[0]);
    float* const out = static_cast<float*>(arguments[1]);
    const float factor = *static_cast<const float*>(arguments[2]);
    for (u64 i = first; i < first + count; ++i) {
        out[i] = in[i] * factor;
    }
    return 0;
}

inline std::vector<Parameter> scale_parameters() {
    return {{"in", ArgumentType::Buffer, 0, Access::In, 0},
            {"out", ArgumentType::Buffer, 0, Access::Out, sizeof(float)},
            {"factor", ArgumentType::F32, 0, Access::In, 0}};
}

// Declares a kernel with the parameters of scale, linked for these types and instruction sets.
inline void add_kernel(KernelLibrary& library,
                       const std::string& name,
                       ItemsFunction* function,
                       const std::vector<DeviceType>& types = {DeviceType::Cpu},
                       const std::vector<std::string>& sets = {"avx2", "sse4"}) {
    ENSURE(
        library.declare({name, typeid(ItemsFunction), scale_parameters(), {}}).is_ok(), ==, true);
    for (const DeviceType type : types) {
        for (const std::string& set : sets) {
            ExecutableRecord record;
            record.kernel = name;
            record.type = type;
            record.instruction_set = set;
            ENSURE(library.add(linked_executable(record, function)).is_ok(), ==, true);
        }
    }
}

// A gate: kernels wait at it until the test opens it; it counts the waiting ones.
class Gate {
public:
    void pass() {
        std::unique_lock lock(mutex_);
        ++waiting_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return is_open_; });
        --waiting_;
    }

    void wait_for(u32 waiting) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return waiting_ >= waiting; });
    }

    void open() {
        const std::lock_guard lock(mutex_);
        is_open_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    u32 waiting_ = 0;
    bool is_open_ = false;
};

template <typename T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
    return std::as_bytes(std::span(values));
}

template <typename T>
std::span<std::byte> writable_bytes_of(std::vector<T>& values) {
    return std::as_writable_bytes(std::span(values));
}

// The sentence of an error; empty for success.
template <typename T>
std::string sentence(const base::Result<T>& result) {
    return result.is_ok() ? std::string() : result.error().sentence;
}

// The best match of a device or of several, as a context.
inline ContextHandle context_on(Runtime& runtime, const std::vector<std::string>& names) {
    Requirements requirements;
    requirements.names = names;
    requirements.may_split = true;
    return runtime.create_context(runtime.match(requirements).value().front().handle).value();
}

}  // namespace weft::compute
