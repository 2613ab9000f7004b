// unit_memory.h — allocates an execution unit's paths and results: pages of the host, or memory of
// a device.
//
// A CPU unit uses pages of its own. A unit of the emulated GPU uses the device's memory, which is
// limited and which the host accesses by copies only. Allocated before the frame, freed with the
// unit. One thread.
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

    // Zeroed memory aligned to 64 B, or null if memory ran out.
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
