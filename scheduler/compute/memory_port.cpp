#include "scheduler/compute/memory_port.h"

#include <algorithm>
#include <cstring>

#include "scheduler/base/ensure.h"
#include "scheduler/base/huge_pages.h"

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
            base::release_pages(place, bytes);
        }
    }

    void* take(u64 bytes) override {
        const u64 size = bytes > limit_bytes_ ? 0 : rounded_up(bytes);
        const std::lock_guard lock(mutex_);
        if (size == 0 || size > limit_bytes_ - used_bytes_) {
            return nullptr;
        }
        void* const place = base::allocate_pages(size);
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
        base::release_pages(place, found->second);
        taken_.erase(found);
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

    [[nodiscard]] bool is_host() const override { return true; }

private:
    u64 limit_bytes_;
    mutable std::mutex mutex_;
    u64 used_bytes_ = 0;
    std::map<void*, u64> taken_;
};

// Ranges of one allocation of the device: those taken and those free, by their begin.
class DealtMemory final : public MemoryPort {
public:
    // `dirty_bytes`: at the begin, that may not be zero.
    DealtMemory(unit::DeviceMemory& device, u8* base, u64 bytes, u64 dirty_bytes)
        : device_(device), base_(base), limit_bytes_(bytes), dirty_end_(dirty_bytes) {
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
            // The device clears what it had given out before; the rest of its memory is new.
            if (begin < dirty_end_) {
                std::memset(base_ + begin, 0, std::min(size, dirty_end_ - begin));
            }
            dirty_end_ = std::max(dirty_end_, begin + size);
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
        ENSURE(is_taken(device, bytes), ==, true);
        device_.copy_in(device, host, bytes);
    }

    void copy_out(void* host, const void* device, u64 bytes) override {
        ENSURE(is_taken(device, bytes), ==, true);
        device_.copy_out(host, device, bytes);
    }

    [[nodiscard]] u64 used_bytes() const override {
        const std::lock_guard lock(mutex_);
        return used_bytes_;
    }

    [[nodiscard]] u64 limit_bytes() const override { return limit_bytes_; }

private:
    // Within one range that was taken.
    [[nodiscard]] bool is_taken(const void* device, u64 bytes) const {
        const auto begin = static_cast<u64>(static_cast<const u8*>(device) - base_);
        const std::lock_guard lock(mutex_);
        const auto after = taken_.upper_bound(begin);
        if (after == taken_.begin()) {
            return false;
        }
        const auto& [first, size] = *std::prev(after);
        return begin - first <= size && bytes <= size - (begin - first);
    }

    unit::DeviceMemory& device_;
    u8* base_;
    u64 limit_bytes_;
    mutable std::mutex mutex_;
    u64 used_bytes_ = 0;
    u64 dirty_end_;
    std::map<u64, u64> free_;
    std::map<u64, u64> taken_;
};

class EmulatedMemory final : public MemoryPort {
public:
    explicit EmulatedMemory(u64 limit_bytes) : asked_bytes_(limit_bytes) {}

    void* take(u64 bytes) override {
        const std::lock_guard lock(mutex_);
        if (!dealt_ && !make()) {
            return nullptr;
        }
        return dealt_->take(bytes);
    }

    void give_back(void* place) override {
        const std::lock_guard lock(mutex_);
        dealt_->give_back(place);
        if (dealt_->used_bytes() == 0) {
            former_in_ += device_->copied_in_bytes();
            former_out_ += device_->copied_out_bytes();
            dealt_ = nullptr;
            device_ = nullptr;
        }
    }

    // Who copies has a place, so that the memory stays meanwhile.
    void copy_in(void* device, const void* host, u64 bytes) override {
        dealt_->copy_in(device, host, bytes);
    }

    void copy_out(void* host, const void* device, u64 bytes) override {
        dealt_->copy_out(host, device, bytes);
    }

    [[nodiscard]] u64 used_bytes() const override {
        const std::lock_guard lock(mutex_);
        return dealt_ ? dealt_->used_bytes() : 0;
    }

    [[nodiscard]] u64 limit_bytes() const override {
        const std::lock_guard lock(mutex_);
        return dealt_ ? dealt_->limit_bytes() : asked_bytes_;
    }

    [[nodiscard]] u64 copied_in_bytes() const override {
        const std::lock_guard lock(mutex_);
        return former_in_ + (device_ ? device_->copied_in_bytes() : 0);
    }

    [[nodiscard]] u64 copied_out_bytes() const override {
        const std::lock_guard lock(mutex_);
        return former_out_ + (device_ ? device_->copied_out_bytes() : 0);
    }

private:
    bool make() {
        device_ = std::make_unique<unit::DeviceMemory>(asked_bytes_);
        const u64 bytes = device_->limit_bytes() / kAlignment * kAlignment;
        void* const base = bytes > 0 ? device_->allocate(bytes) : nullptr;
        if (base) {
            dealt_ = std::make_unique<DealtMemory>(*device_, static_cast<u8*>(base), bytes, 0);
        } else {
            device_ = nullptr;
        }
        return base != nullptr;
    }

    u64 asked_bytes_;
    mutable std::mutex mutex_;
    std::unique_ptr<unit::DeviceMemory> device_;
    std::unique_ptr<DealtMemory> dealt_;
    u64 former_in_ = 0;
    u64 former_out_ = 0;
};

}  // namespace

std::unique_ptr<MemoryPort> make_host_memory(u64 limit_bytes) {
    return std::make_unique<HostMemory>(limit_bytes);
}

std::unique_ptr<MemoryPort> make_device_memory(unit::DeviceMemory& device, u64 bytes) {
    void* const base = device.allocate(bytes);
    return base ? std::make_unique<DealtMemory>(device, static_cast<u8*>(base), bytes, bytes)
                : nullptr;
}

std::unique_ptr<MemoryPort> make_emulated_memory(u64 limit_bytes) {
    return std::make_unique<EmulatedMemory>(limit_bytes);
}

}  // namespace weft::compute
