#include "engine/frame/tile_waves.h"

#include <algorithm>

namespace weft::frame {

TileWaves::TileWaves(film::Region crop, u32 samples, u32 wave_samples)
    : crop_(crop),
      samples_(samples),
      wave_samples_(wave_samples),
      tiles_x_((crop.width() + kTileSize - 1) / kTileSize),
      tile_count_(tiles_x_ * ((crop.height() + kTileSize - 1) / kTileSize)),
      tiles_(std::make_unique<Tile[]>(tile_count_)) {
    const u64 wave_count = (u64{samples} + wave_samples - 1) / wave_samples;
    // relaxed: workers start after the constructor.
    claim_end_.store(wave_count * tile_count_, std::memory_order_relaxed);
}

void TileWaves::stop() {
    // pairs with the acquire in start_wave
    if (claim_end_.exchange(0, std::memory_order_acq_rel) == 0) {
        return;
    }
    // Wakes who waits for a tile whose former wave will never start: the count jumps past every
    // wave.
    for (u32 tile = 0; tile < tile_count_; ++tile) {
        tiles_[tile].done_waves.fetch_add(kStopped, std::memory_order_release);
        tiles_[tile].done_waves.notify_all();
    }
}

void TileWaves::stop_after_wave() {
    const u64 claimed = next_claim_.load(std::memory_order_acquire);
    const u64 end = (claimed + tile_count_ - 1) / tile_count_ * tile_count_;
    u64 expected = claim_end_.load(std::memory_order_acquire);
    while (end < expected &&
           !claim_end_.compare_exchange_weak(expected, end, std::memory_order_acq_rel)) {
    }
}

film::Region TileWaves::tile_region(u32 tile) const {
    film::Region region;
    region.x0 = crop_.x0 + tile % tiles_x_ * kTileSize;
    region.y0 = crop_.y0 + tile / tiles_x_ * kTileSize;
    region.x1 = std::min(region.x0 + kTileSize, crop_.x1);
    region.y1 = std::min(region.y0 + kTileSize, crop_.y1);
    return region;
}

// Claims the next wave if there is none waiting, and starts it if its tile is free. False: nothing
// can start now.
bool WaveSource::start_wave() {
    if (claimed_ == ~u64{0}) {
        claimed_ = waves_.next_claim_.fetch_add(1, std::memory_order_acq_rel);
    }
    if (claimed_ >= waves_.claim_end_.load(std::memory_order_acquire)) {  // pairs with stop()
        is_dry_ = true;
        return false;
    }
    const auto tile = static_cast<u32>(claimed_ % waves_.tile_count_);
    const auto wave = static_cast<u32>(claimed_ / waves_.tile_count_);
    // acquire: the film's pixels as the former owner left them; pairs with the release in
    // finished().
    if (waves_.tiles_[tile].done_waves.load(std::memory_order_acquire) < wave) {
        return false;
    }
    const auto free = std::find_if(waves_in_flight_.begin(),
                                   waves_in_flight_.end(),
                                   [](const Wave& w) { return w.tile == kNone; });
    if (free == waves_in_flight_.end()) {
        return false;
    }
    claimed_ = ~u64{0};
    region_ = waves_.tile_region(tile);
    sample_begin_ = wave * waves_.wave_samples_;
    sample_count_ = std::min(waves_.wave_samples_, waves_.samples_ - sample_begin_);
    cursor_ = 0;
    cursor_end_ = region_.width() * region_.height() * sample_count_;
    *free = {tile, wave, cursor_end_};
    return true;
}

u32 WaveSource::next(trace::SampleRequest* requests, u32 wanted) {
    u32 count = 0;
    while (count < wanted && !is_dry_) {
        if (cursor_ == cursor_end_ && !start_wave()) {
            break;
        }
        // Sample-major within the wave: neighbours on the film stay neighbours in packets.
        const u32 pixels = region_.width() * region_.height();
        const u32 step = std::min(wanted - count, cursor_end_ - cursor_);
        for (u32 k = 0; k < step; ++k, ++cursor_) {
            const u32 pixel = cursor_ % pixels;
            requests[count++] = {region_.x0 + pixel % region_.width(),
                                 region_.y0 + pixel / region_.width(),
                                 sample_begin_ + cursor_ / pixels};
        }
    }
    return count;
}

void WaveSource::finished(const trace::SampleRequest& request) {
    const u32 tile = (request.y - waves_.crop_.y0) / TileWaves::kTileSize * waves_.tiles_x_ +
                     (request.x - waves_.crop_.x0) / TileWaves::kTileSize;
    for (Wave& wave : waves_in_flight_) {
        if (wave.tile != tile) {
            continue;
        }
        if (--wave.remaining > 0) {
            return;
        }
        const film::Region region = waves_.tile_region(tile);
        const u32 begin = wave.wave * waves_.wave_samples_;
        const u32 samples = std::min(waves_.wave_samples_, waves_.samples_ - begin);
        wave.tile = kNone;
        waves_.finished_samples_.fetch_add(u64{region.width()} * region.height() * samples,
                                           std::memory_order_relaxed);
        const u64 done = waves_.finished_tile_waves_.fetch_add(1, std::memory_order_acq_rel) + 1;
        if (done % waves_.tile_count_ == 0) {
            waves_.finished_waves_.store(static_cast<u32>(done / waves_.tile_count_),
                                         std::memory_order_release);
        }
        // release: the film's pixels; pairs with the acquire in start_wave().
        waves_.tiles_[tile].done_waves.fetch_add(1, std::memory_order_release);
        waves_.tiles_[tile].done_waves.notify_all();
        return;
    }
}

void WaveSource::wait_for_tile() const {
    if (is_dry_ || claimed_ == ~u64{0}) {
        return;
    }
    const auto wave = static_cast<u32>(claimed_ / waves_.tile_count_);
    auto& done = waves_.tiles_[claimed_ % waves_.tile_count_].done_waves;
    u32 seen = done.load(std::memory_order_acquire);
    while (seen < wave) {
        done.wait(seen, std::memory_order_acquire);
        seen = done.load(std::memory_order_acquire);
    }
}

}  // namespace weft::frame
