// test_tile_waves.cpp — every sample is handed out once, by one owner of a tile at a time, and
// every stop wakes everybody.
#include <array>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "engine/frame/tile_waves.h"

namespace {

using weft::u32;
using weft::u64;
using weft::frame::TileWaves;
using weft::frame::WaveSource;
using weft::trace::SampleRequest;

// Plays a cluster: takes samples in batches, counts each in `seen`, and finishes them.
void drain(WaveSource& source, weft::film::Region crop, u32 samples, std::vector<u32>& seen) {
    std::array<SampleRequest, 100> requests{};
    while (!source.is_dry()) {
        u32 count = source.next(requests.data(), static_cast<u32>(requests.size()));
        while (count > 0) {
            for (u32 k = 0; k < count; ++k) {
                const SampleRequest& r = requests[k];
                // Not atomic on purpose: the thread sanitizer sees it if two workers own a tile at
                // once.
                ++seen[(u64{r.y - crop.y0} * crop.width() + (r.x - crop.x0)) * samples + r.sample];
                source.finished(r);
            }
            count = source.next(requests.data(), static_cast<u32>(requests.size()));
        }
        source.wait_for_tile();
    }
}

}  // namespace

TEST_SUITE("engine/frame/tile_waves") {
    TEST_CASE("every sample of every pixel is handed out exactly once by any number of workers") {
        for (const u32 workers : {1U, 2U, 4U, 8U}) {
            for (const u32 wave_samples : {1U, 3U}) {
                const weft::film::Region crop = {3, 5, 3 + 70, 5 + 41};
                const u32 samples = 7;
                TileWaves waves(crop, samples, wave_samples);
                std::vector<u32> seen(std::size_t{crop.width()} * crop.height() * samples);
                {
                    std::vector<std::jthread> threads;
                    for (u32 k = 0; k < workers; ++k) {
                        threads.emplace_back([&] {
                            WaveSource source(waves);
                            drain(source, crop, samples, seen);
                        });
                    }
                }
                bool is_once = true;
                for (const u32 count : seen) {
                    is_once = is_once && count == 1;
                }
                CHECK(is_once);
                CHECK(waves.finished_samples() == seen.size());
                CHECK(waves.finished_waves() == (samples + wave_samples - 1) / wave_samples);
            }
        }
    }

    TEST_CASE("a stop ends every worker even one that waits for a tile") {
        for (u32 round = 0; round < 20; ++round) {
            const weft::film::Region crop = {0, 0, 32, 32};
            TileWaves waves(crop, 1000, 1);
            std::vector<u32> seen(std::size_t{32} * 32 * 1000);
            std::vector<std::jthread> threads;
            for (u32 k = 0; k < 4; ++k) {
                threads.emplace_back([&] {
                    WaveSource source(waves);
                    drain(source, crop, 1000, seen);
                });
            }
            while (waves.finished_samples() < 1024 * (round + 1)) {
                std::this_thread::yield();
            }
            waves.stop();
            threads.clear();
            bool is_at_most_once = true;
            for (const u32 count : seen) {
                is_at_most_once = is_at_most_once && count <= 1;
            }
            CHECK(is_at_most_once);
            CHECK(waves.finished_samples() >= 1024 * (round + 1));
        }
    }

    TEST_CASE("stopping after a wave leaves every pixel with equally many samples") {
        const weft::film::Region crop = {0, 0, 96, 64};
        TileWaves waves(crop, 50, 1);
        std::vector<u32> seen(std::size_t{96} * 64 * 50);
        std::vector<std::jthread> threads;
        for (u32 k = 0; k < 3; ++k) {
            threads.emplace_back([&] {
                WaveSource source(waves);
                drain(source, crop, 50, seen);
            });
        }
        while (waves.finished_samples() < 2 * 96 * 64) {
            std::this_thread::yield();
        }
        waves.stop_after_wave();
        threads.clear();
        const u64 done = waves.finished_samples();
        CHECK(done % (96 * 64) == 0);
        CHECK(done >= 2 * 96 * 64);
        CHECK(done <= u64{50} * 96 * 64);
    }
}
