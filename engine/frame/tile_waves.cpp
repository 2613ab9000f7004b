#include "engine/frame/tile_waves.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "scheduler/base/ensure.h"

namespace weft::frame {

namespace {

// Most dropped samples that are remembered with pixel and sample number; all are counted.
constexpr std::size_t kRememberedDrops = 16;

// Leaves are cut between rows of pixel blocks where they can be: see sample_block.h.
constexpr u32 kPixelGrain = 64;

// Where the numbers of an AOV begin among those of a result slot.
u32 aov_offset(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, u32>, 4> kOffsets = {
        {{"albedo", 0}, {"normal", 3}, {"position", 6}, {"depth", 9}}};
    const auto found = std::find_if(
        kOffsets.begin(), kOffsets.end(), [&](const auto& offset) { return offset.first == name; });
    return found == kOffsets.end() ? kNone : found->second;
}

}  // namespace

TileWaves::TileWaves(const WaveConfig& config, film::Film& film, Results results)
    : config_(config),
      film_(film),
      results_(std::move(results)),
      tiles_x_((config.crop.width() + config.tile_size - 1) / config.tile_size),
      tile_count_(tiles_x_ * ((config.crop.height() + config.tile_size - 1) / config.tile_size)),
      tiles_(tile_count_) {
    u32 count = config.first_wave_samples;
    for (u32 begin = 0; begin < config.samples; begin += count) {
        count = begin == 0 ? count : std::min(2 * count, config.most_wave_samples);
        count = std::min(std::max(count, 1U), config.samples - begin);
        waves_.push_back({begin, count});
    }
    wave_end_ = u64{tile_count_} * waves_.size();
    for (const film::FilmLayer& aov : film.aovs()) {
        float_layers_.push_back(aov_offset(aov.name));
    }
}

void TileWaves::stop() {
    const std::lock_guard lock(mutex_);
    wave_end_ = 0;
}

void TileWaves::stop_after_wave() {
    const std::lock_guard lock(mutex_);
    const u64 end = (next_wave_ + tile_count_ - 1) / tile_count_ * tile_count_;
    wave_end_ = std::min(wave_end_, end);
}

film::Region TileWaves::tile_region(u32 tile) const {
    film::Region region;
    region.x0 = config_.crop.x0 + tile % tiles_x_ * config_.tile_size;
    region.y0 = config_.crop.y0 + tile / tiles_x_ * config_.tile_size;
    region.x1 = std::min(region.x0 + config_.tile_size, config_.crop.x1);
    region.y1 = std::min(region.y0 + config_.tile_size, config_.crop.y1);
    return region;
}

bool TileWaves::next(unit::WorkItem& item) {
    const std::lock_guard lock(mutex_);
    if (next_wave_ >= wave_end_) {
        return false;
    }
    const auto wave = static_cast<u32>(next_wave_ / tile_count_);
    const auto number = static_cast<u32>(next_wave_ % tile_count_);
    Tile& tile = tiles_[number];
    if (tile.done_waves < wave) {
        return false;  // its pixels are still being written; whoever publishes them asks again
    }
    ++next_wave_;
    const film::Region region = tile_region(number);
    tile.open_pixels = region.width() * region.height();
    item = trace::to_item({.tile = number,
                           .x0 = region.x0,
                           .y0 = region.y0,
                           .width = region.width(),
                           .height = region.height(),
                           .pixel_begin = 0,
                           .pixel_end = tile.open_pixels,
                           .sample_begin = waves_[wave].sample_begin,
                           .sample_count = waves_[wave].sample_count});
    return true;
}

bool TileWaves::is_dry() const {
    const std::lock_guard lock(mutex_);
    return next_wave_ >= wave_end_;
}

u64 TileWaves::size(const unit::WorkItem& item) const {
    return trace::to_block(item).size();
}

bool TileWaves::divide(unit::WorkItem& item, double fraction, unit::WorkItem& rest) const {
    trace::SampleBlock block = trace::to_block(item);
    const u32 pixels = block.pixel_count();
    if (pixels < 2) {
        return false;
    }
    auto kept = static_cast<u32>(fraction * static_cast<double>(pixels));
    if (pixels > 2 * kPixelGrain) {
        kept = std::clamp(kept / kPixelGrain * kPixelGrain, kPixelGrain, pixels - kPixelGrain);
    }
    kept = std::clamp(kept, 1U, pixels - 1);
    trace::SampleBlock second = block;
    second.pixel_begin += kept;
    block.pixel_end = second.pixel_begin;
    item = trace::to_item(block);
    rest = trace::to_item(second);
    return true;
}

// The pixels of a leaf belong to the worker that publishes it until its tile's wave is done.
void TileWaves::publish(const unit::WorkItem& leaf, u32 unit, u32 portion) {
    const trace::SampleBlock block = trace::to_block(leaf);
    const trace::ResultView& results = results_(unit, portion, block.size());
    for (u32 pixel = 0; pixel < block.pixel_count(); ++pixel) {
        add_pixel(block, pixel, results);
    }
    finished_samples_.fetch_add(block.size(), std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    Tile& tile = tiles_[block.tile];
    ENSURE(block.pixel_count(), <=, tile.open_pixels);
    tile.open_pixels -= block.pixel_count();
    tile.done_waves += tile.open_pixels == 0 ? 1 : 0;
}

void TileWaves::add_pixel(const trace::SampleBlock& block,
                          u32 pixel,
                          const trace::ResultView& results) {
    const trace::PixelPlace place = trace::place_of(block, block.pixel_begin + pixel);
    for (u32 k = 0; k < block.sample_count; ++k) {
        const std::size_t slot = std::size_t{pixel} * block.sample_count + k;
        const float* const rgba = results.rgba + 4 * slot;
        const u32 sample = block.sample_begin + k;
        if (!film_.add_sample(place.x, place.y, {rgba[0], rgba[1], rgba[2], rgba[3]})) {
            remember_dropped({place.x, place.y, sample});
            continue;
        }
        for (u32 layer = 0; layer < float_layers_.size(); ++layer) {
            if (float_layers_[layer] != kNone) {
                film_.add_aov(layer,
                              place.x,
                              place.y,
                              results.aovs + trace::kAovFloats * slot + float_layers_[layer]);
            } else if (sample == 0) {
                film_.set_instance(place.x, place.y, results.instance[slot]);
            }
        }
    }
}

void TileWaves::remember_dropped(const DroppedSample& sample) {
    const std::lock_guard lock(mutex_);
    ++dropped_count_;
    if (dropped_.size() < kRememberedDrops) {
        dropped_.push_back(sample);
    }
}

}  // namespace weft::frame
