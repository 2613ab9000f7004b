// tiled_texels.h — texels that a test writes row by row, in the order of the arena.
#pragma once

#include <algorithm>
#include <vector>

#include "shaders/surface/texel_layout.h"

namespace weft::tests {

inline std::vector<u32> tiled(u32 width,
                              u32 height,
                              shaders::TexelFormat format,
                              const std::vector<u32>& rows) {
    const u32 words = shaders::words_of_texel(format);
    std::vector<u32> tiles(shaders::texels_of_level(width, height) * words);
    for (u32 i = 0; i < width * height; ++i) {
        const u64 at = shaders::texel_index(i % width, i / width, width) * words;
        std::copy_n(&rows[std::size_t{i} * words], words, &tiles[at]);
    }
    return tiles;
}

}  // namespace weft::tests
