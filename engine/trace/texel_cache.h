// texel_cache.h — the texels that lie in a cluster's local memory (F16).
//
// Kernels of the emulated GPU read texels here, and nowhere else: shading, alpha and tints. The
// arena of texels in the device's memory is cut into tiles, equal ranges of words; one that a
// kernel wants is copied in over the bus (scheduler/unit/bus_model.h) unless it is there. Tiles lie
// in a part of local memory of their own, so that they never displace treelets; of a set of four
// the least recently used gives way. The texels of one place lie together (texel_layout.h), so a
// tile serves neighbouring hits of a packet, and those of later packets.
//
// One per cluster, on the cluster's thread: both kinds of rays and shading take turns.
#pragma once

#include <vector>

#include "scheduler/fibre/software_cache.h"
#include "scheduler/unit/bus_model.h"
#include "shaders/host/local_texels.h"

namespace weft::trace {

struct TexelCacheConfig {
    u32 tile_bytes = 64;          // a power of two, at least 4
    u64 cache_bytes = 64U << 10;  // of local memory, with 16 B for the tag of each tile

    bool operator==(const TexelCacheConfig&) const = default;
};

class TexelCache {
public:
    // `far`: all words of the arena, in the device's memory; it must outlive the cache.
    TexelCache(const TexelCacheConfig& config, const u32* far, u64 far_words);
    TexelCache(const TexelCache&) = delete;
    TexelCache& operator=(const TexelCache&) = delete;

    [[nodiscard]] bool is_allocated() const { return tiles_.is_allocated(); }

    // For SceneView::local_texels.
    [[nodiscard]] shaders::LocalTexels* view() { return &view_; }

    // Words that kernels read, by lane.
    [[nodiscard]] u64 reads() const { return view_.reads; }

    [[nodiscard]] const unit::BusCounters& copied() const { return copied_; }

private:
    const u32* bring(u32 tile);

    const u32* far_;
    u64 far_words_;
    fibre::SoftwareCache tiles_;
    std::vector<u32> spare_;  // for one tile, where the cache has no entry
    shaders::LocalTexels view_;
    unit::BusCounters copied_;
};

}  // namespace weft::trace
