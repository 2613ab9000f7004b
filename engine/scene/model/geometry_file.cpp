#include "engine/scene/model/geometry_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/falloc.h>
#include <new>
#include <unistd.h>

#include "engine/scene/model/geometry_allocator.h"
#include "engine/scene/model/nameless_file.h"
#include "scheduler/base/memory_limit.h"

namespace weft::scene {

namespace {

// Room for 5e9 floats, and for as much again while a vector grows.
constexpr u64 kGeometryMapBytes = u64{128} << 30;
// Ranges begin and end where pages do.
constexpr u64 kRangeStep = 4096;

u64 whole_range(u64 bytes) {
    return (bytes + kRangeStep - 1) / kRangeStep * kRangeStep;
}

}  // namespace

base::Result<std::shared_ptr<GeometryFile>> GeometryFile::make(const GeometryMemory& memory) {
    // The mapping pledges what the claim found.
    const base::Result<base::MemoryClaim> claim =
        base::claim_memory(memory.bytes, "the triangles' part of --geometry-memory");
    WEFT_TRY(claim);
    const int descriptor = open_nameless(memory.folder);
    if (descriptor < 0) {
        return base::Error{
            base::ErrorKind::Output,
            memory.folder + ": takes no file for the triangles beyond --geometry-memory (" +
                std::strerror(errno) + "); expected a folder that can be written (--cache-dir)"};
    }
    std::shared_ptr<GeometryFile> file(new GeometryFile(memory, descriptor));
    base::Result<std::unique_ptr<BoundedMapping>> mapping =
        BoundedMapping::make(descriptor,
                             {.size_bytes = kGeometryMapBytes,
                              .budget_bytes = memory.bytes,
                              .may_write = true,
                              .what = "the triangles",
                              .option_name = "--geometry-memory"});
    WEFT_TRY(mapping);
    file->mapping_ = std::move(mapping.value());
    return file;
}

GeometryFile::GeometryFile(const GeometryMemory& memory, int descriptor)
    : folder_(memory.folder), budget_bytes_(memory.bytes), descriptor_(descriptor) {}

GeometryFile::~GeometryFile() {
    mapping_.reset();
    ::close(descriptor_);
}

// The first unused range that holds so much, else the end; the mapping's size: there is no room.
u64 GeometryFile::place_for(u64 bytes) {
    for (auto range = unused_.begin(); range != unused_.end(); ++range) {
        const auto [begin, size] = *range;
        if (size >= bytes) {
            unused_.erase(range);
            if (size > bytes) {
                unused_.emplace(begin + bytes, size - bytes);
            }
            return begin;
        }
    }
    if (kGeometryMapBytes - end_ < bytes) {
        return kGeometryMapBytes;
    }
    end_ += bytes;
    return end_ - bytes;
}

void* GeometryFile::take(u64 bytes) noexcept {
    if (bytes < kLeastRangeBytes || bytes > kGeometryMapBytes) {
        return nullptr;
    }
    const u64 whole = whole_range(bytes);
    const std::lock_guard lock(mutex_);
    const u64 begin = place_for(whole);
    if (begin == kGeometryMapBytes) {
        is_full_.store(true, std::memory_order_relaxed);
        return nullptr;
    }
    const int error_number =
        ::posix_fallocate(descriptor_, static_cast<off_t>(begin), static_cast<off_t>(whole));
    if (error_number != 0) {
        unused_.emplace(begin, whole);
        is_full_.store(true, std::memory_order_relaxed);
        return nullptr;
    }
    taken_bytes_.fetch_add(whole, std::memory_order_relaxed);
    return mapping_->data() + begin;
}

bool GeometryFile::give_back(void* place, u64 bytes) noexcept {
    const std::byte* const first = mapping_->data();
    const auto* const at = static_cast<const std::byte*>(place);
    if (at < first || at >= first + kGeometryMapBytes) {
        return false;
    }
    const auto begin = static_cast<u64>(at - first);
    const u64 whole = whole_range(bytes);
    const std::lock_guard lock(mutex_);
    taken_bytes_.fetch_sub(whole, std::memory_order_relaxed);
    // A range with a hole reads as zeros. Where the file system makes none, the range stays taken.
    if (::fallocate(descriptor_,
                    FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    static_cast<off_t>(begin),
                    static_cast<off_t>(whole)) != 0) {
        return true;
    }
    const auto [range, is_new] = unused_.emplace(begin, whole);
    // Join it with the unused ranges around it.
    if (const auto next = std::next(range);
        next != unused_.end() && range->first + range->second == next->first) {
        range->second += next->second;
        unused_.erase(next);
    }
    if (range != unused_.begin()) {
        const auto former = std::prev(range);
        if (former->first + former->second == range->first) {
            former->second += range->second;
            unused_.erase(range);
        }
    }
    return true;
}

void* take_geometry(GeometryFile* maybe_file, u64 bytes) {
    if (maybe_file && bytes >= GeometryFile::kLeastRangeBytes) {
        if (void* const place = maybe_file->take(bytes)) {
            return place;
        }
        const base::Result<base::MemoryClaim> claim =
            base::claim_memory(bytes, "triangles that find no room on the disk");
        if (!claim.is_ok()) {
            throw std::bad_alloc();
        }
    }
    return ::operator new(bytes);
}

void give_geometry_back(GeometryFile* maybe_file, void* place, u64 bytes) noexcept {
    if (!maybe_file || !maybe_file->give_back(place, bytes)) {
        ::operator delete(place);
    }
}

}  // namespace weft::scene
