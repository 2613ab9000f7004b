// tile_waves.h — cuts a frame into waves: S consecutive samples of every pixel of a tile, in order
// per tile.
//
// Waves are numbered wave-major (all tiles of wave 0, then of wave 1, ...) and claimed in that
// order from one counter. A wave of a tile starts only when the tile's former wave is wholly in the
// film, so one worker at a time owns a tile's pixels and the film needs no lock. The picture does
// not depend on any of this: film sums are exact.
//
// TileWaves is shared by all workers; each worker has a WaveSource of its own.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "engine/film/film.h"
#include "engine/trace/integrator.h"

namespace weft::frame {

class TileWaves {
public:
    // `samples` samples of each pixel of `crop`, `wave_samples` per wave. All numbers at least 1.
    TileWaves(film::Region crop, u32 samples, u32 wave_samples);

    // No wave is claimed after this (SIGINT). Any thread.
    void stop();
    // The wave now being claimed is finished for all tiles, then no more (time limit). Any thread.
    void stop_after_wave();

    [[nodiscard]] u64 finished_samples() const {
        return finished_samples_.load(std::memory_order_relaxed);
    }

    // Samples that every pixel has. Grows while rendering. Any thread.
    [[nodiscard]] u32 finished_waves() const {
        return finished_waves_.load(std::memory_order_acquire);
    }

private:
    friend class WaveSource;
    static constexpr u32 kTileSize =
        32;  // pixels; 1024 paths of one sample fill the admit batch of a cluster
    static constexpr u32 kStopped = 1u << 31;  // added to done_waves by stop(): beyond any wave

    // One per tile: the number of its waves in the film. Alone on a cache line: owners change
    // between waves.
    struct alignas(64) Tile {
        std::atomic<u32> done_waves{0};
    };

    [[nodiscard]] film::Region tile_region(u32 tile) const;

    film::Region crop_;
    u32 samples_;
    u32 wave_samples_;
    u32 tiles_x_;
    u32 tile_count_;
    std::unique_ptr<Tile[]> tiles_;
    alignas(64) std::atomic<u64> next_claim_{0};
    alignas(64) std::atomic<u64> claim_end_;
    alignas(64) std::atomic<u64> finished_samples_{0};
    std::atomic<u64> finished_tile_waves_{0};
    std::atomic<u32> finished_waves_{0};
};

// One worker's view: hands out the samples of the waves it claims. Owner thread only.
class WaveSource final : public trace::SampleSource {
public:
    explicit WaveSource(TileWaves& waves) : waves_(waves), waves_in_flight_(kMaxInFlight) {}

    u32 next(trace::SampleRequest* requests, u32 wanted) override;
    void finished(const trace::SampleRequest& request) override;

    // True when nothing will ever come again for this worker.
    [[nodiscard]] bool is_dry() const { return is_dry_; }

    // Sleeps until the wave that this worker wants next may start.
    void wait_for_tile() const;

private:
    struct Wave {
        u32 tile = kNone;
        u32 wave = 0;
        u32 remaining = 0;  // samples not yet in the film
    };

    static constexpr u32 kMaxInFlight = 256;

    bool start_wave();

    TileWaves& waves_;
    // The wave claimed but not yet started (its tile is busy), or kNone.
    u64 claimed_ = ~u64{0};
    bool is_dry_ = false;
    // The wave being handed out.
    film::Region region_;
    u32 sample_begin_ = 0;
    u32 sample_count_ = 0;
    u32 cursor_ = 0;
    u32 cursor_end_ = 0;
    std::vector<Wave> waves_in_flight_;
};

}  // namespace weft::frame
