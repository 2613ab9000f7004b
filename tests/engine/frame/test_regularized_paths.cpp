// test_regularized_paths.cpp — regularised paths through the whole renderer: energy, noise and bias
// of caustics, and one picture whatever runs it.
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "engine/frame/bias.h"
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

RenderSettings regularized(RenderSettings settings, float roughness) {
    settings.regularized_roughness = roughness;
    return settings;
}

// A floor, seen where a small lamp out of the picture lights it through a glass ball.
weft::scene::Scene lens_scene() {
    weft::scene::Scene scene;
    add_object(scene, quad({-4, 0, 4}, {8, 0, 0}, {0, 0, -8}), lambert({0.7F, 0.7F, 0.7F}));
    add_object(scene, uv_sphere({0, 1, 0}, 0.7F, 48, 24, Shading::Smooth), glass(1.5F, 0));
    add_object(
        scene, quad({-2.6F, 2.5F, -0.1F}, {0.2F, 0, 0}, {0, 0, 0.2F}), emitter({90, 90, 90}));
    set_camera(scene, {1.6F, 5, 0.01F}, {1.6F, 0, 0}, 0.28F);
    return scene;
}

// The same where a mirror throws the lamp's light on the floor, and a screen keeps off the rest.
weft::scene::Scene mirror_scene() {
    weft::scene::Scene scene;
    add_object(scene, quad({-4, 0, 4}, {8, 0, 0}, {0, 0, -8}), lambert({0.7F, 0.7F, 0.7F}));
    add_object(scene, quad({0, 0.2F, -1}, {0, 0, 2}, {0, 2, 0}), metal({0.9F, 0.9F, 0.9F}, 0));
    add_object(scene, quad({2.4F, 2.5F, -0.1F}, {0.2F, 0, 0}, {0, 0, 0.2F}), emitter({90, 90, 90}));
    add_object(scene, quad({2.3F, 2.2F, -0.5F}, {0.4F, 0, 0}, {0, 0, 1}), lambert({0, 0, 0}));
    set_camera(scene, {1.2F, 5, 0.01F}, {1.2F, 0, 0}, 0.28F);
    return scene;
}

// Mean of a picture, and the mean variance of its samples, from two seeds.
struct Noise {
    double mean = 0;
    double variance = 0;
};

Noise noise_of(const weft::scene::Scene& scene, RenderSettings settings) {
    std::array<std::unique_ptr<Renderer>, 2> frames;
    for (u32 seed = 0; seed < 2; ++seed) {
        settings.seed = seed;
        frames[seed] = rendered(scene, settings);
    }
    Noise noise;
    const double count = settings.width * settings.height;
    for (u32 y = 0; y < settings.height; ++y) {
        for (u32 x = 0; x < settings.width; ++x) {
            const auto one = static_cast<double>(frames[0]->film().pixel(x, y)[1]);
            const auto other = static_cast<double>(frames[1]->film().pixel(x, y)[1]);
            noise.mean += (one + other) / 2 / count;
            noise.variance +=
                (one - other) * (one - other) / 2 / count * settings.samples_per_pixel;
        }
    }
    return noise;
}

// White balls of every kind of facet over a white floor, with a pane and a ball of milk, in a white
// sky.
weft::scene::Scene white_scene(bool is_sampled) {
    weft::scene::Scene scene;
    add_object(scene, quad({-6, 0, 6}, {12, 0, 0}, {0, 0, -12}), lambert({1, 1, 1}));
    weft::shaders::MaterialRecord coated = plastic({1, 1, 1}, 0.4F);
    coated.flags |= weft::shaders::kMaterialCoat;
    coated.coat = 1;
    weft::shaders::MaterialRecord brushed = metal({1, 1, 1}, 0.05F);
    brushed.flags |= weft::shaders::kMaterialAnisotropy;
    brushed.anisotropy = 0.5F;
    weft::shaders::MaterialRecord milk = glass(1.33F, 0);
    std::fill_n(milk.sigma_s, 3, 2.0F);
    float x = -2;
    for (const weft::shaders::MaterialRecord& ball :
         {glass(1.5F, 0), metal({1, 1, 1}, 0), coated, brushed, milk}) {
        add_object(scene, uv_sphere({x, 0.6F, 0}, 0.45F, 32, 16, Shading::Flat), ball);
        x += 1;
    }
    add_object(scene, quad({-3, 1.5F, 1}, {6, 0, 0}, {0, 0.5F, -2}), window({1, 1, 1}, 0));
    if (is_sampled) {
        set_tilted_sky(scene, 0);
    } else {
        set_constant_environment(scene, {1, 1, 1});
    }
    set_camera(scene, {0, 2, 5}, {0, 0.5F, 0}, 0.7F);
    return scene;
}

}  // namespace

TEST_SUITE("engine/frame/regularized_paths") {
    TEST_CASE("a picture keeps its bits where no facet follows a rough lobe") {
        const RenderSettings plain = small_frame(2, 1024);
        weft::scene::Scene dull;
        add_object(dull, quad({-4, 0, 4}, {8, 0, 0}, {0, 0, -8}), lambert({0.5F, 0.6F, 0.7F}));
        add_object(
            dull, uv_sphere({0, 1, 0}, 0.8F, 24, 12, Shading::Smooth), lambert({0.9F, 0.5F, 0}));
        weft::scene::Scene clear;
        add_object(clear, uv_sphere({-1, 0, 0}, 0.9F, 24, 12, Shading::Smooth), glass(1.5F, 0));
        add_object(clear,
                   uv_sphere({1, 0, 0}, 0.9F, 24, 12, Shading::Smooth),
                   metal({0.9F, 0.8F, 0.7F}, 0));
        for (weft::scene::Scene* const scene : {&dull, &clear}) {
            set_sky(*scene, 16, 8);
            set_camera(*scene, {0, 1, 5}, {0, 0, 0}, 0.7F);
            CHECK(film_hash(*scene, regularized(plain, 0.5F)) == film_hash(*scene, plain));
        }
    }

    TEST_CASE("white scenes stay white in white furnaces") {
        for (const bool is_sampled : {false, true}) {
            const weft::scene::Scene scene = white_scene(is_sampled);
            for (const float roughness : {0.0F, 0.1F, 0.3F, 1.0F}) {
                const Estimate seen = estimate(
                    scene, regularized(settings_of(SchedulerMode::Keyed, 128, 60), roughness));
                for (std::size_t c = 0; c < 3; ++c) {
                    CAPTURE(is_sampled);
                    CAPTURE(roughness);
                    CAPTURE(seen.mean[c]);
                    CAPTURE(seen.error[c]);
                    CHECK(std::fabs(seen.mean[c] - 1) < 4 * seen.error[c] + 5e-4);
                    CHECK(seen.error[c] < 0.003);
                }
            }
        }
    }

    TEST_CASE("caustics lose noise and keep their light but for what is blurred out of sight") {
        // How many times less variance at least, and how much of the mean at most.
        const auto check = [](const weft::scene::Scene& scene, double less_noise, double shift) {
            const Noise plain = noise_of(scene, settings_of(SchedulerMode::Keyed, 2048, 8));
            const Noise seen =
                noise_of(scene, regularized(settings_of(SchedulerMode::Keyed, 256, 8), 0.3F));
            CAPTURE(plain.mean);
            CAPTURE(seen.mean);
            CAPTURE(plain.variance / seen.variance);
            CHECK(plain.variance > less_noise * seen.variance);
            CHECK(std::fabs(seen.mean / plain.mean - 1) < shift);
        };
        check(lens_scene(), 8, 0.2);
        check(mirror_scene(), 200, 0.12);
    }

    TEST_CASE("one picture of regularised paths, whatever runs it") {
        const weft::scene::Scene scene = foggy_scene();
        RenderSettings settings = regularized(small_frame(3, 1024), 0.4F);
        settings.aovs = {weft::film::Aov::SeenAlbedo, weft::film::Aov::Diffuse};
        const std::string wanted = checked_film_hash(scene, settings);
        CHECK(wanted != film_hash(scene, regularized(settings, 0)));
    }

    TEST_CASE("units of plain paths make room for regularised ones, and back") {
        const auto scene = std::make_shared<const weft::scene::Scene>(lens_scene());
        const RenderSettings plain = small_frame(2, 1024);
        const std::array<RenderSettings, 2> both = {plain, regularized(plain, 0.3F)};
        const std::array<std::string, 2> wanted = {film_hash(*scene, both[0]),
                                                   film_hash(*scene, both[1])};
        CHECK(wanted[0] != wanted[1]);
        std::unique_ptr<Renderer> spent;
        for (const std::size_t which : {0U, 1U, 0U}) {
            auto made = weft::frame::prepare_scene(
                {.scene = scene, .settings = &both[which], .hidden = {}});
            REQUIRE(made.is_ok());
            auto renderer = Renderer::prepare(
                std::move(made.value()), scene->cameras.front(), both[which], spent.get());
            REQUIRE(renderer.is_ok());
            REQUIRE(renderer.value()->render({}).is_ok());
            CHECK(renderer.value()->film().film_hash() == wanted[which]);
            spent = std::move(renderer.value());
        }
    }

    TEST_CASE("the words of a bias name each setting that biases") {
        RenderSettings settings;
        CHECK(weft::frame::bias_text(settings).empty());
        settings.regularized_roughness = 0.3F;
        CHECK(weft::frame::bias_text(settings) == "paths regularised to roughness 0.3");
        settings.clamp_indirect = 20;
        CHECK(weft::frame::bias_text(settings) ==
              "paths regularised to roughness 0.3, indirect light clamped at 20");
    }
}
