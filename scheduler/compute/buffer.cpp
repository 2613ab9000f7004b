#include "scheduler/compute/buffer.h"

#include <algorithm>
#include <cstring>

namespace weft::compute {

namespace {

// Copies between two devices pass through the host in pieces of this size.
constexpr u64 kPassBytes = u64{1} << 20;

base::Error buffer_error(const std::string& what) {
    return {base::ErrorKind::Render, "buffer: " + what};
}

u8* at(void* place, u64 offset) {
    return static_cast<u8*>(place) + offset;
}

}  // namespace

u32 pixel_bytes(PixelFormat format) {
    switch (format) {
        case PixelFormat::R8:
            return 1;
        case PixelFormat::Rgba8:
        case PixelFormat::R32F:
            return 4;
        case PixelFormat::Rgb32F:
            return 12;
        case PixelFormat::Rgba32F:
            return 16;
    }
    return 0;
}

Buffer::Buffer(u64 size_bytes, std::optional<ImageShape> shape)
    : size_bytes_(size_bytes), shape_(shape) {}

Buffer::Buffer(std::span<const std::byte> lent, std::optional<ImageShape> shape, LentAccess access)
    : size_bytes_(lent.size()),
      shape_(shape),
      is_lent_(true),
      is_mapped_(access == LentAccess::Mapped),
      lent_(lent.data()) {}

Buffer::~Buffer() {
    for (const Copy& copy : copies_) {
        copy.device->memory().give_back(copy.place);
    }
}

base::Status Buffer::check(u64 offset, u64 bytes) const {
    if (offset > size_bytes_ || bytes > size_bytes_ - offset) {
        return buffer_error("bytes " + std::to_string(offset) + " to " +
                            std::to_string(offset + bytes) + " were asked for, it has " +
                            std::to_string(size_bytes_));
    }
    // Pairs with the release in remove_user.
    const u32 users = users_.load(std::memory_order_acquire);
    if (users != 0) {
        return buffer_error(
            std::to_string(users) +
            " instances that are queued or running use it: wait for their events first");
    }
    return base::Done{};
}

base::Status Buffer::write(u64 offset, std::span<const std::byte> bytes) {
    WEFT_TRY(check(offset, bytes.size()));
    if (is_lent_) {
        return buffer_error("it is lent, so that only its owner may write it");
    }
    if (bytes.empty()) {
        return base::Done{};
    }
    const std::lock_guard lock(mutex_);
    const bool has_current = current_copy() != nullptr;
    if (!has_current) {
        host_.resize(size_bytes_);
        std::memcpy(host_.data() + offset, bytes.data(), bytes.size());
    }
    for (const Copy& copy : copies_) {
        if (copy.is_current) {
            copy.device->memory().copy_in(at(copy.place, offset), bytes.data(), bytes.size());
        }
    }
    return base::Done{};
}

base::Status Buffer::read(u64 offset, std::span<std::byte> bytes) const {
    WEFT_TRY(check(offset, bytes.size()));
    if (bytes.empty()) {
        return base::Done{};
    }
    if (is_lent_) {
        std::memcpy(bytes.data(), lent_ + offset, bytes.size());
        return base::Done{};
    }
    const std::lock_guard lock(mutex_);
    const Copy* const copy = current_copy();
    if (copy) {
        copy->device->memory().copy_out(bytes.data(), at(copy->place, offset), bytes.size());
        return base::Done{};
    }
    if (host_.empty()) {
        return buffer_error("it was read before anything was written to it");
    }
    std::memcpy(bytes.data(), host_.data() + offset, bytes.size());
    return base::Done{};
}

base::Result<void*> Buffer::place_on(const DevicePointer& device) {
    if (is_lent_ && (is_mapped_ || device->memory().is_host())) {
        return static_cast<void*>(const_cast<std::byte*>(lent_));  // bound to parameters In alone
    }
    const std::lock_guard lock(mutex_);
    const Copy* const source = current_copy();
    const std::size_t source_place =
        source ? static_cast<std::size_t>(source - copies_.data()) : copies_.size();
    Copy* copy = copy_of(*device);
    if (!copy) {
        void* const place = device->memory().take(size_bytes_);
        if (!place) {
            return buffer_error(std::to_string(size_bytes_) +
                                " bytes do not fit into the memory of " +
                                device->capability().name + ", of which " +
                                std::to_string(device->memory().used_bytes()) + " of " +
                                std::to_string(device->memory().limit_bytes()) + " are used");
        }
        copies_.push_back({device, place, false});
        copy = &copies_.back();
    }
    if (copy->is_current) {
        return copy->place;
    }
    if (source_place < copies_.size() && &copies_[source_place] != copy) {
        move_bytes(copies_[source_place], *copy, 0, size_bytes_);
    } else if (is_lent_) {
        device->memory().copy_in(copy->place, lent_, size_bytes_);
    } else if (!host_.empty()) {
        device->memory().copy_in(copy->place, host_.data(), size_bytes_);
        host_ = {};
    }
    copy->is_current = true;
    return copy->place;
}

bool Buffer::is_on(const Device& device) const {
    const std::lock_guard lock(mutex_);
    return std::any_of(copies_.begin(), copies_.end(), [&](const Copy& copy) {
        return copy.device.get() == &device;
    });
}

void Buffer::take_written(const std::vector<Written>& parts) {
    const std::lock_guard lock(mutex_);
    Copy* const first = copy_of(*parts.front().device);
    ENSURE((first != nullptr), ==, true);
    for (const Written& part : parts) {
        const Copy* const copy = copy_of(*part.device);
        if (copy && copy != first) {
            move_bytes(*copy, *first, part.offset, part.bytes);
        }
    }
    for (Copy& copy : copies_) {
        copy.is_current = &copy == first;
    }
}

Buffer::Copy* Buffer::copy_of(const Device& device) {
    const auto found = std::find_if(copies_.begin(), copies_.end(), [&](const Copy& copy) {
        return copy.device.get() == &device;
    });
    return found == copies_.end() ? nullptr : &*found;
}

const Buffer::Copy* Buffer::current_copy() const {
    const auto found = std::find_if(
        copies_.begin(), copies_.end(), [](const Copy& copy) { return copy.is_current; });
    return found == copies_.end() ? nullptr : &*found;
}

void Buffer::move_bytes(const Copy& from, const Copy& to, u64 offset, u64 bytes) const {
    std::vector<std::byte> pass(std::min(bytes, kPassBytes));
    for (u64 done = 0; done < bytes; done += pass.size()) {
        const u64 now = std::min<u64>(pass.size(), bytes - done);
        from.device->memory().copy_out(pass.data(), at(from.place, offset + done), now);
        to.device->memory().copy_in(at(to.place, offset + done), pass.data(), now);
    }
}

}  // namespace weft::compute
