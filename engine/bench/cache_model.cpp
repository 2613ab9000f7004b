#include "engine/bench/cache_model.h"

#include <algorithm>
#include <bit>

#include "scheduler/base/ensure.h"

namespace weft::bench {

namespace {

constexpr u64 kLineBytes = 64;
constexpr u64 kEmpty = ~u64{0};

}  // namespace

SetCache::SetCache(u64 size_bytes, u32 ways)
    : ways_(ways), set_mask_(size_bytes / (kLineBytes * ways) - 1) {
    ENSURE(std::has_single_bit(set_mask_ + 1), ==, true);
    lines_.assign((set_mask_ + 1) * ways, kEmpty);
}

bool SetCache::touch(u64 line) {
    u64* const first = &lines_[(line & set_mask_) * ways_];
    u64* const found = std::find(first, first + ways_, line);
    const bool is_there = found != first + ways_;
    // Move the line to the front and those before it back by one; a miss drops the last.
    std::copy_backward(first, is_there ? found : found - 1, is_there ? found + 1 : found);
    *first = line;
    misses_ += is_there ? 0 : 1;
    return is_there;
}

void CacheModel::fetch(const void* data, u32 size_bytes) {
    const u64 begin = std::bit_cast<u64>(data) / kLineBytes;
    const u64 end = (std::bit_cast<u64>(data) + size_bytes - 1) / kLineBytes;
    for (u64 line = begin; line <= end; ++line) {
        if (!l1_.touch(line) && !l2_.touch(line)) {
            small_l3_.touch(line);
            large_l3_.touch(line);
        }
    }
}

std::array<u64, kCacheLevels> CacheModel::misses() const {
    return {l1_.misses(), l2_.misses(), small_l3_.misses(), large_l3_.misses()};
}

}  // namespace weft::bench
