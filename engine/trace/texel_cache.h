// texel_cache.h — the texels that lie in a cluster's local memory (F16).
//
// Kernels of the emulated GPU read texels here, and nowhere else: those of textures in shading,
// alpha and tints, and those of the environment with its cells. The arenas in the device's memory
// are cut into tiles, equal ranges of words; one that a kernel wants is copied in over the bus
// (scheduler/unit/bus_model.h) unless it is there. Tiles of all arenas share one cache. They lie
// in a part of local memory of their own, so that they never displace treelets; of a set of four
// the least recently used gives way. The texels of one place lie together (texel_layout.h), so a
// tile serves neighbouring hits of a packet, and those of later packets.
//
// One per cluster, on the cluster's thread: both kinds of rays and shading take turns.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "scheduler/fibre/software_cache.h"
#include "scheduler/unit/bus_model.h"
#include "shaders/host/local_texels.h"
#include "shaders/host/scene_view.h"

namespace weft::trace {

struct TexelCacheConfig {
    u32 tile_bytes = 64;          // a power of two, at least 4
    u64 cache_bytes = 64U << 10;  // of local memory, with 16 B for the tag of each tile

    bool operator==(const TexelCacheConfig&) const = default;
};

// All words of each arena, in the device's memory.
struct FarTexels {
    std::span<const u32> textures;
    std::span<const u32> environment{};
    std::span<const u32> cells{};
};

// `texel_words`: of the textures' arena.
FarTexels far_texels(const shaders::SceneView& scene, u64 texel_words);

class TexelCache {
public:
    // The arenas must outlive the cache.
    TexelCache(const TexelCacheConfig& config, const FarTexels& far);
    TexelCache(const TexelCache&) = delete;
    TexelCache& operator=(const TexelCache&) = delete;

    [[nodiscard]] bool is_allocated() const { return tiles_.is_allocated(); }

    // Leaves kernels no way to the texels but through this cache. One radiance from all directions
    // stays: it is read once for all lanes, as a number of the view is.
    void show(shaders::SceneView& scene);

    [[nodiscard]] shaders::LocalTexels& textures() { return arenas_[0].view; }

    // Words that kernels read, by lane.
    [[nodiscard]] u64 reads() const;

    [[nodiscard]] const unit::BusCounters& copied() const { return copied_; }

private:
    struct Arena {
        TexelCache* cache = nullptr;
        std::span<const u32> far{};
        u64 first_tile = 0;        // of the arena, among those of all
        std::vector<u32> spare{};  // for one tile, where the cache has no entry
        shaders::LocalTexels view{};
    };

    const u32* bring(Arena& arena, u32 tile);

    fibre::SoftwareCache tiles_;
    std::array<Arena, 3> arenas_;  // of textures, the environment, its cells
    unit::BusCounters copied_;
};

}  // namespace weft::trace
