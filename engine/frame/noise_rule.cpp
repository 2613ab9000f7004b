#include "engine/frame/noise_rule.h"

#include <algorithm>
#include <bit>

#include "engine/film/noise.h"
#include "engine/trace/sample_block.h"
#include "scheduler/base/ensure.h"

namespace weft::frame {

namespace {

// Calls `visit(block, bit)` for the blocks of a region that begins at a block's corner.
template <typename Visit>
void for_blocks(const film::Region& region, const Visit& visit) {
    for (u32 y = region.y0; y < region.y1; y += film::kNoiseBlock) {
        for (u32 x = region.x0; x < region.x1; x += film::kNoiseBlock) {
            const film::Region block{x,
                                     y,
                                     std::min(x + film::kNoiseBlock, region.x1),
                                     std::min(y + film::kNoiseBlock, region.y1)};
            const u32 column = (x - region.x0) / film::kNoiseBlock;
            const u32 row = (y - region.y0) / film::kNoiseBlock;
            visit(block, trace::kBlockSide * row + column);
        }
    }
}

}  // namespace

static_assert(film::kNoiseBlock == trace::kBlockSide);

bool is_noise_step(u32 sample) {
    const bool is_power = std::has_single_bit(sample);
    const bool is_middle = sample % 3 == 0 && std::has_single_bit(sample / 3);
    return sample >= kFirstNoiseStep && (is_power || is_middle);
}

u32 next_noise_step(u32 sample) {
    if (sample < kFirstNoiseStep) {
        return kFirstNoiseStep;
    }
    const u32 power = std::bit_floor(sample);
    const u32 middle = power + power / 2;
    return sample < middle ? middle : 2 * power;
}

NoiseRule::NoiseRule(const film::Film& film, const NoiseConfig& config)
    : film_(film), config_(config), layer_(film::noise_layer(film)), ended_(config.tile_count) {
    ENSURE(layer_, !=, kNone);
}

u64 NoiseRule::open_blocks(u32 tile, const film::Region& region, u32 sample_begin) {
    u64& ended = ended_[tile];
    u64 open = 0;
    for_blocks(region, [&](const film::Region& block, u32 bit) {
        if ((ended >> bit & 1) == 0 && has_ended(block, sample_begin)) {
            ended |= u64{1} << bit;
            const u64 left = config_.sample_end - film_.samples_tried(block.x0, block.y0);
            saved_samples_.fetch_add(left * block.width() * block.height(),
                                     std::memory_order_relaxed);
        }
        open |= (~ended >> bit & 1) << bit;
    });
    return ended == 0 ? trace::kAllBlocks : open;
}

// A block has ended at a step if all of its pixels have just the samples before that step and if
// its noise is low. In a film that is continued, pixels of one block may differ: then the wave
// after the last step was interrupted, so the block did not end there.
bool NoiseRule::has_ended(const film::Region& block, u32 sample_begin) const {
    const u32 tried = film_.samples_tried(block.x0, block.y0);
    if (!is_noise_step(tried) || tried > sample_begin) {
        return false;
    }
    for (u32 y = block.y0; y < block.y1; ++y) {
        for (u32 x = block.x0; x < block.x1; ++x) {
            if (film_.samples_tried(x, y) != tried) {
                return false;
            }
        }
    }
    return film::block_noise(film_, layer_, block) <= config_.threshold;
}

bool NoiseRule::is_met() const {
    bool is_met = true;
    for_blocks(film_.crop(), [&](const film::Region& block, u32) {
        const u32 tried = film_.samples_tried(block.x0, block.y0);
        is_met = is_met && (has_ended(block, tried) || has_all(block));
    });
    return is_met;
}

bool NoiseRule::has_all(const film::Region& block) const {
    for (u32 y = block.y0; y < block.y1; ++y) {
        for (u32 x = block.x0; x < block.x1; ++x) {
            if (film_.samples_tried(x, y) < config_.sample_end) {
                return false;
            }
        }
    }
    return true;
}

FilmNoise film_noise(const film::Film& film) {
    const u32 layer = film::noise_layer(film);
    ENSURE(layer, !=, kNone);
    FilmNoise noise;
    u32 blocks = 0;
    for_blocks(film.crop(), [&](const film::Region& block, u32) {
        const double of_block = static_cast<double>(film::block_noise(film, layer, block));
        noise.mean += of_block;
        noise.most = std::max(noise.most, of_block);
        ++blocks;
    });
    noise.mean /= blocks;
    return noise;
}

}  // namespace weft::frame
