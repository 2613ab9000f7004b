// test_denoiser.cpp — whole pictures: what must stay, what must go, the same bits, and bad input.
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include <doctest/doctest.h>
#include <tbb/global_control.h>

#include "engine/denoise/denoiser.h"

namespace weft::denoise::testing {

namespace {

using film::Picture;

Picture even_picture(u32 width, u32 height, u32 channels, float value) {
    Picture picture;
    picture.width = width;
    picture.height = height;
    picture.channels = channels;
    picture.pixels.assign(std::size_t{width} * height * channels, value);
    return picture;
}

// What a picture shows at a pixel, between 0 and 1.
using Pattern = float (*)(u32 x, u32 y);

float even(u32 /*x*/, u32 /*y*/) {
    return 0.5F;
}

float ramp(u32 x, u32 /*y*/) {
    return 0.1F + 0.006F * static_cast<float>(x);
}

float edge(u32 x, u32 y) {
    return 3 * x + y < 200 ? 0.1F : 0.9F;
}

float texture(u32 x, u32 y) {
    return (x / 3 + y / 2) % 2 == 0 ? 0.2F : 0.8F;
}

// A flat wall with this light on it, and noise of this standard deviation in the mean of both
// halves, relative to the light. A pattern may be in the albedo instead of in the light.
DenoiseLayers wall(u32 width, u32 height, Pattern pattern, float noise, bool is_albedo = false) {
    std::mt19937 random(11);
    std::normal_distribution<float> error(0, noise * std::sqrt(2.0F));
    DenoiseLayers layers{even_picture(width, height, 3, 0),
                         even_picture(width, height, 3, 0),
                         even_picture(width, height, 3, 0),
                         even_picture(width, height, 3, 0.5F),
                         even_picture(width, height, 3, 0),
                         even_picture(width, height, 1, 2)};
    for (u32 y = 0; y < height; ++y) {
        for (u32 x = 0; x < width; ++x) {
            const std::size_t pixel = std::size_t{y} * width + x;
            layers.normal.pixels[3 * pixel + 2] = 1;
            for (std::size_t at = 3 * pixel; at < 3 * (pixel + 1); ++at) {
                const float light = pattern(x, y);
                if (is_albedo) {
                    layers.albedo.pixels[at] = light;
                }
                layers.first_half.pixels[at] = light * (1 + error(random));
                layers.second_half.pixels[at] = light * (1 + error(random));
                layers.colour.pixels[at] =
                    0.5F * (layers.first_half.pixels[at] + layers.second_half.pixels[at]);
            }
        }
    }
    return layers;
}

Picture denoised(const DenoiseLayers& layers, const DenoiseConfig& config = {}) {
    const base::Result<Picture> picture = denoise(layers, config);
    INFO(picture.error().sentence);
    REQUIRE(picture.is_ok());
    return picture.value();
}

double mean_of(const Picture& picture) {
    double sum = 0;
    for (const float value : picture.pixels) {
        sum += static_cast<double>(value);
    }
    return sum / static_cast<double>(picture.pixels.size());
}

// The mean square of the relative distance from the pattern.
double error_of(const Picture& picture, Pattern pattern) {
    double sum = 0;
    for (u32 y = 0; y < picture.height; ++y) {
        for (u32 x = 0; x < picture.width; ++x) {
            const auto light = static_cast<double>(pattern(x, y));
            const double error = static_cast<double>(picture.at(x, y, 1)) / light - 1;
            sum += error * error;
        }
    }
    return sum / (static_cast<double>(picture.width) * picture.height);
}

std::string refusal_of(const DenoiseLayers& layers) {
    const base::Result<Picture> picture = denoise(layers, {});
    REQUIRE(!picture.is_ok());
    CHECK(picture.error().kind == base::ErrorKind::Scene);
    return picture.error().sentence;
}

}  // namespace

TEST_SUITE("engine/denoise/denoiser") {
    TEST_CASE("a picture without noise comes through with every bit") {
        for (const Pattern pattern : {even, ramp, edge, texture}) {
            const DenoiseLayers layers = wall(130, 70, pattern, 0);
            CHECK(denoised(layers).pixels == layers.colour.pixels);
        }
    }

    TEST_CASE("no order of the jobs changes a bit and none begins once somebody wants an end") {
        const DenoiseLayers layers = wall(130, 70, ramp, 0.2F);
        const Picture expected = denoised(layers);
        DenoiseConfig config;
        u32 all = 0;
        config.run = [&all](u32 count, const std::function<void(u32)>& job) {
            for (u32 k = count; k-- > 0;) {
                job(k);
                ++all;
            }
        };
        CHECK(denoised(layers, config).pixels == expected.pixels);
        const u32 jobs = all;
        u32 asked = 0;
        u32 left = 0;
        for (const u32 stop : {1U, 2U, 70U, jobs / 2, jobs - 1, jobs}) {
            CAPTURE(stop);
            asked = 0;
            config.should_stop = [&asked, stop] { return ++asked >= stop; };
            config.run = [&](u32 count, const std::function<void(u32)>& job) {
                for (u32 k = 0; k < count; ++k) {
                    const u32 before = asked;
                    job(k);
                    left += asked == before ? 1U : 0U;  // not even asked
                }
            };
            const base::Result<Picture> stopped = denoise(layers, config);
            REQUIRE(!stopped.is_ok());
            CHECK(stopped.error().kind == base::ErrorKind::Render);
            CHECK(asked == stop);
        }
        CHECK(left > 0);
    }

    TEST_CASE("a noisy picture keeps its mean within a thousandth and loses noise") {
        for (const bool is_albedo : {false, true}) {
            for (const Pattern pattern : {even, ramp, edge, texture}) {
                const DenoiseLayers layers = wall(130, 120, pattern, 0.15F, is_albedo);
                const Picture picture = denoised(layers);
                CAPTURE(mean_of(picture));
                CHECK(std::fabs(mean_of(picture) / mean_of(layers.colour) - 1) < 1e-3);
                CHECK(error_of(picture, pattern) < 0.6 * error_of(layers.colour, pattern));
            }
        }
    }

    TEST_CASE("a texture of the surface hides no noise of the light") {
        const DenoiseLayers layers = wall(130, 120, texture, 0.15F, true);
        CHECK(error_of(denoised(layers), texture) < 0.1 * error_of(layers.colour, texture));
    }

    TEST_CASE("flat noise drops as a mean over the window lets it") {
        const DenoiseLayers layers = wall(160, 160, even, 0.2F);
        const double left = error_of(denoised(layers), even) / error_of(layers.colour, even);
        CAPTURE(left);
        // A mean of the 15 × 15 pixels would leave 1/225. Patches with like noise are preferred,
        // and windows at the picture's sides are smaller.
        CHECK(left > 1.0 / 225);
        CHECK(left < 6.0 / 225);
    }

    TEST_CASE("a bright sample among dark ones keeps its energy and no neighbour loses its own") {
        DenoiseLayers layers = wall(100, 100, even, 0.15F);
        const std::size_t at = 3 * (100 * 50 + 50);
        for (std::size_t c = at; c < at + 3; ++c) {
            layers.first_half.pixels[c] = 60;
            layers.colour.pixels[c] = 0.5F * (60 + layers.second_half.pixels[c]);
        }
        const Picture picture = denoised(layers);
        CHECK(std::fabs(mean_of(picture) / mean_of(layers.colour) - 1) < 2e-2);
        // Pixels beyond the window do not see it.
        CHECK(std::fabs(picture.at(20, 50, 0) - 0.5F) < 0.1F);
    }

    TEST_CASE("a bright sample inside the window does not raise its neighbours") {
        DenoiseLayers layers = wall(60, 60, even, 0.15F);
        const Picture without = denoised(layers);
        const std::size_t at = 3 * (60 * 30 + 30);
        for (std::size_t c = at; c < at + 3; ++c) {
            layers.second_half.pixels[c] = 60;
            layers.colour.pixels[c] = 0.5F * (layers.first_half.pixels[c] + 60);
        }
        const Picture with = denoised(layers);
        // All of the window, and the pixel itself: 60 / 225 of light would be 0.13 in each half.
        float largest = 0;
        for (u32 y = 23; y <= 37; ++y) {
            for (u32 x = 23; x <= 37; ++x) {
                largest = std::max(largest, std::fabs(with.at(x, y, 1) - without.at(x, y, 1)));
            }
        }
        CAPTURE(largest);
        CHECK(largest < 0.05F);
    }

    TEST_CASE("a light that both halves show is no outlier") {
        DenoiseLayers layers = wall(60, 60, even, 0.15F);
        for (Picture* const picture : {&layers.colour, &layers.first_half, &layers.second_half}) {
            for (u32 c = 0; c < 3; ++c) {
                picture->pixels[3 * (60 * 30 + 30) + c] = 60;
            }
        }
        CHECK(denoised(layers).at(30, 30, 1) > 54);
    }

    TEST_CASE("the number of threads changes no bit") {
        const DenoiseLayers layers = wall(200, 90, edge, 0.3F);
        const Picture usual = denoised(layers);
        for (const std::size_t threads : {1U, 2U, 5U}) {
            const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
            CHECK(denoised(layers).pixels == usual.pixels);
        }
    }

    TEST_CASE("AVX2 and AVX-512 give the same picture") {
        if (shaders::is_supported(shaders::Isa::Avx512)) {
            const DenoiseLayers layers = wall(100, 60, edge, 0.3F);
            CHECK(denoised(layers, {.isa = shaders::Isa::Avx2}).pixels ==
                  denoised(layers, {.isa = shaders::Isa::Avx512}).pixels);
        }
    }

    TEST_CASE("pictures of one pixel and of one row or column are denoised") {
        for (const auto& [width, height] :
             {std::array{1U, 1U}, std::array{16384U, 1U}, std::array{1U, 700U}}) {
            const DenoiseLayers layers = wall(width, height, even, 0.2F);
            const Picture picture = denoised(layers);
            CHECK(picture.width == width);
            CHECK(picture.height == height);
            CHECK(error_of(picture, even) <= error_of(layers.colour, even));
        }
    }

    TEST_CASE("black pictures and pictures of the sky alone stay finite") {
        DenoiseLayers sky = wall(40, 40, even, 0.2F);
        for (Picture* const picture : {&sky.albedo, &sky.normal, &sky.depth}) {
            std::fill(picture->pixels.begin(), picture->pixels.end(), 0.0F);
        }
        CHECK(error_of(denoised(sky), even) < error_of(sky.colour, even));
        DenoiseLayers black = sky;
        for (Picture* const picture : {&black.colour, &black.first_half, &black.second_half}) {
            std::fill(picture->pixels.begin(), picture->pixels.end(), 0.0F);
        }
        CHECK(mean_of(denoised(black)) == 0);
    }

    TEST_CASE("direct light that is apart keeps its edges beside noise of other light") {
        DenoiseLayers layers = wall(130, 120, even, 0.3F);
        layers.direct = even_picture(130, 120, 3, 0);
        for (u32 y = 0; y < 120; ++y) {
            for (u32 x = 0; x < 130; ++x) {
                for (u32 c = 0; c < 3; ++c) {
                    layers.direct.pixels[3 * (std::size_t{y} * 130 + x) + c] = texture(x, y);
                }
            }
        }
        layers.first_direct = layers.second_direct = layers.direct;
        for (Picture* const picture : {&layers.colour, &layers.first_half, &layers.second_half}) {
            for (std::size_t at = 0; at < picture->pixels.size(); ++at) {
                picture->pixels[at] += layers.direct.pixels[at];
            }
        }
        const auto error_of = [&](const DenoiseLayers& each) {
            const Picture picture = denoised(each);
            double sum = 0;
            for (std::size_t at = 0; at < picture.pixels.size(); ++at) {
                const auto error =
                    static_cast<double>(picture.pixels[at] - layers.direct.pixels[at] - 0.5F);
                sum += error * error;
            }
            return std::sqrt(sum / static_cast<double>(picture.pixels.size()));
        };
        const double apart = error_of(layers);
        CHECK(mean_of(denoised(layers)) == doctest::Approx(mean_of(layers.colour)).epsilon(0.002));
        layers.direct.pixels.clear();
        CHECK(apart < 0.5 * error_of(layers));
    }

    TEST_CASE("values that are not finite are named with layer and pixel") {
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        for (const float bad : {std::nanf(""), kInfinity, -kInfinity}) {
            DenoiseLayers layers = wall(20, 10, even, 0.1F);
            layers.normal.pixels[3 * (20 * 7 + 4) + 1] = bad;
            CHECK(refusal_of(layers) == "layer normal: not finite at pixel 4,7");
        }
        DenoiseLayers layers = wall(20, 10, even, 0.1F);
        layers.depth.pixels[3] = kInfinity;
        CHECK(refusal_of(layers) == "layer depth: not finite at pixel 3,0");
        layers.depth.pixels[3] = 2;
        layers.direct = layers.first_direct = layers.second_direct = layers.colour;
        layers.direct.pixels[0] = kInfinity;
        CHECK(refusal_of(layers) == "layer direct: not finite at pixel 0,0");
        layers.direct.pixels[0] = 0;
        layers.second_direct.pixels.clear();
        layers.second_direct.width = 0;
        CHECK(refusal_of(layers) ==
              "layer second half of direct: 0x10 pixels of 3 channels; expected 20x10 of 3");
    }

    TEST_CASE("a layer of another size is named") {
        DenoiseLayers layers = wall(20, 10, even, 0.1F);
        layers.albedo = even_picture(20, 11, 3, 0.5F);
        CHECK(refusal_of(layers) ==
              "layer albedo: 20x11 pixels of 3 channels; expected 20x10 of 3");
    }

    TEST_CASE("work that is asked to stop ends with an error") {
        const base::Result<Picture> picture =
            denoise(wall(300, 300, even, 0.2F), {.should_stop = [] { return true; }});
        REQUIRE(!picture.is_ok());
        CHECK(picture.error().kind == base::ErrorKind::Render);
    }
}

}  // namespace weft::denoise::testing
