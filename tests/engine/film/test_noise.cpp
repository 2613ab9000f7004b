// test_noise.cpp — the noise of a block: closed form, samples of one half, and what it says about
// the true error of a pixel.
#include <array>
#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "engine/film/noise.h"
#include "engine/film/resolved_film.h"

namespace {

using namespace weft;
using film::Aov;
using film::Film;

constexpr film::Region kBlock{0, 0, film::kNoiseBlock, film::kNoiseBlock};

// A film of one block with room for the noise.
Film one_block() {
    return {film::kNoiseBlock, film::kNoiseBlock, kBlock, {Aov::Samples, Aov::Noise}};
}

void add(Film& film, u32 x, u32 y, u32 sample, const std::array<float, 3>& rgb) {
    REQUIRE(film.add_sample(x, y, {rgb[0], rgb[1], rgb[2], 1}));
    if (film::is_in_first_half(sample)) {
        const std::array<float, 4> values = {rgb[0], rgb[1], rgb[2], 1};
        film.add_aov(film::noise_layer(film), x, y, values.data());
    }
}

}  // namespace

TEST_SUITE("engine/film/noise") {
    TEST_CASE("the noise of a block has a closed form") {
        Film film = one_block();
        CHECK(std::isinf(film::block_noise(film, 1, kBlock)));
        // Halves of 2 and 1 in every channel: the error of a pixel is 3 · 0.5, the light 3 · 1.5.
        for (u32 y = 0; y < film::kNoiseBlock; ++y) {
            for (u32 x = 0; x < film::kNoiseBlock; ++x) {
                for (u32 sample = 0; sample < 6; ++sample) {
                    const float value = sample % 2 == 0 ? 2 : 1;
                    add(film, x, y, sample, {value, value, value});
                }
            }
        }
        const double expected = 1.5 / std::sqrt(4.5);
        CHECK(static_cast<double>(film::block_noise(film, 1, kBlock)) ==
              doctest::Approx(expected).epsilon(1e-4));
        // One more sample of the first half in every pixel leaves A and B as they are, and so the
        // difference.
        for (u32 y = 0; y < film::kNoiseBlock; ++y) {
            for (u32 x = 0; x < film::kNoiseBlock; ++x) {
                add(film, x, y, 6, {2, 2, 2});
            }
        }
        const double light = 3 * 11.0 / 7;
        CHECK(static_cast<double>(film::block_noise(film, 1, kBlock)) ==
              doctest::Approx(1.5 / std::sqrt(light)).epsilon(1e-4));
    }

    TEST_CASE("the noise of a block is the true error of its pixels") {
        std::mt19937 random(11);
        std::exponential_distribution<float> light(1);
        constexpr u32 kBlocks = 400;
        for (const u32 samples : {16U, 64U}) {
            double mean_noise = 0;
            for (u32 block = 0; block < kBlocks; ++block) {
                Film film = one_block();
                for (u32 pixel = 0; pixel < film::kNoiseBlock * film::kNoiseBlock; ++pixel) {
                    for (u32 sample = 0; sample < samples; ++sample) {
                        add(film, pixel % 8, pixel / 8, sample, {light(random), 0, 0});
                    }
                }
                mean_noise += static_cast<double>(film::block_noise(film, 1, kBlock)) / kBlocks;
            }
            // Variance and mean of a sample are 1.
            CHECK(mean_noise ==
                  doctest::Approx(1 / std::sqrt(static_cast<double>(samples))).epsilon(0.03));
        }
    }

    TEST_CASE("a resolved film shows the noise of a block in each of its pixels") {
        Film film(20, 9, {3, 1, 20, 9}, {Aov::Noise});
        std::mt19937 random(5);
        std::uniform_real_distribution<float> light(0, 1);
        for (u32 y = 1; y < 9; ++y) {
            for (u32 x = 3; x < 20; ++x) {
                for (u32 sample = 0; sample < 4; ++sample) {
                    add(film, x, y, sample, {light(random), light(random), light(random)});
                }
            }
        }
        film::ResolvedFilm picture(film, {});
        picture.finish();
        for (u32 x = 0; x < 17; ++x) {
            const film::Region block{3 + x / 8 * 8, 1, std::min(3 + x / 8 * 8 + 8, 20U), 9};
            CHECK(picture.aov_row(0, 0)[x] == film::block_noise(film, 0, block));
            CHECK(picture.aov_row(0, 7)[x] == picture.aov_row(0, 0)[x]);
        }
    }
}
