// buffer.h — a memory object of a context: bytes, or an image of pixels; the host copies to and
// from it (R4).
//
// Each device has a copy of its own, made at its first use. Writing makes the writer's copy the
// only current one; other copies are updated before their next use. The host may copy only while no
// instance that uses the buffer is queued or running.
//
// A lent buffer is memory of the host that stays its own, and no device writes it: devices that
// read the host's memory use it in place, others get a copy. A mapped one is lent too, but never
// copied: every device reads it in place, over its bus. It suits what is too large to copy, and
// what the host fills while devices use other parts.
//
// Any thread may call. The buffer holds its own lock while it copies, and calls only memory ports.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"
#include "scheduler/compute/device.h"

namespace weft::compute {

enum class PixelFormat : u32 { R8, Rgba8, R32F, Rgb32F, Rgba32F };

u32 pixel_bytes(PixelFormat format);

// Rows from the top, without gaps.
struct ImageShape {
    u32 width = 0;
    u32 height = 0;
    PixelFormat format = PixelFormat::Rgba8;
};

// How devices with memory of their own read what the host lends.
enum class LentAccess : u32 { Copied, Mapped };

class Buffer {
public:
    explicit Buffer(u64 size_bytes, std::optional<ImageShape> shape = {});
    // Lends bytes, which must outlive the buffer. What is copied must not change.
    explicit Buffer(std::span<const std::byte> lent,
                    std::optional<ImageShape> shape = {},
                    LentAccess access = LentAccess::Copied);
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    Buffer(Buffer&&) = delete;
    Buffer& operator=(Buffer&&) = delete;

    [[nodiscard]] u64 size_bytes() const { return size_bytes_; }

    [[nodiscard]] const std::optional<ImageShape>& shape() const { return shape_; }

    [[nodiscard]] bool is_lent() const { return is_lent_; }

    // Copies from and to the host. Error: out of range, in use, never written (read), lent (write),
    // or no memory.
    base::Status write(u64 offset, std::span<const std::byte> bytes);
    base::Status read(u64 offset, std::span<std::byte> bytes) const;

    // The device's copy, made and updated, or the host's memory where it is read in place. Bytes
    // that were never written are zero.
    base::Result<void*> place_on(const DevicePointer& device);
    [[nodiscard]] bool is_on(const Device& device) const;

    // A device has written these bytes of its copy. The ranges of all writers of an instance are
    // merged into the first writer's copy.
    struct Written {
        const Device* device = nullptr;
        u64 offset = 0;
        u64 bytes = 0;
    };

    void take_written(const std::vector<Written>& parts);

    // Instances that use it and have not ended.
    void add_user() { users_.fetch_add(1, std::memory_order_relaxed); }

    // Release: what the instance did is seen by the host that finds no user (acquire in check).
    void remove_user() { users_.fetch_sub(1, std::memory_order_release); }

private:
    struct Copy {
        DevicePointer device;
        void* place = nullptr;
        bool is_current = false;
    };

    [[nodiscard]] base::Status check(u64 offset, u64 bytes) const;
    Copy* copy_of(const Device& device);
    [[nodiscard]] const Copy* current_copy() const;
    void move_bytes(const Copy& from, const Copy& to, u64 offset, u64 bytes) const;

    u64 size_bytes_;
    std::optional<ImageShape> shape_;
    bool is_lent_ = false;
    bool is_mapped_ = false;
    const std::byte* lent_ = nullptr;  // may be null where the buffer is empty
    std::atomic<u32> users_{0};
    mutable std::mutex mutex_;
    std::vector<Copy> copies_;
    std::vector<std::byte> host_;  // written by the host before a device needed the buffer
};

}  // namespace weft::compute
