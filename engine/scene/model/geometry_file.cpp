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
    return std::shared_ptr<GeometryFile>(new GeometryFile(memory));
}

GeometryFile::GeometryFile(const GeometryMemory& memory)
    : folder_(memory.folder), budget_bytes_(memory.bytes) {}

GeometryFile::~GeometryFile() {
    mapping_.reset();
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

std::string GeometryFile::why_full() const {
    const std::lock_guard lock(mutex_);
    return why_full_;
}

BoundedMapping::Figures GeometryFile::figures() const {
    const std::lock_guard lock(mutex_);
    return mapping_ ? mapping_->figures() : BoundedMapping::Figures{};
}

// Opens and maps the file where that has not been done. False: the folder takes none.
bool GeometryFile::open() {
    if (mapping_) {
        return true;
    }
    descriptor_ = descriptor_ >= 0 ? descriptor_ : open_nameless(folder_);
    if (descriptor_ < 0) {
        why_full_ = folder_ + " takes no file (" + std::strerror(errno) + ")";
        return false;
    }
    base::Result<std::unique_ptr<BoundedMapping>> mapping =
        BoundedMapping::make(descriptor_,
                             {.size_bytes = kGeometryMapBytes,
                              .budget_bytes = budget_bytes_,
                              .may_write = true,
                              .what = "the triangles",
                              .option_name = "--geometry-memory"});
    if (!mapping.is_ok()) {
        why_full_ = mapping.error().sentence;
        return false;
    }
    mapping_ = std::move(mapping.value());
    return true;
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
    const std::lock_guard lock(mutex_);
    return open() ? take_locked(whole_range(bytes)) : nullptr;
}

void* GeometryFile::take_locked(u64 bytes) {
    const u64 begin = place_for(bytes);
    if (begin == kGeometryMapBytes) {
        why_full_ = folder_ + ": the triangles' file has no addresses left";
        return nullptr;
    }
    const int error_number =
        ::posix_fallocate(descriptor_, static_cast<off_t>(begin), static_cast<off_t>(bytes));
    if (error_number != 0) {
        unused_.emplace(begin, bytes);
        why_full_ = folder_ + " has no room (" + std::strerror(error_number) + ")";
        return nullptr;
    }
    taken_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    return mapping_->data() + begin;
}

bool GeometryFile::give_back(void* place, u64 bytes) noexcept {
    const std::lock_guard lock(mutex_);
    const std::byte* const first = mapping_ ? mapping_->data() : nullptr;
    const auto* const at = static_cast<const std::byte*>(place);
    if (!first || at < first || at >= first + kGeometryMapBytes) {
        return false;
    }
    const auto begin = static_cast<u64>(at - first);
    const u64 whole = whole_range(bytes);
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
