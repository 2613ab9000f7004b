// sample_block.h — the work item of a render: some samples of some pixels of one tile.
//
// Pixels of a tile are numbered by blocks of 8×8 in row-major order, row-major within each block,
// so that a range of numbers is a compact region. A sample block is a range of pixels times a range
// of samples; launch l is pixel l mod pixels, sample l div pixels, so that neighbours on the film
// are neighbours in packets. A block with a step contains every second, fourth or eighth pixel of
// its tile's rows and columns; width and height count these. Plain values; any thread.
#pragma once

#include "scheduler/base/ids.h"
#include "scheduler/unit/work.h"

namespace weft::trace {

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

    [[nodiscard]] u32 pixel_count() const { return pixel_end - pixel_begin; }

    [[nodiscard]] u32 size() const { return pixel_count() * sample_count; }
};

struct PixelPlace {
    u32 x = 0;
    u32 y = 0;
};

// Position of pixel number `pixel` of the block's tile in the full picture.
inline PixelPlace place_of(const SampleBlock& block, u32 pixel) {
    constexpr u32 kSide = 8;
    const u32 block_row = pixel / (kSide * block.width);
    const u32 in_row = pixel - block_row * kSide * block.width;
    const u32 rows = block.height - kSide * block_row;
    const u32 row_height = rows < kSide ? rows : kSide;
    const u32 block_column = in_row / (kSide * row_height);
    const u32 in_block = in_row - block_column * kSide * row_height;
    const u32 columns = block.width - kSide * block_column;
    const u32 column_width = columns < kSide ? columns : kSide;
    return {block.x0 + ((kSide * block_column + in_block % column_width) << block.step_log2),
            block.y0 + ((kSide * block_row + in_block / column_width) << block.step_log2)};
}

inline unit::WorkItem to_item(const SampleBlock& block) {
    const auto pair = [](u32 low, u32 high) { return u64{high} << 32 | low; };
    return {{pair(block.step_log2 << 30 | block.tile, block.width << 16 | block.height),
             pair(block.x0, block.y0),
             pair(block.pixel_begin, block.pixel_end),
             pair(block.sample_begin, block.urgency << 30 | block.sample_count)}};
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
            .urgency = high(3) >> 30};
}

}  // namespace weft::trace
