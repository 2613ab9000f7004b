#include "scheduler/unit/device_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "scheduler/base/ensure.h"

namespace weft::unit {

namespace {

constexpr u64 kMostAlignment = 4096;
// PageArray aligns large arrays to a huge page and small ones to 64 bytes. A small arena is made
// large enough to get the alignment of large ones.
constexpr u64 kLeastArena = u64{2} << 20;
// Address space that an arena leaves to the host: thread stacks, heaps of threads, film, files.
constexpr u64 kHostAddresses = u64{2} << 30;

// Empty where the host's address space has no room for the arena and, beside it, for twice as much
// or kHostAddresses.
base::PageArray<u8> reserve_arena(u64 limit_bytes) {
    base::PageArray<u8> arena(std::max(limit_bytes, kLeastArena));
    const base::PageArray<u8> host(std::min(2 * arena.size_bytes(), kHostAddresses));
    return host.is_allocated() ? std::move(arena) : base::PageArray<u8>();
}

}  // namespace

DeviceMemory::DeviceMemory(u64 limit_bytes)
    : limit_bytes_(limit_bytes), arena_(reserve_arena(limit_bytes)) {
    // Where the host's address space is too small (ulimit -v), try half of the limit, and so on.
    while (!arena_.is_allocated() && limit_bytes_ > kLeastArena) {
        limit_bytes_ /= 2;
        arena_ = reserve_arena(limit_bytes_);
    }
    limit_bytes_ = arena_.is_allocated() ? limit_bytes_ : 0;
}

void* DeviceMemory::allocate(u64 bytes, u64 alignment) {
    ENSURE(alignment & (alignment - 1), ==, 0u);
    ENSURE(alignment, >, 0u);
    ENSURE(alignment, <=, kMostAlignment);
    const u64 begin = (used_bytes_ + alignment - 1) & ~(alignment - 1);
    if (!arena_.is_allocated() || begin > limit_bytes_ || bytes > limit_bytes_ - begin) {
        return nullptr;
    }
    ranges_.push_back({begin, bytes});
    used_bytes_ = begin + bytes;
    high_water_bytes_ = std::max(high_water_bytes_, used_bytes_);
    return arena_.data() + begin;
}

void DeviceMemory::reset() {
    ranges_.clear();
    used_bytes_ = 0;
}

bool DeviceMemory::owns(const void* device, u64 bytes) const {
    const auto address = reinterpret_cast<std::uintptr_t>(device);
    const auto base = reinterpret_cast<std::uintptr_t>(arena_.data());
    if (!arena_.is_allocated() || address < base) {
        return false;
    }
    const u64 begin = address - base;
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), begin, [](u64 place, const Range& range) {
            return place < range.begin;
        });
    if (after == ranges_.begin()) {
        return false;
    }
    const Range& range = *(after - 1);
    const u64 offset = begin - range.begin;
    return offset <= range.bytes && bytes <= range.bytes - offset;
}

void DeviceMemory::copy_in(void* device, const void* host, u64 bytes) {
    ENSURE(owns(device, bytes), ==, true);
    if (bytes > 0) {
        std::memcpy(device, host, bytes);
    }
    copied_in_bytes_.fetch_add(bytes, std::memory_order_relaxed);
}

void DeviceMemory::copy_out(void* host, const void* device, u64 bytes) const {
    ENSURE(owns(device, bytes), ==, true);
    if (bytes > 0) {
        std::memcpy(host, device, bytes);
    }
    copied_out_bytes_.fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace weft::unit
