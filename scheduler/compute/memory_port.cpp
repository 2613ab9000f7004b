#include "scheduler/compute/memory_port.h"

#include <cstring>
#include <new>

#include "scheduler/base/ensure.h"

namespace weft::compute {

namespace {

constexpr u64 kAlignment = 64;

u64 rounded_up(u64 bytes) {
    return bytes == 0 ? kAlignment : (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

class HostMemory final : public MemoryPort {
public:
    explicit HostMemory(u64 limit_bytes) : limit_bytes_(limit_bytes) {}

    ~HostMemory() override {
        for (const auto& [place, bytes] : taken_) {
            ::operator delete (place, std::align_val_t{kAlignment});
        }
    }

    void* take(u64 bytes) override {
        const u64 size = bytes > limit_bytes_ ? 0 : rounded_up(bytes);
        const std::lock_guard lock(mutex_);
        if (size == 0 || size > limit_bytes_ - used_bytes_) {
            return nullptr;
        }
        void* const place = ::operator new (size, std::align_val_t{kAlignment}, std::nothrow);
        if (place) {
            taken_[place] = size;
            used_bytes_ += size;
        }
        return place;
    }

    void give_back(void* place) override {
        const std::lock_guard lock(mutex_);
        const auto found = taken_.find(place);
        ENSURE((found != taken_.end()), ==, true);
        used_bytes_ -= found->second;
        taken_.erase(found);
        ::operator delete (place, std::align_val_t{kAlignment});
    }

    void copy_in(void* device, const void* host, u64 bytes) override {
        std::memcpy(device, host, bytes);
    }

    void copy_out(void* host, const void* device, u64 bytes) override {
        std::memcpy(host, device, bytes);
    }

    [[nodiscard]] u64 used_bytes() const override {
        const std::lock_guard lock(mutex_);
        return used_bytes_;
    }

    [[nodiscard]] u64 limit_bytes() const override { return limit_bytes_; }

private:
    u64 limit_bytes_;
    mutable std::mutex mutex_;
    u64 used_bytes_ = 0;
    std::map<void*, u64> taken_;
};

// Ranges of one allocation of the device: those taken and those free, by their begin.
class DealtMemory final : public MemoryPort {
public:
    DealtMemory(unit::DeviceMemory& device, u8* base, u64 bytes)
        : device_(device), base_(base), limit_bytes_(bytes) {
        free_[0] = bytes;
    }

    void* take(u64 bytes) override {
        if (bytes > limit_bytes_) {
            return nullptr;
        }
        const u64 size = rounded_up(bytes);
        const std::lock_guard lock(mutex_);
        for (auto range = free_.begin(); range != free_.end(); ++range) {
            const auto [begin, length] = *range;
            if (length < size) {
                continue;
            }
            free_.erase(range);
            if (length > size) {
                free_[begin + size] = length - size;
            }
            taken_[begin] = size;
            used_bytes_ += size;
            return base_ + begin;
        }
        return nullptr;
    }

    void give_back(void* place) override {
        const std::lock_guard lock(mutex_);
        const auto found = taken_.find(static_cast<u64>(static_cast<u8*>(place) - base_));
        ENSURE((found != taken_.end()), ==, true);
        u64 begin = found->first;
        u64 length = found->second;
        used_bytes_ -= length;
        taken_.erase(found);
        // Neighbours that are free become one range with it.
        auto next = free_.lower_bound(begin);
        if (next != free_.end() && begin + length == next->first) {
            length += next->second;
            next = free_.erase(next);
        }
        if (next != free_.begin()) {
            const auto before = std::prev(next);
            if (before->first + before->second == begin) {
                begin = before->first;
                length += before->second;
            }
        }
        free_[begin] = length;
    }

    void copy_in(void* device, const void* host, u64 bytes) override {
        device_.copy_in(device, host, bytes);
    }

    void copy_out(void* host, const void* device, u64 bytes) override {
        device_.copy_out(host, device, bytes);
    }

    [[nodiscard]] u64 used_bytes() const override {
        const std::lock_guard lock(mutex_);
        return used_bytes_;
    }

    [[nodiscard]] u64 limit_bytes() const override { return limit_bytes_; }

private:
    unit::DeviceMemory& device_;
    u8* base_;
    u64 limit_bytes_;
    mutable std::mutex mutex_;
    u64 used_bytes_ = 0;
    std::map<u64, u64> free_;
    std::map<u64, u64> taken_;
};

}  // namespace

std::unique_ptr<MemoryPort> make_host_memory(u64 limit_bytes) {
    return std::make_unique<HostMemory>(limit_bytes);
}

std::unique_ptr<MemoryPort> make_device_memory(unit::DeviceMemory& device, u64 bytes) {
    void* const base = device.allocate(bytes);
    return base ? std::make_unique<DealtMemory>(device, static_cast<u8*>(base), bytes) : nullptr;
}

}  // namespace weft::compute
