// test_launch_walk.cpp — a walk over launches gives the numbers of sample_block.h.
#include <random>

#include <doctest/doctest.h>

#include "engine/trace/launch_walk.h"

namespace weft::trace {

TEST_SUITE("engine/trace/launch_walk") {
    TEST_CASE("each launch has the pixel, the sample and the position that dividing gives") {
        std::mt19937 random(3);
        const auto below = [&](u32 limit) { return static_cast<u32>(random()) % limit; };
        for (u32 round = 0; round < 300; ++round) {
            // A tile of any size, all of it or some of its blocks, or every n-th pixel.
            SampleBlock block{.x0 = below(1000),
                              .y0 = below(1000),
                              .width = 1 + below(64),
                              .height = 1 + below(64),
                              .sample_begin = below(100),
                              .sample_count = 1 + below(3),
                              .step_log2 = below(4)};
            if (round % 3 == 0) {
                const u32 column = below((block.width + kBlockSide - 1) / kBlockSide);
                const u32 row = below((block.height + kBlockSide - 1) / kBlockSide);
                u64 in_tile = 0;
                for (u32 y = 0; kBlockSide * y < block.height; ++y) {
                    for (u32 x = 0; kBlockSide * x < block.width; ++x) {
                        in_tile |= u64{1} << (kBlockSide * y + x);
                    }
                }
                block.blocks = (u64{random()} << 32 | random()) & in_tile;
                block.blocks |= u64{1} << (kBlockSide * row + column);
            }
            const u32 pixels = pixel_count_of(block.width, block.height, block.blocks);
            block.pixel_begin = below(pixels);
            block.pixel_end = block.pixel_begin + 1 + below(pixels - block.pixel_begin);
            // Walk from any launch to the last one.
            const u32 first = below(block.size());
            LaunchWalk walk(block, first);
            bool is_same = true;
            for (u32 launch = first; launch < block.size(); ++launch) {
                const u32 pixel = launch % block.pixel_count();
                const PixelPlace place = place_of(block, block.pixel_begin + pixel);
                is_same = is_same && walk.pixel() == pixel &&
                          walk.sample() == launch / block.pixel_count() &&
                          walk.place().x == place.x && walk.place().y == place.y;
                walk.advance();
            }
            CHECK(is_same);
        }
    }
}

}  // namespace weft::trace
