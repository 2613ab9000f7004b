#include "engine/trace/texel_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "scheduler/base/ensure.h"

namespace weft::trace {

TexelCache::TexelCache(const TexelCacheConfig& config, const u32* far, u64 far_words)
    : far_(far),
      far_words_(far_words),
      tiles_(config.cache_bytes, config.tile_bytes),
      spare_(config.tile_bytes / sizeof(u32)),
      view_{.bring = [](void* context,
                        u32 tile) { return static_cast<TexelCache*>(context)->bring(tile); },
            .context = this,
            .tile_shift = static_cast<u32>(std::countr_zero(spare_.size()))} {
    ENSURE(std::has_single_bit(spare_.size()), ==, true);
}

// The emulated bus: the only place where the device's copy of the texels is read.
const u32* TexelCache::bring(u32 tile) {
    if (const void* const found = tiles_.find(tile)) {
        return static_cast<const u32*>(found);
    }
    void* const entry = tiles_.insert(tile);
    u32* const words = entry ? static_cast<u32*>(entry) : spare_.data();
    // The last tile of the arena may be short.
    const u64 begin = u64{tile} * spare_.size();
    ENSURE(begin, <, far_words_);
    const u64 bytes = std::min<u64>(spare_.size(), far_words_ - begin) * sizeof(u32);
    std::memcpy(words, far_ + begin, bytes);
    ++copied_.transfers;
    copied_.bytes += bytes;
    return words;
}

}  // namespace weft::trace
