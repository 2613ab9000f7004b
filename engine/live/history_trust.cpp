#include "engine/live/history_trust.h"

#include <algorithm>
#include <cmath>

#include "engine/film/parallel_rows.h"

namespace weft::live {

namespace {

// The side of the smallest blocks in pixels: their noise falls as pixels get samples.
u32 least_side(u32 samples) {
    return samples < 8 ? 16 : samples < 32 ? 8 : 4;
}

constexpr u32 kLeastNodes = 4;  // to a side of the smallest blocks
// A block of fewer nodes with a history says nothing.
constexpr float kFewest = 6;
// Differences within so many standard errors, and below this share, are trusted; those above by so
// much more are not. There are many small blocks, and bright samples are rare: what is unlikely in
// one of them happens in some, so they must differ by more.
constexpr float kErrors = 3;
constexpr float kErrorsOfSmallest = 5;
constexpr float kFewerByLevel = 0.5F;
constexpr float kUnseen = 0.06F;
constexpr float kSlope = 0.15F;
// A node changes by so many times the history at most, in the filtered mean of a block and in its
// noise: single bright samples must not decide. The mean of the samples has no bound, so that what
// the bound takes away is no change.
constexpr float kMostChange = 8;
// Darkness in which relative differences fade, as a share of the mean light.
constexpr float kDark = 0.05F;

float luminance(float r, float g, float b) {
    return 0.2126F * r + 0.7152F * g + 0.0722F * b;
}

// The mean light of the pixels around a node that have a history; none: a negative number.
float history_around(const PictureHistory& history, const NodeLattice& nodes, u32 i, u32 j) {
    // A node of a smaller film is the mean of its pixels, others are single pixels.
    const bool is_mean = nodes.first > 0.5F;
    const auto step = static_cast<u32>(nodes.step);
    const u32 reach = is_mean ? step : 1;
    float sum = 0;
    u32 count = 0;
    for (u32 y = j * step; y < std::min(j * step + reach, history.height); ++y) {
        for (u32 x = i * step; x < std::min(i * step + reach, history.width); ++x) {
            const LightPixel& pixel = history.at(x, y);
            if (pixel.samples > 0) {
                sum += luminance(pixel.rgb.x, pixel.rgb.y, pixel.rgb.z);
                ++count;
            }
        }
    }
    // Half of the pixels: a node at an edge compares what the history does not have.
    return 2 * count > reach * reach ? sum / static_cast<float>(count) : -1;
}

}  // namespace

void HistoryTrust::Block::add(const Block& other) {
    count += other.count;
    filtered += other.filtered;
    noisy += other.noisy;
    bounded += other.bounded;
    bounded_squared += other.bounded_squared;
}

float HistoryTrust::Block::trust(float errors) const {
    if (count < kFewest) {
        return 1;
    }
    const float mean = bounded / count;
    const float variance = std::max(0.0F, bounded_squared / count - mean * mean) / (count - 1);
    // What both the filter and the samples show: nothing if one is brighter and the other darker.
    const float darker = std::min(filtered, noisy) / count;
    const float brighter = std::max(filtered, noisy) / count;
    const float change = std::max({darker, -brighter, 0.0F});
    const float excess = change - errors * std::sqrt(variance) - kUnseen;
    return std::clamp(1 - excess / kSlope, 0.0F, 1.0F);
}

void HistoryTrust::compare(const NodeLattice& nodes,
                           u32 samples,
                           std::span<const float> noisy,
                           std::span<const float> filtered,
                           const PictureHistory& history) {
    const auto step = static_cast<u32>(nodes.step);
    side_ = std::max(least_side(samples), kLeastNodes * step);
    columns_ = (history.width + side_ - 1) / side_;
    rows_ = (history.height + side_ - 1) / side_;
    blocks_.assign(std::size_t{columns_} * rows_, {});
    double sum = 0;
    for (std::size_t k = 0; k < filtered.size(); k += 3) {
        sum += static_cast<double>(luminance(filtered[k], filtered[k + 1], filtered[k + 2]));
    }
    const auto mean = static_cast<float>(3 * sum / static_cast<double>(filtered.size()));
    dark_ = kDark * mean + 1e-20F;
    // A row of blocks per turn: its nodes alone touch them.
    const u32 nodes_of_block = side_ / step;
    film::for_rows(rows_, [&](u32 row) {
        const u32 end = std::min((row + 1) * nodes_of_block, nodes.height);
        for (u32 j = row * nodes_of_block; j < end; ++j) {
            for (u32 i = 0; i < nodes.width; ++i) {
                const float before = history_around(history, nodes, i, j);
                if (before < 0) {
                    continue;
                }
                const std::size_t node = std::size_t{j} * nodes.width + i;
                const float* const now = filtered.data() + 3 * node;
                const float* const raw = noisy.data() + 4 * node;
                const float scale = 1 / (before + dark_);
                const auto change = [&](const float* rgb) {
                    return (luminance(rgb[0], rgb[1], rgb[2]) - before) * scale;
                };
                const float of_raw = change(raw);
                const float bounded = std::min(of_raw, kMostChange);
                blocks_[std::size_t{row} * columns_ + std::min(i / nodes_of_block, columns_ - 1)]
                    .add({1,
                          std::min(change(now), kMostChange),
                          of_raw,
                          bounded,
                          bounded * bounded});
            }
        }
    });
    trust_blocks();
}

// The least trust of the blocks of all sizes around each smallest one.
void HistoryTrust::trust_blocks() {
    trust_.assign(blocks_.size(), 1);
    std::vector<Block> blocks = blocks_;
    for (u32 log2 = 0;; ++log2) {
        const float errors =
            std::max(kErrors, kErrorsOfSmallest - kFewerByLevel * static_cast<float>(log2));
        const u32 columns = ((columns_ - 1) >> log2) + 1;
        const u32 rows = ((rows_ - 1) >> log2) + 1;
        for (u32 row = 0; row < rows_; ++row) {
            for (u32 column = 0; column < columns_; ++column) {
                float& trust = trust_[std::size_t{row} * columns_ + column];
                const std::size_t around = std::size_t{row >> log2} * columns + (column >> log2);
                trust = std::min(trust, blocks[around].trust(errors));
            }
        }
        if (columns == 1 && rows == 1) {
            return;
        }
        // Blocks of twice the side.
        const u32 next_columns = ((columns_ - 1) >> (log2 + 1)) + 1;
        const u32 next_rows = ((rows_ - 1) >> (log2 + 1)) + 1;
        std::vector<Block> next(std::size_t{next_columns} * next_rows);
        for (u32 row = 0; row < rows; ++row) {
            for (u32 column = 0; column < columns; ++column) {
                next[std::size_t{row / 2} * next_columns + column / 2].add(
                    blocks[std::size_t{row} * columns + column]);
            }
        }
        blocks = std::move(next);
    }
}

// Between the middles of four blocks.
float HistoryTrust::at(u32 x, u32 y) const {
    const auto place = [this](u32 pixel, u32 count) {
        const float at = (static_cast<float>(pixel) + 0.5F) / static_cast<float>(side_) - 0.5F;
        return std::clamp(at, 0.0F, static_cast<float>(count - 1));
    };
    const float u = place(x, columns_);
    const float v = place(y, rows_);
    const auto i = static_cast<u32>(u);
    const auto j = static_cast<u32>(v);
    const auto value = [&](u32 column, u32 row) {
        return trust_[std::size_t{std::min(row, rows_ - 1)} * columns_ +
                      std::min(column, columns_ - 1)];
    };
    const float a = u - static_cast<float>(i);
    const float b = v - static_cast<float>(j);
    const float top = value(i, j) + (value(i + 1, j) - value(i, j)) * a;
    const float bottom = value(i, j + 1) + (value(i + 1, j + 1) - value(i, j + 1)) * a;
    return top + (bottom - top) * b;
}

}  // namespace weft::live
