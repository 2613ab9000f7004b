// test_denoise_layers.cpp — the layers of a film as the denoiser reads them.
#include <doctest/doctest.h>

#include "engine/denoise/denoise_layers.h"
#include "engine/film/noise.h"

namespace weft::denoise::testing {

namespace {

using film::Aov;

// Pixel (x, y) of a crop has 3 samples of x + 1, 10 and 100; the first and third are the first
// half.
film::Film three_samples(const std::vector<Aov>& aovs) {
    film::Film film(5, 4, {1, 1, 4, 3}, aovs);
    for (u32 y = 1; y < 3; ++y) {
        for (u32 x = 1; x < 4; ++x) {
            const std::array<float, 3> values = {static_cast<float>(x + 1), 10, 100};
            for (u32 sample = 0; sample < 3; ++sample) {
                const float value = values[sample];
                film.add_sample(x, y, {value, 2 * value, 3 * value, 1});
                for (u32 layer = 0; layer < aovs.size(); ++layer) {
                    const bool is_first = film::is_in_first_half(sample);
                    // Every layer has its number in the red channel.
                    const float red =
                        aovs[layer] == Aov::Noise ? value : value + static_cast<float>(layer);
                    const float half = is_first ? 1.0F : 0.0F;
                    const std::array<float, film::kMostAovChannels> channels =
                        aovs[layer] == Aov::Direct
                            ? std::array<float, 6>{value / 2, 0, 0, half * value / 2, 0, 0}
                            : std::array<float, 6>{red, 2 * value, 3 * value, 1, 0, 0};
                    if (aovs[layer] != Aov::Noise || is_first) {
                        film.add_aov(layer, x, y, channels.data());
                    }
                }
            }
        }
    }
    return film;
}

base::Result<DenoiseLayers> layers_with(const std::vector<Aov>& aovs,
                                        Method method = Method::Quality) {
    const film::Film film = three_samples(aovs);
    film::ResolvedFilm picture(film, {});
    picture.finish();
    return layers_of(picture, method);
}

}  // namespace

TEST_SUITE("engine/denoise/denoise_layers") {
    TEST_CASE("the halves of the samples are means that add up to the picture") {
        const base::Result<DenoiseLayers> read =
            layers_with({Aov::Depth, Aov::Noise, Aov::Albedo, Aov::Normal});
        REQUIRE(read.is_ok());
        const DenoiseLayers& layers = read.value();
        CHECK(check_layers(layers).is_ok());
        CHECK(layers.colour.width == 3);
        CHECK(layers.colour.height == 2);
        // Pixel (2, 1) of the picture: samples 3, 10, 100.
        CHECK(layers.first_half.at(1, 0, 0) == doctest::Approx(51.5));
        CHECK(layers.second_half.at(1, 0, 1) == doctest::Approx(20));
        CHECK(layers.colour.at(1, 0, 0) == doctest::Approx(113.0 / 3));
        CHECK(layers.albedo.at(1, 0, 2) == doctest::Approx(113));
        CHECK(layers.depth.at(2, 1, 0) == doctest::Approx(114.0 / 3));
        CHECK_FALSE(layers.has_direct());
    }

    TEST_CASE("the halves of direct light are means that add up to it") {
        const base::Result<DenoiseLayers> read =
            layers_with({Aov::SeenAlbedo, Aov::SeenNormal, Aov::Depth, Aov::Noise, Aov::Direct});
        REQUIRE(read.is_ok());
        const DenoiseLayers& layers = read.value();
        CHECK(check_layers(layers).is_ok());
        REQUIRE(layers.has_direct());
        CHECK(layers.direct.at(1, 0, 0) == doctest::Approx(113.0 / 6));
        CHECK(layers.first_direct.at(1, 0, 0) == doctest::Approx(51.5 / 2));
        CHECK(layers.second_direct.at(1, 0, 0) == doctest::Approx(5));
    }

    TEST_CASE("quality reads what mirrors show and fast the first surface where the film has it") {
        const std::vector<Aov> both = {Aov::Albedo,
                                       Aov::Normal,
                                       Aov::SeenAlbedo,
                                       Aov::SeenNormal,
                                       Aov::Depth,
                                       Aov::Noise,
                                       Aov::Direct};
        const auto albedo_layer = [](const std::vector<Aov>& aovs, Method method) {
            const base::Result<DenoiseLayers> read = layers_with(aovs, method);
            REQUIRE(read.is_ok());
            CHECK(read.value().has_direct() == (method == Method::Quality));
            CHECK(read.value().normal.at(1, 0, 0) ==
                  doctest::Approx(read.value().albedo.at(1, 0, 0) + 1));
            return read.value().albedo.at(1, 0, 0) - 113.0F / 3;
        };
        CHECK(albedo_layer(both, Method::Quality) == doctest::Approx(2).epsilon(1e-4));
        CHECK(albedo_layer(both, Method::Fast) == doctest::Approx(0).epsilon(1e-4));
        const std::vector<Aov> seen(both.begin() + 2, both.end());
        CHECK(albedo_layer(seen, Method::Fast) == doctest::Approx(0).epsilon(1e-4));
    }

    TEST_CASE("a layer that the film lacks is named") {
        const std::vector<Aov> all(kNeededAovs.begin(), kNeededAovs.end());
        for (std::size_t k = 0; k < all.size(); ++k) {
            std::vector<Aov> rest = all;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
            const base::Result<DenoiseLayers> read = layers_with(rest);
            REQUIRE(!read.is_ok());
            CHECK(read.error().kind == base::ErrorKind::Scene);
            CHECK(read.error().sentence == std::string("layer ") + film::aov_name(all[k]) +
                                               ": missing; expected albedo, normal, depth and "
                                               "noise");
        }
    }
}

}  // namespace weft::denoise::testing
