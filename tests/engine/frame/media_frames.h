// media_frames.h — scenes with media that scatter light, and frames of them, for tests.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/frame/renderer.h"
#include "tests/engine/frame/small_frame.h"
#include "tests/engine/trace/small_scenes.h"

namespace weft::tests {

inline constexpr trace::SchedulerMode kModes[] = {
    trace::SchedulerMode::Keyed, trace::SchedulerMode::Unkeyed, trace::SchedulerMode::Embree};

inline shaders::MaterialRecord boundary(Float3 absorption, Float3 scattering, float g) {
    shaders::MaterialRecord record = lambert({1, 1, 1});
    record.flags |= shaders::kMaterialSolid | shaders::kMaterialBoundary;
    std::copy_n(&absorption.x, 3, record.sigma_a);
    std::copy_n(&scattering.x, 3, record.sigma_s);
    record.phase_g = g;
    return record;
}

// Light from all sides that is a light of its own: radiance 1 + `tilt` · y.
inline void set_tilted_sky(scene::Scene& scene, float tilt) {
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

inline frame::RenderSettings settings_of(trace::SchedulerMode mode, u32 samples, u32 max_bounces) {
    frame::RenderSettings settings;
    settings.width = 16;
    settings.height = 16;
    settings.samples_per_pixel = samples;
    settings.max_bounces = max_bounces;
    settings.thread_count = 2;
    settings.filter = trace::PixelFilter::Box;
    settings.integrator.mode = mode;
    settings.integrator.path_count = 4096;
    settings.integrator.trace_batch = 4096;
    return settings;
}

// Mean over a picture whose pixels have the same expectation, and what they tell of its error.
inline Estimate estimate(const scene::Scene& scene, const frame::RenderSettings& settings) {
    auto renderer = frame::Renderer::prepare(scene, scene.cameras.front(), settings, {});
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

// Checks that a ball of radius 1 that scatters all light vanishes in a white sky, which is found by
// chance or sampled as a light, for a camera that looks at its middle.
inline void check_furnace(float g, Float3 eye, float yfov) {
    for (const bool is_sampled : {false, true}) {
        scene::Scene scene;
        add_object(scene,
                   uv_sphere({0, 0, 0}, 1, 24, 12, Shading::Flat),
                   boundary({0, 0, 0}, {0.5F, 1, 1.5F}, g));
        if (is_sampled) {
            set_tilted_sky(scene, 0);
        } else {
            set_constant_environment(scene, {1, 1, 1});
        }
        set_camera(scene, eye, {0, 0, 0}, yfov);
        const Estimate seen = estimate(scene, settings_of(trace::SchedulerMode::Keyed, 512, 60));
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

// A lamp and a floor; fog with a ball of smoke and one of empty space in it, a glass of milk.
inline scene::Scene foggy_scene() {
    scene::Scene scene;
    add_object(scene, quad({-4, 0, 4}, {8, 0, 0}, {0, 0, -8}), plastic({0.5F, 0.6F, 0.7F}, 0.4F));
    add_object(scene, quad({-1, 4, -1}, {2, 0, 0}, {0, 0, 2}), emitter({9, 8, 7}));
    scene.lights = {point_light({2, 3, 2}, {20, 25, 30}),
                    directional_light({-1, -2, -1}, {1, 1, 0.8F})};
    scene.lights[0].radius_m = 0.8F;
    scene.lights[1].angle_deg = 30;
    add_object(scene,
               box({-2.5F, 0.01F, -2}, {2.5F, 3, 2}, Facing::Out),
               boundary({0.02F, 0.02F, 0.05F}, {0.1F, 0.2F, 0.3F}, 0.9F));
    add_object(scene,
               uv_sphere({-1, 1, 0.5F}, 0.6F, 24, 12, Shading::Flat),
               boundary({1, 0.5F, 0.2F}, {2, 1, 3}, -0.3F));
    add_object(scene,
               uv_sphere({-1, 2, 0.5F}, 0.5F, 24, 12, Shading::Flat),
               boundary({0, 0, 0}, {0, 0, 0}, 0));
    shaders::MaterialRecord milk = glass(1.33F, 0.1F);
    std::fill_n(milk.sigma_s, 3, 8.0F);
    milk.sigma_a[2] = 0.5F;
    milk.phase_g = 0.7F;
    add_object(scene, uv_sphere({1, 0.8F, 0.5F}, 0.7F, 24, 12, Shading::Smooth), milk);
    add_object(scene, quad({-3, 2.5F, -3}, {6, 0, 0}, {0, 0, 2}), window({0.9F, 0.5F, 0.6F}, 0));
    set_sky(scene, 16, 8);
    set_camera(scene, {0.5F, 2.2F, 6}, {0, 1.2F, 0}, 0.7F);
    return scene;
}

inline std::string film_hash(const scene::Scene& scene, const frame::RenderSettings& settings) {
    auto renderer = frame::Renderer::prepare(scene, scene.cameras.front(), settings, {});
    REQUIRE(renderer.is_ok());
    REQUIRE(renderer.value()->render({}).is_ok());
    std::string hash = renderer.value()->film().film_hash();
    for (u32 layer = 0; layer < renderer.value()->film().aovs().size(); ++layer) {
        hash += renderer.value()->film().aov_hash(layer);
    }
    return hash;
}

// The film hash of a picture, checked to be the same for threads, schedulers, instruction sets and
// the emulated GPU.
inline std::string checked_film_hash(const scene::Scene& scene, frame::RenderSettings settings) {
    settings.thread_count = 1;
    std::string wanted = film_hash(scene, settings);
    settings.thread_count = 2;
    CHECK(film_hash(scene, settings) == wanted);
    settings.integrator.mode = trace::SchedulerMode::Unkeyed;
    CHECK(film_hash(scene, settings) == wanted);
    settings.integrator.mode = trace::SchedulerMode::Keyed;
    if (shaders::is_supported(shaders::Isa::Avx512)) {
        settings.isa = shaders::Isa::Avx2;
        CHECK(film_hash(scene, settings) == wanted);
        settings.isa = {};
    }
    if (has_device()) {
        settings.has_egpu = true;
        settings.has_cpu = false;
        CHECK(film_hash(scene, settings) == wanted);
    }
    return wanted;
}

}  // namespace weft::tests
