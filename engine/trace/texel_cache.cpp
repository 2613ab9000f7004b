#include "engine/trace/texel_cache.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "scheduler/base/ensure.h"

namespace weft::trace {

FarTexels far_texels(const shaders::SceneView& scene, u64 texel_words) {
    constexpr u64 kCellWords = sizeof(shaders::EnvironmentCell) / sizeof(u32);
    const u64 pixels = u64{scene.environment_width} * scene.environment_height;
    const u64 cells = pixels + scene.environment_height;
    const auto words = [](const auto* array, u64 count) {
        return array == nullptr ? std::span<const u32>()
                                : std::span<const u32>(reinterpret_cast<const u32*>(array), count);
    };
    return {words(scene.texels, texel_words),
            words(scene.environment, 3 * pixels),
            words(scene.environment_cells, kCellWords * cells)};
}

TexelCache::TexelCache(const TexelCacheConfig& config, const FarTexels& far)
    : tiles_(config.cache_bytes, config.tile_bytes) {
    ENSURE(std::has_single_bit(config.tile_bytes), ==, true);
    const u64 tile_words = config.tile_bytes / sizeof(u32);
    const std::array<std::span<const u32>, 3> words = {far.textures, far.environment, far.cells};
    u64 first_tile = 0;
    for (std::size_t k = 0; k < arenas_.size(); ++k) {
        Arena& arena = arenas_[k];
        arena.cache = this;
        arena.far = words[k];
        arena.first_tile = first_tile;
        arena.spare.resize(tile_words);
        arena.view.bring = [](void* context, u32 tile) {
            auto& own = *static_cast<Arena*>(context);
            return own.cache->bring(own, tile);
        };
        arena.view.context = &arena;
        arena.view.tile_shift = static_cast<u32>(std::countr_zero(tile_words));
        first_tile += (words[k].size() + tile_words - 1) / tile_words;
    }
}

// The emulated bus: the only place where the device's copy of the texels is read.
const u32* TexelCache::bring(Arena& arena, u32 tile) {
    const u64 key = arena.first_tile + tile;
    if (const void* const found = tiles_.find(key)) {
        return static_cast<const u32*>(found);
    }
    // The new tile may take the place of one that an arena still holds.
    for (Arena& other : arenas_) {
        other.view.held_tile = kNone;
    }
    void* const entry = tiles_.insert(key);
    u32* const words = entry ? static_cast<u32*>(entry) : arena.spare.data();
    // The last tile of the arena may be short.
    const u64 begin = u64{tile} * arena.spare.size();
    ENSURE(begin, <, arena.far.size());
    const u64 bytes = std::min<u64>(arena.spare.size(), arena.far.size() - begin) * sizeof(u32);
    std::memcpy(words, arena.far.data() + begin, bytes);
    ++copied_.transfers;
    copied_.bytes += bytes;
    return words;
}

void TexelCache::show(shaders::SceneView& scene) {
    const bool is_constant = scene.environment_width == 1 && scene.environment_height == 1;
    scene.texels = nullptr;
    scene.environment = is_constant ? scene.environment : nullptr;
    scene.environment_cells = nullptr;
    scene.local_texels = &arenas_[0].view;
    scene.local_environment = &arenas_[1].view;
    scene.local_cells = &arenas_[2].view;
}

u64 TexelCache::reads() const {
    u64 sum = 0;
    for (const Arena& arena : arenas_) {
        sum += arena.view.reads;
    }
    return sum;
}

}  // namespace weft::trace
