// memory_port.h — the interface to the memory of a device: allocate, free, copy (R4).
//
// Host memory and the emulated GPU's memory implement it. Any thread may call; a port does its own
// locking.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "scheduler/base/ids.h"
#include "scheduler/unit/device_memory.h"

namespace weft::compute {

class MemoryPort {
public:
    MemoryPort() = default;
    virtual ~MemoryPort() = default;
    MemoryPort(const MemoryPort&) = delete;
    MemoryPort& operator=(const MemoryPort&) = delete;
    MemoryPort(MemoryPort&&) = delete;
    MemoryPort& operator=(MemoryPort&&) = delete;

    // Aligned to 64 B. nullptr: it does not fit.
    [[nodiscard]] virtual void* take(u64 bytes) = 0;
    virtual void give_back(void* place) = 0;
    virtual void copy_in(void* device, const void* host, u64 bytes) = 0;
    virtual void copy_out(void* host, const void* device, u64 bytes) = 0;
    [[nodiscard]] virtual u64 used_bytes() const = 0;
    [[nodiscard]] virtual u64 limit_bytes() const = 0;
};

// The host's own memory up to a limit.
std::unique_ptr<MemoryPort> make_host_memory(u64 limit_bytes);

// A part of an emulated device's memory, allocated once and subdivided first fit; the device must
// outlive the port. nullptr: the device has not so much left.
std::unique_ptr<MemoryPort> make_device_memory(unit::DeviceMemory& device, u64 bytes);

}  // namespace weft::compute
