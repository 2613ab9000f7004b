// unit_memory.h — where an execution unit's paths and results lie: pages of the host, or the memory
// of a device.
//
// A CPU unit takes pages of its own; a unit of the emulated GPU takes its share of the device's
// memory, which has a limit and which the host reaches by copies only. Taken before the frame,
// given back with the unit. One thread.
#pragma once

#include <cstddef>
#include <vector>

#include "scheduler/base/huge_pages.h"
#include "scheduler/unit/device_memory.h"

namespace weft::trace {

class UnitMemory {
public:
    // `device` must outlive this; null: pages of the host.
    explicit UnitMemory(unit::DeviceMemory* device) : device_(device) {}

    // Zeroed memory aligned to 64 B, or null where it could not be had.
    void* take(u64 bytes) {
        if (device_) {
            return device_->allocate(bytes);
        }
        pages_.emplace_back(bytes);
        return pages_.back().data();
    }

    [[nodiscard]] unit::DeviceMemory* device() const { return device_; }

private:
    unit::DeviceMemory* device_;
    std::vector<base::PageArray<std::byte>> pages_;
};

}  // namespace weft::trace
