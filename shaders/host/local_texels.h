// local_texels.h — texels in the local memory of a cluster, as kernels of the emulated GPU read
// them (F16).
//
// An arena of texels (of the textures, of the environment, its cells) is cut into tiles, equal
// ranges of words. A kernel names the word that it wants; its tile is copied into local memory
// unless it is there (engine/trace/texel_cache.h), and the word is read there. The tile that was
// read last is remembered, because neighbouring lanes mostly want the same. One per arena and
// cluster, on the cluster's thread; SceneView points to it, and the CPU has none.
#pragma once

#include "scheduler/base/ids.h"

namespace weft::shaders {

struct LocalTexels {
    // The words of a tile in local memory, copied in unless it is there. Valid until the next call.
    const u32* (*bring)(void* context, u32 tile);
    void* context;
    u32 tile_shift;  // log2 of the words of a tile
    u32 held_tile = kNone;
    const u32* held = nullptr;  // words of held_tile
    u64 reads = 0;              // words, by lane

    // Word `index` of the arena.
    u32 word(u32 index) {
        const u32 tile = index >> tile_shift;
        if (tile != held_tile) {
            held = bring(context, tile);
            held_tile = tile;
        }
        ++reads;
        return held[index & ((1u << tile_shift) - 1)];
    }
};

}  // namespace weft::shaders
