// test_coarse_waves.cpp — a first wave in lattices: every pixel once, coarse ones first.
#include <deque>
#include <map>

#include <doctest/doctest.h>

#include "tests/engine/frame/wave_stage.h"

namespace weft::frame::testing {

TEST_SUITE("engine/frame/coarse_waves") {
    TEST_CASE("a coarse first wave samples every pixel once and each lattice before the next") {
        for (const u32 tile_size : {8U, 20U, 128U}) {
            WaveConfig config;
            config.crop = {3, 5, 3 + 149, 5 + 41};
            config.samples = 3;
            config.most_wave_samples = 2;
            config.tile_size = tile_size;
            config.is_coarse_first = true;
            Stage stage(config, 160, 60);
            std::deque<WorkItem> shares;
            WorkItem item;
            std::map<u32, u32> step_of;  // by tile
            bool is_finer = true;
            u64 pixels = 0;
            while (stage.waves.next(item)) {
                const SampleBlock block = trace::to_block(item);
                const auto [before, is_first] = step_of.try_emplace(block.tile, block.step_log2);
                is_finer = is_finer && block.step_log2 <= before->second &&
                           (!is_first || block.step_log2 == 3);
                before->second = block.step_log2;
                pixels += block.sample_begin == 0 ? block.size() : 0;
                stage.cut(item, 50, shares);
                for (const WorkItem& share : shares) {
                    stage.publish(share);
                }
                shares.clear();
            }
            CHECK(stage.waves.is_dry());
            CHECK(stage.is_complete(3));
            CHECK(pixels == u64{149} * 41);
            CHECK(is_finer);
        }
    }

    TEST_CASE("a coarse first wave that is stopped has spread its samples over the picture") {
        WaveConfig config;
        config.crop = {0, 0, 256, 128};
        config.tile_size = 128;
        config.is_coarse_first = true;
        Stage stage(config, 256, 128);
        WorkItem item;
        WorkItem other;
        REQUIRE(stage.waves.next(item));
        REQUIRE(stage.waves.next(other));
        stage.publish(item);
        stage.publish(other);
        stage.waves.stop();
        CHECK(!stage.waves.next(item));
        bool is_lattice = true;
        for (u32 y = 0; y < 128; ++y) {
            for (u32 x = 0; x < 256; ++x) {
                const u32 samples = x % 8 == 0 && y % 8 == 0 ? 1 : 0;
                is_lattice = is_lattice && stage.film.sample_count(x, y) == samples;
            }
        }
        CHECK(is_lattice);
        CHECK(stage.waves.finished_samples() == u64{32} * 16);
    }
}

}  // namespace weft::frame::testing
