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

    // Zeroed and aligned to 64 B. nullptr: it does not fit.
    [[nodiscard]] virtual void* take(u64 bytes) = 0;
    virtual void give_back(void* place) = 0;
    virtual void copy_in(void* device, const void* host, u64 bytes) = 0;
    virtual void copy_out(void* host, const void* device, u64 bytes) = 0;
    [[nodiscard]] virtual u64 used_bytes() const = 0;
    [[nodiscard]] virtual u64 limit_bytes() const = 0;

    // The device reads the host's memory in place: what the host lends it needs no copy.
    [[nodiscard]] virtual bool is_host() const { return false; }

    // Bytes that were copied over a bus since the port was made; 0 where there is none.
    [[nodiscard]] virtual u64 copied_in_bytes() const { return 0; }

    [[nodiscard]] virtual u64 copied_out_bytes() const { return 0; }
};

// The host's own memory up to a limit, large pieces on huge pages.
std::unique_ptr<MemoryPort> make_host_memory(u64 limit_bytes);

// An emulated device's whole memory. Its addresses are reserved at the first take() and let go of
// with the last give_back(); where the host has not so many, it becomes smaller.
std::unique_ptr<MemoryPort> make_emulated_memory(u64 limit_bytes);

// A part of an emulated device's memory, allocated once and subdivided first fit; the device must
// outlive the port. nullptr: the device has not so much left.
std::unique_ptr<MemoryPort> make_device_memory(unit::DeviceMemory& device, u64 bytes);

}  // namespace weft::compute
