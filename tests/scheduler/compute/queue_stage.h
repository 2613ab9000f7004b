// queue_stage.h — kernels that record their order and number of runs, for tests of the execution
// queue.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "tests/scheduler/compute/made_up_devices.h"

namespace weft::compute {

inline constexpr std::array<u32, 5> kThreadCounts = {0, 1, 2, 4, 16};

// State common to the kernels of this file and the test.
struct Stage {
    Gate gate;
    std::mutex mutex;
    std::vector<u32> order;  // of marks
    std::atomic<u32> running{0};
    std::atomic<u32> most_running{0};
};

inline Stage* stage = nullptr;

// A new stage for each run of a test.
class OnStage {
public:
    OnStage() { stage = &own_; }

    ~OnStage() { stage = nullptr; }

    OnStage(const OnStage&) = delete;
    OnStage& operator=(const OnStage&) = delete;
    OnStage(OnStage&&) = delete;
    OnStage& operator=(OnStage&&) = delete;

private:
    Stage own_;
};

inline u32 scale_at_gate(void* const* arguments, u64 first, u64 count) {
    stage->gate.pass();
    return scale(arguments, first, count);
}

// Fails with its factor as the error code.
inline u32 fail(void* const* arguments, u64 /*first*/, u64 /*count*/) {
    return static_cast<u32>(*static_cast<const float*>(arguments[2]));
}

inline u32 throws(void* const* /*arguments*/, u64 /*first*/, u64 /*count*/) {
    throw std::runtime_error("no luck");
}

inline RuntimeConfig with_threads(u32 count) {
    RuntimeConfig config;
    config.queue.thread_count = count;
    return config;
}

// A kernel with everything bound.
inline KernelHandle bound_kernel(Runtime& runtime,
                                 ContextHandle context,
                                 const std::string& name,
                                 BufferHandle in,
                                 BufferHandle out,
                                 float factor) {
    const KernelHandle kernel = runtime.create_kernel(context, name).value();
    ENSURE(runtime.bind(kernel, "in", in).is_ok(), ==, true);
    ENSURE(runtime.bind(kernel, "out", out).is_ok(), ==, true);
    ENSURE(runtime.bind(kernel, "factor", factor).is_ok(), ==, true);
    return kernel;
}

inline BufferHandle filled_buffer(Runtime& runtime,
                                  ContextHandle context,
                                  std::size_t count,
                                  float value) {
    const BufferHandle buffer = runtime.create_buffer(context, count * sizeof(float)).value();
    const std::vector<float> values(count, value);
    ENSURE(runtime.write(buffer, 0, bytes_of(values)).is_ok(), ==, true);
    return buffer;
}

inline std::vector<float> contents(Runtime& runtime, BufferHandle buffer, std::size_t count) {
    std::vector<float> values(count);
    ENSURE(sentence(runtime.read(buffer, 0, writable_bytes_of(values))), ==, "");
    return values;
}

inline Program mark(u32 number) {
    return [number](std::span<const DevicePointer>) -> base::Status {
        const std::lock_guard lock(stage->mutex);
        stage->order.push_back(number);
        return base::Done{};
    };
}

inline base::Status wait_at_gate(std::span<const DevicePointer> /*devices*/) {
    stage->gate.pass();
    return base::Done{};
}

inline LaunchConfig items(u64 count) {
    LaunchConfig launch;
    launch.items = {0, count};
    return launch;
}

}  // namespace weft::compute
