// test_media.cpp — media that scatter light, through the whole renderer: closed forms, a random
// walk in double precision, furnaces, and one picture whatever runs it.
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/frame/prepared_scene.h"
#include "engine/frame/renderer.h"
#include "tests/engine/frame/media_frames.h"
#include "tests/engine/frame/whole_frame.h"

namespace {

using namespace weft::tests;
using weft::u32;
using weft::frame::Renderer;
using weft::frame::RenderSettings;
using weft::trace::SchedulerMode;

// One path in a cube of half width 1 in double precision, by the plainest random walk: the part of
// light from a sky of radiance 1 + tilt · y that it brings back.
double walk_in_cube(double absorption, double scattering, double g, double tilt, auto& random) {
    const auto draw = [&] { return std::uniform_real_distribution<double>()(random); };
    std::array<double, 3> at = {0.2, 0.1, 1};
    std::array<double, 3> way = {0, 0, -1};
    for (;;) {
        double exit = HUGE_VAL;
        for (std::size_t k = 0; k < 3; ++k) {
            if (way[k] != 0) {
                exit = std::min(exit, ((way[k] > 0 ? 1 : -1) - at[k]) / way[k]);
            }
        }
        const double distance = -std::log(1 - draw()) / (absorption + scattering);
        if (distance >= exit) {
            return 1 + tilt * way[1];
        }
        if (draw() * (absorption + scattering) < absorption) {
            return 0;
        }
        for (std::size_t k = 0; k < 3; ++k) {
            at[k] += distance * way[k];
        }
        // Turn by an angle whose cosine inverts the distribution of Henyey and Greenstein.
        const double root = (1 - g * g) / (1 - g + 2 * g * draw());
        const double cosine = g == 0 ? 2 * draw() - 1 : (1 + g * g - root * root) / (2 * g);
        const double sine = std::sqrt(std::max(0.0, 1 - cosine * cosine));
        const double angle = 2 * std::acos(-1.0) * draw();
        const std::array<double, 3> aside = std::fabs(way[0]) < 0.9
                                                ? std::array<double, 3>{0, way[2], -way[1]}
                                                : std::array<double, 3>{-way[2], 0, way[0]};
        const double length = std::hypot(aside[0], aside[1], aside[2]);
        std::array<double, 3> next{};
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t i = (k + 1) % 3;
            const std::size_t j = (k + 2) % 3;
            const double across = (way[i] * aside[j] - way[j] * aside[i]) / length;
            next[k] = cosine * way[k] +
                      sine * (std::cos(angle) * aside[k] / length + std::sin(angle) * across);
        }
        way = next;
    }
}

}  // namespace

TEST_SUITE("engine/frame/media") {
    TEST_CASE("a slab that only absorbs leaves exp of minus extinction times thickness") {
        weft::scene::Scene scene;
        add_object(scene,
                   box({-5, -5, -0.8F}, {5, 5, 0}, Facing::Out),
                   boundary({0.5F, 1, 3}, {0, 0, 0}, 0));
        set_constant_environment(scene, {1, 1, 1});
        set_camera(scene, {0.3F, 0.2F, 3}, {0.3F, 0.2F, 0}, 1e-3F);
        for (const SchedulerMode mode : kModes) {
            const Estimate seen = estimate(scene, settings_of(mode, 1, 8));
            CHECK(seen.mean[0] == doctest::Approx(std::exp(-0.4)).epsilon(1e-5));
            CHECK(seen.mean[1] == doctest::Approx(std::exp(-0.8)).epsilon(1e-5));
            CHECK(seen.mean[2] == doctest::Approx(std::exp(-2.4)).epsilon(1e-5));
        }
    }

    TEST_CASE("light that a slab scatters once has its closed form in every channel") {
        // Light and view go straight through the slab, so it comes straight back.
        constexpr double kG = 0.5;
        const std::array<double, 3> absorption = {0.1, 0.5, 0};
        const std::array<double, 3> scattering = {0.3, 1, 4};
        weft::scene::Scene scene;
        add_object(scene,
                   box({-50, -50, -2}, {50, 50, 0}, Facing::Out),
                   boundary({0.1F, 0.5F, 0}, {0.3F, 1, 4}, 0.5F));
        scene.lights = {directional_light({0, 0, -1}, {5, 5, 5})};
        set_camera(scene, {0.3F, 0.2F, 3}, {0.3F, 0.2F, 0}, 1e-3F);
        const double phase = (1 - kG * kG) / (4 * std::acos(-1.0) * std::pow(1 + kG, 3));
        for (const SchedulerMode mode : kModes) {
            const Estimate seen = estimate(scene, settings_of(mode, 256, 1));
            for (std::size_t c = 0; c < 3; ++c) {
                const double sigma = absorption[c] + scattering[c];
                const double expected =
                    5 * phase * scattering[c] * (1 - std::exp(-4 * sigma)) / (2 * sigma);
                CHECK(std::fabs(seen.mean[c] - expected) < 4 * seen.error[c] + 1e-6);
                CHECK(seen.error[c] < 0.02 * expected);
            }
        }
    }

    TEST_CASE("light of a wide sun that a slab scatters once has its closed form") {
        // The sun is before the camera, or behind it: in the peak of the phase function.
        constexpr double kSigma = 0.6;
        constexpr double kHalfAngle = 0.5;
        for (const bool is_behind : {false, true}) {
            CAPTURE(is_behind);
            const double g = is_behind ? -0.9 : 0.9;
            weft::scene::Scene scene;
            add_object(scene,
                       box({-50, -50, -2}, {50, 50, 0}, Facing::Out),
                       boundary({0, 0, 0}, {0.6F, 0.6F, 0.6F}, static_cast<float>(g)));
            scene.lights = {directional_light({0, 0, is_behind ? -1.0F : 1.0F}, {5, 5, 5})};
            scene.lights[0].angle_deg = static_cast<float>(kHalfAngle * 360 / std::acos(-1.0));
            set_camera(scene, {0.3F, 0.2F, 3}, {0.3F, 0.2F, 0}, 1e-3F);
            // Over depth in the slab, and over rings of the sun.
            constexpr int kPieces = 400;
            const double least = std::cos(kHalfAngle);
            double expected = 0;
            for (int i = 0; i < kPieces; ++i) {
                const double depth = 2 * (i + 0.5) / kPieces;
                const double way = is_behind ? depth : 2 - depth;
                for (int j = 0; j < kPieces; ++j) {
                    const double cosine = least + (1 - least) * (j + 0.5) / kPieces;
                    const double base = 1 + 0.81 - 1.8 * cosine;
                    const double phase = 0.19 / (4 * std::acos(-1.0) * std::pow(base, 1.5));
                    expected += kSigma * phase * std::exp(-kSigma * (depth + way / cosine));
                }
            }
            const double radiance = 5 / (std::acos(-1.0) * (1 - least * least));
            expected *= radiance * 2 * std::acos(-1.0) * 2 * (1 - least) / (kPieces * kPieces);
            for (const SchedulerMode mode : kModes) {
                const Estimate seen = estimate(scene, settings_of(mode, 256, 1));
                CAPTURE(seen.mean[0]);
                CAPTURE(expected);
                CHECK(std::fabs(seen.mean[0] - expected) < 4 * seen.error[0] + 1e-4 * expected);
                CHECK(seen.error[0] < 0.004 * expected);
            }
        }
    }

    TEST_CASE("a ball that scatters all light vanishes in a white furnace") {
        for (const float g : {-0.6F, 0.0F, 0.8F}) {
            check_furnace(g, {0, 0, 4}, 0.3F);
        }
    }

    TEST_CASE("a cube shows the mean of a plain random walk in double precision") {
        const std::array<double, 3> absorption = {0.2, 0.5, 0.1};
        const std::array<double, 3> scattering = {1, 0.5, 2};
        constexpr double kTilt = 0.8;
        constexpr u32 kWalks = 200000;
        for (const float g : {0.0F, 0.7F}) {
            weft::scene::Scene scene;
            add_object(scene,
                       box({-1, -1, -1}, {1, 1, 1}, Facing::Out),
                       boundary({0.2F, 0.5F, 0.1F}, {1, 0.5F, 2}, g));
            set_tilted_sky(scene, 0.8F);
            set_camera(scene, {0.2F, 0.1F, 5}, {0.2F, 0.1F, 0}, 1e-4F);
            const Estimate seen = estimate(scene, settings_of(SchedulerMode::Keyed, 1024, 60));
            std::mt19937 random(5);
            for (std::size_t c = 0; c < 3; ++c) {
                double sum = 0;
                double square = 0;
                for (u32 i = 0; i < kWalks; ++i) {
                    const double found = walk_in_cube(
                        absorption[c], scattering[c], static_cast<double>(g), kTilt, random);
                    sum += found / kWalks;
                    square += found * found / kWalks;
                }
                const double error =
                    std::hypot(std::sqrt((square - sum * sum) / kWalks), seen.error[c]);
                CAPTURE(c);
                CAPTURE(sum);
                CAPTURE(seen.mean[c]);
                CHECK(std::fabs(seen.mean[c] - sum) < 4 * error);
                CHECK(error < 0.004 * sum);
            }
        }
    }

    TEST_CASE("a medium is the first surface of what it scatters") {
        weft::scene::Scene scene;
        add_object(scene,
                   box({-5, -5, -20}, {5, 5, 0}, Facing::Out),
                   boundary({1, 2, 6}, {4, 3, 2}, 0.4F));
        set_constant_environment(scene, {1, 1, 1});
        set_camera(scene, {0, 0, 3}, {0, 0, 0}, 1e-3F);
        RenderSettings settings = settings_of(SchedulerMode::Keyed, 16, 2);
        settings.aovs = {weft::film::Aov::Albedo, weft::film::Aov::Normal, weft::film::Aov::Depth};
        const auto renderer = rendered(scene, settings);
        const weft::film::Film& film = renderer->film();
        const auto pixel_of = [&film](u32 layer) {
            std::array<float, 4> values{};
            film.aov_pixel(layer, 8, 8, values.data());
            return values;
        };
        const auto albedo = pixel_of(0);
        const auto normal = pixel_of(1);
        const float depth = pixel_of(2)[0];
        CHECK(albedo[0] == doctest::Approx(0.8).epsilon(1e-5));
        CHECK(albedo[1] == doctest::Approx(0.6).epsilon(1e-5));
        CHECK(albedo[2] == doctest::Approx(0.25).epsilon(1e-5));
        CHECK(normal[2] == doctest::Approx(1).epsilon(1e-5));
        CHECK(film.pixel(8, 8)[3] == 1);
        CHECK(depth > 3);
        CHECK(depth < 4);
    }

    TEST_CASE("one picture of fog, whatever runs it") {
        const weft::scene::Scene scene = foggy_scene();
        RenderSettings settings = small_frame(3, 1024);
        settings.aovs = {weft::film::Aov::Albedo,
                         weft::film::Aov::SeenAlbedo,
                         weft::film::Aov::Diffuse,
                         weft::film::Aov::Transmission};
        checked_film_hash(scene, settings);
    }

    TEST_CASE("units of a scene without media make room for one with media, and back") {
        const auto foggy = std::make_shared<const weft::scene::Scene>(foggy_scene());
        auto plain = std::make_shared<weft::scene::Scene>(*foggy);
        for (std::size_t k = 0; k < plain->materials.size(); ++k) {
            plain->materials[k].record.flags &= ~weft::shaders::kMaterialBoundary;
        }
        const RenderSettings settings = small_frame(2, 1024);
        const std::string wanted = film_hash(*foggy, settings);
        const std::string clear = film_hash(*plain, settings);
        CHECK(wanted != clear);
        std::unique_ptr<Renderer> spent;
        for (const bool has_fog : {false, true, false}) {
            std::shared_ptr<const weft::scene::Scene> scene = foggy;
            if (!has_fog) {
                scene = plain;
            }
            auto made =
                weft::frame::prepare_scene({.scene = scene, .settings = &settings, .hidden = {}});
            REQUIRE(made.is_ok());
            auto renderer = Renderer::prepare(
                std::move(made.value()), scene->cameras.front(), settings, spent.get());
            REQUIRE(renderer.is_ok());
            REQUIRE(renderer.value()->render({}).is_ok());
            CHECK(renderer.value()->film().film_hash() == (has_fog ? wanted : clear));
            spent = std::move(renderer.value());
        }
    }

    TEST_CASE("Embree's rays see the same fog in the mean") {
        const weft::scene::Scene scene = foggy_scene();
        const Estimate own = estimate(scene, settings_of(SchedulerMode::Keyed, 64, 8));
        const Estimate other = estimate(scene, settings_of(SchedulerMode::Embree, 64, 8));
        for (std::size_t c = 0; c < 3; ++c) {
            CHECK(own.mean[c] == doctest::Approx(other.mean[c]).epsilon(0.002));
        }
    }
}
