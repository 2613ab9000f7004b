// device.h — one physical device: its record, its memory, its launcher of kernels, and its current
// state (R1, R9, R10).
//
// A processor needs only a record: the queue's threads call its kernels. A device that starts
// kernels in another way has a launcher.
//
// Any thread may call. Shared pointers keep a device alive; a detached device gets no new work.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "scheduler/base/result.h"
#include "scheduler/compute/capability.h"
#include "scheduler/compute/executable.h"
#include "scheduler/compute/memory_port.h"

namespace weft::compute {

// Items [first, first + count) of a launch.
struct ItemRange {
    u64 first = 0;
    u64 count = 0;
};

// Runs items of a kernel on the device and returns when they are done; 0, or an error code.
using Launcher =
    std::function<u32(const Executable& executable, void* const* arguments, ItemRange items)>;

// The current load of a device.
struct DeviceState {
    u32 running = 0;  // parts of instances
    u32 slots = 1;    // that it takes at once
    u64 memory_used_bytes = 0;
    u64 memory_limit_bytes = 0;
    double utilisation = 0;  // of its slots, over about the last tenth of a second: 0 .. 1
    bool is_attached = true;
    bool is_drawing = false;  // the display has it
};

class Device {
public:
    // `memory` may be nullptr: the host's. `launcher` may be empty: the function is called.
    explicit Device(Capability capability,
                    std::unique_ptr<MemoryPort> memory = nullptr,
                    Launcher launcher = {},
                    u32 slots = 1);

    [[nodiscard]] const Capability& capability() const { return capability_; }

    [[nodiscard]] MemoryPort& memory() { return *memory_; }

    // Items of a kernel of the type ItemsFunction.
    u32 launch(const Executable& executable, void* const* arguments, ItemRange items);

    [[nodiscard]] DeviceState state() const;

    void set_attached(bool is_attached);
    // Of a GPU: the display uses it, so its instances should run elsewhere (R10).
    void set_drawing(bool is_drawing);

    // The queue reports the begin and the end of each part.
    void begin_part();
    void end_part();

    // Items per second of a kernel here, as measured; 0: never yet.
    [[nodiscard]] double items_per_s(const std::string& kernel) const;
    void note_items(const std::string& kernel, u64 items, u64 duration_ns);

private:
    void advance();

    Capability capability_;
    std::unique_ptr<MemoryPort> memory_;
    Launcher launcher_;
    mutable std::mutex mutex_;
    DeviceState state_;  // utilisation as of changed_ns_
    u64 changed_ns_ = 0;
    std::map<std::string, double> items_per_s_;
};

using DevicePointer = std::shared_ptr<Device>;

}  // namespace weft::compute
