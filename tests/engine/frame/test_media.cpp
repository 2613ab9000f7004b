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
#include "tests/engine/frame/small_frame.h"
#include "tests/engine/trace/small_scenes.h"

namespace {

using namespace weft::tests;
using weft::u32;
using weft::frame::Renderer;
using weft::frame::RenderSettings;
using weft::shaders::MaterialRecord;
using weft::trace::SchedulerMode;

constexpr SchedulerMode kModes[] = {
    SchedulerMode::Keyed, SchedulerMode::Unkeyed, SchedulerMode::Embree};

MaterialRecord boundary(Float3 absorption, Float3 scattering, float g) {
    MaterialRecord record = lambert({1, 1, 1});
    record.flags |= weft::shaders::kMaterialSolid | weft::shaders::kMaterialBoundary;
    std::copy_n(&absorption.x, 3, record.sigma_a);
    std::copy_n(&scattering.x, 3, record.sigma_s);
    record.phase_g = g;
    return record;
}

// Light from all sides that is a light of its own: radiance 1 + `tilt` · y.
void set_tilted_sky(weft::scene::Scene& scene, float tilt) {
    constexpr u32 kWidth = 32;
    constexpr u32 kHeight = 64;
    scene.environment.name = "tilted";
    scene.environment.width = kWidth;
    scene.environment.height = kHeight;
    std::vector<float> pixels;
    for (u32 row = 0; row < kHeight; ++row) {
        const double latitude = (0.5 - (row + 0.5) / kHeight) * std::acos(-1.0);
        const float radiance = 1 + tilt * static_cast<float>(std::sin(latitude));
        pixels.insert(pixels.end(), std::size_t{3} * kWidth, radiance);
    }
    scene.environment.pixels.assign(pixels.data(), pixels.data() + pixels.size());
}

struct Estimate {
    std::array<double, 3> mean{};
    std::array<double, 3> error{};  // standard error
};

RenderSettings settings_of(SchedulerMode mode, u32 samples, u32 max_bounces) {
    RenderSettings settings;
    settings.width = 16;
    settings.height = 16;
    settings.samples_per_pixel = samples;
    settings.max_bounces = max_bounces;
    settings.thread_count = 2;
    settings.filter = weft::trace::PixelFilter::Box;
    settings.integrator.mode = mode;
    settings.integrator.path_count = 4096;
    settings.integrator.trace_batch = 4096;
    return settings;
}

// Mean over a picture whose pixels have the same expectation, and what they tell of its error.
Estimate estimate(const weft::scene::Scene& scene, const RenderSettings& settings) {
    auto renderer = Renderer::prepare(scene, scene.cameras.front(), settings, {});
    REQUIRE(renderer.is_ok());
    REQUIRE(renderer.value()->render({}).is_ok());
    CHECK(renderer.value()->figures().dropped_samples == 0);
    const double count = settings.width * settings.height;
    Estimate sum;
    for (u32 y = 0; y < settings.height; ++y) {
        for (u32 x = 0; x < settings.width; ++x) {
            for (std::size_t c = 0; c < 3; ++c) {
                const auto value = static_cast<double>(renderer.value()->film().pixel(x, y)[c]);
                sum.mean[c] += value / count;
                sum.error[c] += value * value / count;
            }
        }
    }
    for (std::size_t c = 0; c < 3; ++c) {
        const double variance = std::max(0.0, sum.error[c] - sum.mean[c] * sum.mean[c]);
        sum.error[c] = std::sqrt(variance / (count - 1));
    }
    return sum;
}

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

// A lamp and a floor; fog with a ball of smoke and one of empty space in it, a glass of milk.
weft::scene::Scene foggy_scene() {
    weft::scene::Scene scene;
    add_object(scene, quad({-4, 0, 4}, {8, 0, 0}, {0, 0, -8}), plastic({0.5F, 0.6F, 0.7F}, 0.4F));
    add_object(scene, quad({-1, 4, -1}, {2, 0, 0}, {0, 0, 2}), emitter({9, 8, 7}));
    scene.lights = {point_light({2, 3, 2}, {20, 25, 30}),
                    directional_light({-1, -2, -1}, {1, 1, 0.8F})};
    scene.lights[0].radius_m = 0.2F;
    add_object(scene,
               box({-2.5F, 0.01F, -2}, {2.5F, 3, 2}, Facing::Out),
               boundary({0.02F, 0.02F, 0.05F}, {0.1F, 0.2F, 0.3F}, 0.6F));
    add_object(scene,
               uv_sphere({-1, 1, 0.5F}, 0.6F, 24, 12, Shading::Flat),
               boundary({1, 0.5F, 0.2F}, {2, 1, 3}, -0.3F));
    add_object(scene,
               uv_sphere({-1, 2, 0.5F}, 0.5F, 24, 12, Shading::Flat),
               boundary({0, 0, 0}, {0, 0, 0}, 0));
    MaterialRecord milk = glass(1.33F, 0.1F);
    std::fill_n(milk.sigma_s, 3, 8.0F);
    milk.sigma_a[2] = 0.5F;
    milk.phase_g = 0.7F;
    add_object(scene, uv_sphere({1, 0.8F, 0.5F}, 0.7F, 24, 12, Shading::Smooth), milk);
    add_object(scene, quad({-3, 2.5F, -3}, {6, 0, 0}, {0, 0, 2}), window({0.9F, 0.5F, 0.6F}, 0));
    set_sky(scene, 16, 8);
    set_camera(scene, {0.5F, 2.2F, 6}, {0, 1.2F, 0}, 0.7F);
    return scene;
}

std::string film_hash(const weft::scene::Scene& scene, const RenderSettings& settings) {
    auto renderer = Renderer::prepare(scene, scene.cameras.front(), settings, {});
    REQUIRE(renderer.is_ok());
    REQUIRE(renderer.value()->render({}).is_ok());
    std::string hash = renderer.value()->film().film_hash();
    for (u32 layer = 0; layer < renderer.value()->film().aovs().size(); ++layer) {
        hash += renderer.value()->film().aov_hash(layer);
    }
    return hash;
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

    TEST_CASE("a ball that scatters all light vanishes in a white furnace") {
        for (const float g : {-0.6F, 0.0F, 0.8F}) {
            for (const bool is_sampled : {false, true}) {
                weft::scene::Scene scene;
                add_object(scene,
                           uv_sphere({0, 0, 0}, 1, 24, 12, Shading::Flat),
                           boundary({0, 0, 0}, {0.5F, 1, 1.5F}, g));
                if (is_sampled) {
                    set_tilted_sky(scene, 0);
                } else {
                    set_constant_environment(scene, {1, 1, 1});
                }
                set_camera(scene, {0, 0, 4}, {0, 0, 0}, 0.3F);
                const Estimate seen = estimate(scene, settings_of(SchedulerMode::Keyed, 512, 60));
                for (std::size_t c = 0; c < 3; ++c) {
                    CAPTURE(g);
                    CAPTURE(is_sampled);
                    CAPTURE(c);
                    CAPTURE(seen.mean[c]);
                    CHECK(std::fabs(seen.mean[c] - 1) < 4 * seen.error[c] + 1e-5);
                    CHECK(seen.error[c] < 0.003);
                }
            }
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
        auto renderer = Renderer::prepare(scene, scene.cameras.front(), settings, {});
        REQUIRE(renderer.is_ok());
        REQUIRE(renderer.value()->render({}).is_ok());
        const weft::film::Film& film = renderer.value()->film();
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
        settings.thread_count = 1;
        const std::string wanted = film_hash(scene, settings);
        settings.thread_count = 2;
        CHECK(film_hash(scene, settings) == wanted);
        settings.integrator.mode = SchedulerMode::Unkeyed;
        CHECK(film_hash(scene, settings) == wanted);
        settings.integrator.mode = SchedulerMode::Keyed;
        if (weft::shaders::is_supported(weft::shaders::Isa::Avx512)) {
            settings.isa = weft::shaders::Isa::Avx2;
            CHECK(film_hash(scene, settings) == wanted);
            settings.isa = {};
        }
        if (has_device()) {
            settings.has_egpu = true;
            settings.has_cpu = false;
            CHECK(film_hash(scene, settings) == wanted);
        }
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
