// test_tile_waves.cpp — waves and shares: every sample is given out once, the waves of a tile
// follow each other, and stops leave whole waves.
#include <deque>
#include <random>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "tests/engine/frame/wave_stage.h"

namespace {

using weft::u32;
using weft::u64;
using weft::film::Film;
using weft::film::Region;
using weft::frame::TileWaves;
using weft::frame::WaveConfig;
using weft::frame::testing::Stage;
using weft::trace::ResultView;
using weft::trace::SampleBlock;
using weft::unit::WorkItem;

}  // namespace

TEST_SUITE("engine/frame/tile_waves") {
    TEST_CASE("every sample of every pixel reaches the film once in any order of shares") {
        std::mt19937 random(7);
        for (const u32 tile_size : {8U, 20U, 64U}) {
            for (const u64 most : {u64{1}, u64{100}, u64{1} << 20}) {
                WaveConfig config;
                config.crop = {3, 5, 3 + 70, 5 + 41};
                config.samples = 7;
                config.most_wave_samples = 4;
                config.tile_size = tile_size;
                Stage stage(config, 100, 60);
                std::deque<WorkItem> shares;
                WorkItem item;
                while (!stage.waves.is_dry() || !shares.empty()) {
                    while (stage.waves.next(item)) {
                        stage.cut(item, most, shares);
                    }
                    REQUIRE(!shares.empty());
                    const std::size_t pick = random() % shares.size();
                    stage.publish(shares[pick]);
                    shares.erase(shares.begin() + static_cast<std::ptrdiff_t>(pick));
                }
                CHECK(stage.is_complete(7));
                CHECK(stage.waves.finished_samples() == u64{70} * 41 * 7);
            }
        }
    }

    TEST_CASE("N5 a wave of a tile waits for the one before it and for no other tile") {
        WaveConfig config;
        config.crop = {0, 0, 16, 8};
        config.samples = 2;
        config.tile_size = 8;
        Stage stage(config, 16, 8);
        WorkItem first;
        WorkItem second;
        WorkItem third;
        REQUIRE(stage.waves.next(first));
        REQUIRE(stage.waves.next(second));
        CHECK(!stage.waves.next(third));
        stage.publish(second);
        REQUIRE(stage.waves.next(third));
        CHECK(weft::trace::to_block(third).tile == 1);
        CHECK(weft::trace::to_block(third).sample_begin == 1);
        WorkItem fourth;
        CHECK(!stage.waves.next(fourth));
        stage.publish(first);
        REQUIRE(stage.waves.next(fourth));
        CHECK(weft::trace::to_block(fourth).tile == 0);
    }

    TEST_CASE("F7 paths of the first picture are urgent and those of attended tiles more so") {
        WaveConfig config;
        config.crop = {0, 0, 16, 8};
        config.samples = 4;
        config.tile_size = 8;
        Stage stage(config, 16, 8);
        WorkItem item;
        for (const u32 urgency : {1U, 1U, 0U}) {
            REQUIRE(stage.waves.next(item));
            CHECK(weft::trace::to_block(item).urgency == urgency);
            CHECK(weft::trace::to_block(item).sample_count == 1);
            WorkItem rest;
            REQUIRE(stage.waves.divide(item, 0.5, rest));
            CHECK(weft::trace::to_block(rest).urgency == urgency);
            stage.publish(rest);
            stage.publish(item);
        }
        stage.waves.attend({8, 0, 16, 8});
        u32 attended = 0;
        while (stage.waves.next(item)) {
            const auto block = weft::trace::to_block(item);
            CHECK(block.urgency == (block.tile == 1 ? 2U : 0U));
            attended += block.tile == 1 ? 1U : 0U;
            stage.publish(item);
        }
        CHECK(attended > 0);
        CHECK(stage.is_complete(4));
    }

    TEST_CASE("N2 N7 thousands of tiles share queues and all their waves run") {
        WaveConfig config;
        config.crop = {0, 0, 64, 64};
        config.samples = 6;
        config.most_wave_samples = 2;
        config.tile_size = 1;
        Stage stage(config, 64, 64);
        WorkItem item;
        while (stage.waves.next(item)) {
            stage.publish(item);
        }
        CHECK(stage.waves.is_dry());
        CHECK(stage.is_complete(6));
        CHECK(stage.waves.task_figures()[weft::task::Figure::Completed] == 64 * 64 * 4 + 1);
    }

    TEST_CASE("waves double from one sample up to the limit") {
        WaveConfig config;
        config.crop = {0, 0, 8, 8};
        config.samples = 13;
        config.most_wave_samples = 4;
        Stage stage(config, 8, 8);
        std::vector<u32> sizes;
        WorkItem item;
        while (stage.waves.next(item)) {
            sizes.push_back(weft::trace::to_block(item).sample_count);
            stage.publish(item);
        }
        CHECK(sizes == std::vector<u32>{1, 2, 4, 4, 2});
    }

    TEST_CASE("stopping after a wave leaves every pixel with equally many samples") {
        WaveConfig config;
        config.crop = {0, 0, 96, 64};
        config.samples = 50;
        config.tile_size = 32;
        Stage stage(config, 96, 64);
        WorkItem item;
        for (u32 k = 0; k < 8; ++k) {
            REQUIRE(stage.waves.next(item));
            stage.publish(item);
        }
        stage.waves.stop_after_wave();
        while (stage.waves.next(item)) {
            stage.publish(item);
        }
        CHECK(stage.waves.is_dry());
        CHECK(stage.is_complete(2));
    }

    TEST_CASE("after a stop no wave starts and shares in flight still count") {
        WaveConfig config;
        config.crop = {0, 0, 32, 32};
        config.samples = 1000;
        config.tile_size = 16;
        Stage stage(config, 32, 32);
        WorkItem out;
        REQUIRE(stage.waves.next(out));
        stage.waves.stop();
        WorkItem item;
        CHECK(!stage.waves.next(item));
        stage.publish(out);
        CHECK(!stage.waves.next(item));
        CHECK(stage.waves.is_dry());
        CHECK(stage.waves.finished_samples() == 256);
    }

    TEST_CASE("a held frame keeps its waves and continues them") {
        bool is_asked = false;
        WaveConfig config;
        config.crop = {0, 0, 48, 32};
        config.samples = 9;
        config.tile_size = 16;
        config.should_hold = [&] { return is_asked; };
        Stage stage(config, 48, 32);
        WorkItem item;
        u32 items = 0;
        for (u32 round = 0; !stage.waves.is_dry(); ++round) {
            REQUIRE(round < 100);
            is_asked = false;
            stage.waves.go_on();
            for (u32 k = 0; k < 3 && stage.waves.next(item); ++k) {
                ++items;
                stage.publish(item);
            }
            is_asked = true;
            if (!stage.waves.is_dry()) {
                CHECK(!stage.waves.next(item));
                CHECK(stage.waves.is_held());
                stage.waves.go_on();
            }
        }
        CHECK(items == 6 * 9);
        CHECK(stage.is_complete(9));
    }

    TEST_CASE("a held frame with fewer samples ends with them or with the waves that had started") {
        bool is_asked = false;
        WaveConfig config;
        config.crop = {0, 0, 48, 32};
        config.samples = 100;
        config.most_wave_samples = 4;  // waves end at 1 3 7 11 15 ...
        config.tile_size = 16;
        config.should_hold = [&] { return is_asked; };
        for (const u32 wanted : {9U, 4U, 1U}) {
            CAPTURE(wanted);
            Stage stage(config, 48, 32);
            WorkItem item;
            is_asked = false;
            for (u32 k = 0; k < 2 * 6 + 1; ++k) {
                REQUIRE(stage.waves.next(item));
                stage.publish(item);
            }
            is_asked = true;
            CHECK(!stage.waves.next(item));
            const u32 expected = wanted == 9 ? 9 : 7;
            CHECK(stage.waves.end_at(wanted) == expected);
            CHECK(stage.waves.end_at(50) == expected);
            is_asked = false;
            stage.waves.go_on();
            while (stage.waves.next(item)) {
                stage.publish(item);
            }
            CHECK(stage.waves.is_dry());
            CHECK(stage.is_complete(expected));
        }
    }

    TEST_CASE("attended tiles lead the others and all are finished") {
        WaveConfig config;
        config.crop = {0, 0, 64, 64};
        config.samples = 20;
        config.tile_size = 16;
        Stage stage(config, 64, 64);
        stage.waves.attend({20, 20, 30, 30});  // the tile at (16, 16)
        WorkItem item;
        u32 lead = 0;
        for (u32 k = 0; k < TileWaves::kMostLead; ++k) {
            REQUIRE(stage.waves.next(item));
            const SampleBlock block = weft::trace::to_block(item);
            lead += block.x0 == 16 && block.y0 == 16 ? 1U : 0U;
            stage.publish(item);
        }
        CHECK(lead == TileWaves::kMostLead);
        stage.waves.attend({});
        while (stage.waves.next(item)) {
            stage.publish(item);
        }
        CHECK(stage.is_complete(20));
    }

    TEST_CASE("N4 for file output each tile is resolved and toned once after the last wave") {
        for (const bool is_stopped : {false, true}) {
            u64 finished = 0;
            std::vector<std::string> events;
            TileWaves* maybe_waves = nullptr;
            WaveConfig config;
            config.crop = {0, 0, 32, 32};
            config.samples = 3;
            config.tile_size = 16;
            config.on_resolve = [&] { finished = maybe_waves->finished_samples(); };
            config.resolve = [&](const Region& tile) {
                events.push_back("means " + std::to_string(tile.x0 + tile.y0));
            };
            config.tone = [&](const Region& tile) {
                events.push_back("bytes " + std::to_string(tile.x0 + tile.y0));
            };
            Stage stage(config, 32, 32);
            maybe_waves = &stage.waves;
            WorkItem item;
            for (u32 waves = 0; stage.waves.next(item); ++waves) {
                CHECK(events.empty());
                stage.publish(item);
                if (is_stopped && waves == 5) {
                    stage.waves.stop();
                }
            }
            CHECK(stage.waves.is_dry());
            CHECK(finished == (is_stopped ? 6 : 12) * 16 * 16);
            CHECK(events == std::vector<std::string>{"means 0",
                                                     "bytes 0",
                                                     "means 16",
                                                     "bytes 16",
                                                     "means 16",
                                                     "bytes 16",
                                                     "means 32",
                                                     "bytes 32"});
        }
    }

    TEST_CASE("N4 N8 thousands of tiles are resolved with the records of a few") {
        std::vector<u32> means(64 * 64, 0);
        std::vector<u32> bytes(64 * 64, 0);
        WaveConfig config;
        config.crop = {0, 0, 64, 64};
        config.samples = 1;
        config.tile_size = 1;
        config.resolve = [&](const Region& tile) { ++means[tile.y0 * 64 + tile.x0]; };
        config.tone = [&](const Region& tile) { ++bytes[tile.y0 * 64 + tile.x0]; };
        Stage stage(config, 64, 64);
        WorkItem item;
        while (stage.waves.next(item)) {
            stage.publish(item);
        }
        CHECK(stage.waves.is_dry());
        CHECK(means == std::vector<u32>(64 * 64, 1));
        CHECK(bytes == std::vector<u32>(64 * 64, 1));
    }

    TEST_CASE("a sample that is not finite is dropped and named") {
        WaveConfig config;
        config.crop = {0, 0, 4, 4};
        config.samples = 1;
        Film film(4, 4, config.crop, {});
        std::vector<float> words(64, 0.5F);
        words[4 * 5] = std::numeric_limits<float>::quiet_NaN();
        ResultView view;
        view.rgba = words.data();
        TileWaves waves(config, film, [&](u32, u32, u32) -> const ResultView& { return view; });
        WorkItem item;
        REQUIRE(waves.next(item));
        waves.publish(item, 0, 0);
        REQUIRE(waves.dropped_count() == 1);
        CHECK(waves.dropped().front().x == 1);
        CHECK(waves.dropped().front().y == 1);
        CHECK(film.sample_count(1, 1) == 0);
        CHECK(film.sample_count(0, 0) == 1);
    }

    TEST_CASE("pixel numbers of a tile name each of its pixels once in compact runs") {
        for (const u32 width : {1U, 7U, 8U, 33U, 64U}) {
            for (const u32 height : {1U, 5U, 8U, 50U}) {
                const SampleBlock block{
                    .x0 = 10, .y0 = 20, .width = width, .height = height, .sample_count = 1};
                std::set<std::pair<u32, u32>> seen;
                for (u32 pixel = 0; pixel < width * height; ++pixel) {
                    const auto place = weft::trace::place_of(block, pixel);
                    CHECK(place.x - 10 < width);
                    CHECK(place.y - 20 < height);
                    seen.insert({place.x, place.y});
                }
                CHECK(seen.size() == std::size_t{width} * height);
            }
        }
    }
}
