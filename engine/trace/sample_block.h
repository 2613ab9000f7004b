// sample_block.h — the work item of a render: some samples of some pixels of one tile.
//
// Pixels of a tile are numbered by blocks of 8×8 in row-major order, row-major within each block,
// so that a range of numbers is a compact region. A sample block is a range of pixels times a range
// of samples; launch l is pixel l mod pixels, sample l div pixels, so that neighbours on the film
// are neighbours in packets. A block with a step contains every second, fourth or eighth pixel of
// its tile's rows and columns; width and height count these. Where some of a tile's blocks are done
// (engine/frame/noise_rule.h), the pixels of the others alone have numbers. Plain values; any
// thread.
#pragma once

#include <algorithm>
#include <bit>

#include "scheduler/base/ids.h"
#include "scheduler/unit/work.h"

namespace weft::trace {

inline constexpr u64 kAllBlocks = ~u64{0};

struct SampleBlock {
    u32 tile = 0;  // the caller's index of the tile; below 2^30
    u32 x0 = 0;    // its first pixel in the full picture
    u32 y0 = 0;
    u32 width = 0;  // 1..65535
    u32 height = 0;
    u32 pixel_begin = 0;  // run of pixel numbers [begin, end)
    u32 pixel_end = 0;
    u32 sample_begin = 0;
    u32 sample_count = 0;  // below 2^30
    u32 step_log2 = 0;     // 0..3: log2 of the distance between pixels
    u32 urgency = 0;       // 0..3: paths of more urgent blocks are admitted and traced first
    // The 8×8 blocks whose pixels have numbers: bit 8 · row + column, in a tile of at most 64×64
    // pixels. kAllBlocks: all, in a tile of any size.
    u64 blocks = kAllBlocks;

    [[nodiscard]] u32 pixel_count() const { return pixel_end - pixel_begin; }

    [[nodiscard]] u32 size() const { return pixel_count() * sample_count; }
};

struct PixelPlace {
    u32 x = 0;
    u32 y = 0;
};

inline constexpr u32 kBlockSide = 8;  // pixels

// Pixels of block (column, row) of a tile, which may be cut off by the tile's sides.
struct BlockSize {
    u32 width = 0;
    u32 height = 0;
};

inline BlockSize block_size(u32 tile_width, u32 tile_height, u32 column, u32 row) {
    return {std::min(kBlockSide, tile_width - kBlockSide * column),
            std::min(kBlockSide, tile_height - kBlockSide * row)};
}

// The pixels of the chosen blocks of a tile.
inline u32 pixel_count_of(u32 tile_width, u32 tile_height, u64 blocks) {
    if (blocks == kAllBlocks) {
        return tile_width * tile_height;
    }
    u32 pixels = 0;
    for (u64 rest = blocks; rest != 0; rest &= rest - 1) {
        const auto bit = static_cast<u32>(std::countr_zero(rest));
        const BlockSize size =
            block_size(tile_width, tile_height, bit % kBlockSide, bit / kBlockSide);
        pixels += size.width * size.height;
    }
    return pixels;
}

// The block that holds a pixel number, and the pixel's number within the block.
struct PixelOfBlock {
    u32 column = 0;
    u32 row = 0;
    u32 pixel = 0;
};

inline PixelOfBlock pixel_of_block(const SampleBlock& block, u32 pixel) {
    if (block.blocks == kAllBlocks) {
        const u32 row = pixel / (kBlockSide * block.width);
        const u32 in_row = pixel - row * kBlockSide * block.width;
        const u32 row_height = std::min(kBlockSide, block.height - kBlockSide * row);
        const u32 column = in_row / (kBlockSide * row_height);
        return {column, row, in_row - column * kBlockSide * row_height};
    }
    // Skip the pixels of the blocks before.
    for (u64 rest = block.blocks;; rest &= rest - 1) {
        const auto bit = static_cast<u32>(std::countr_zero(rest));
        const PixelOfBlock found{bit % kBlockSide, bit / kBlockSide, pixel};
        const BlockSize size = block_size(block.width, block.height, found.column, found.row);
        if (pixel < size.width * size.height) {
            return found;
        }
        pixel -= size.width * size.height;
    }
}

// Position of pixel number `pixel` of the block's tile in the full picture.
inline PixelPlace place_of(const SampleBlock& block, u32 pixel) {
    const PixelOfBlock at = pixel_of_block(block, pixel);
    const u32 width = block_size(block.width, block.height, at.column, at.row).width;
    return {block.x0 + ((kBlockSide * at.column + at.pixel % width) << block.step_log2),
            block.y0 + ((kBlockSide * at.row + at.pixel / width) << block.step_log2)};
}

inline unit::WorkItem to_item(const SampleBlock& block) {
    const auto pair = [](u32 low, u32 high) { return u64{high} << 32 | low; };
    return {{pair(block.step_log2 << 30 | block.tile, block.width << 16 | block.height),
             pair(block.x0, block.y0),
             pair(block.pixel_begin, block.pixel_end),
             pair(block.sample_begin, block.urgency << 30 | block.sample_count),
             block.blocks}};
}

inline SampleBlock to_block(const unit::WorkItem& item) {
    const auto low = [&](u32 k) { return static_cast<u32>(item.word[k]); };
    const auto high = [&](u32 k) { return static_cast<u32>(item.word[k] >> 32); };
    return {.tile = low(0) & 0x3fffffff,
            .x0 = low(1),
            .y0 = high(1),
            .width = high(0) >> 16,
            .height = high(0) & 0xffff,
            .pixel_begin = low(2),
            .pixel_end = high(2),
            .sample_begin = low(3),
            .sample_count = high(3) & 0x3fffffff,
            .step_log2 = low(0) >> 30,
            .urgency = high(3) >> 30,
            .blocks = item.word[4]};
}

}  // namespace weft::trace
