// device_memory.h — the memory of an emulated device: limited, and reached by copies only.
//
// Because the device is emulated, its addresses are host addresses: programs on the device
// dereference them, the host must not. The host copies in and out; a copy that leaves its
// allocation ends the program. Pages are allocated at the first touch, so a limit above the
// machine's memory is no error by itself.
//
// Owner thread: construct, allocate, reset. Any thread, while nothing is allocated or reset: copies
// and figures.
#pragma once

#include <atomic>
#include <vector>

#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"

namespace weft::unit {

class DeviceMemory {
public:
    explicit DeviceMemory(u64 limit_bytes);

    // Lives until reset(). Alignment: a power of two up to 4096. nullptr: it does not fit.
    [[nodiscard]] void* allocate(u64 bytes, u64 alignment = 64);
    // Frees all allocations.
    void reset();

    void copy_in(void* device, const void* host, u64 bytes);
    void copy_out(void* host, const void* device, u64 bytes) const;

    // The range lies within one allocation.
    [[nodiscard]] bool owns(const void* device, u64 bytes) const;

    [[nodiscard]] u64 limit_bytes() const { return limit_bytes_; }

    [[nodiscard]] u64 used_bytes() const { return used_bytes_; }

    // Most that was ever used, resets notwithstanding.
    [[nodiscard]] u64 high_water_bytes() const { return high_water_bytes_; }

    [[nodiscard]] u64 copied_in_bytes() const {
        return copied_in_bytes_.load(std::memory_order_relaxed);
    }

    [[nodiscard]] u64 copied_out_bytes() const {
        return copied_out_bytes_.load(std::memory_order_relaxed);
    }

private:
    struct Range {
        u64 begin = 0;
        u64 bytes = 0;
    };

    u64 limit_bytes_;
    base::PageArray<u8> arena_;
    std::vector<Range> ranges_;  // by rising begin
    u64 used_bytes_ = 0;         // the end of the last range
    u64 high_water_bytes_ = 0;
    std::atomic<u64> copied_in_bytes_{0};  // relaxed: counters
    mutable std::atomic<u64> copied_out_bytes_{0};
};

}  // namespace weft::unit
