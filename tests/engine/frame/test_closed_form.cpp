// test_closed_form.cpp — the whole renderer against radiance that is known by heart, in every
// scheduler mode.
#include <cmath>

#include <doctest/doctest.h>

#include "engine/frame/renderer.h"
#include "tests/engine/trace/small_scenes.h"

namespace {

using namespace weft::tests;
using weft::u32;
using weft::frame::Renderer;
using weft::frame::RenderSettings;
using weft::trace::SchedulerMode;

// Mean of the green channel over a small picture.
double mean_radiance(const weft::scene::Scene& scene,
                     SchedulerMode mode,
                     u32 samples,
                     u32 max_bounces) {
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
    auto renderer = Renderer::prepare(scene, scene.cameras.front(), settings, {});
    REQUIRE(renderer.is_ok());
    REQUIRE(renderer.value()->render({}).is_ok());
    double sum = 0;
    for (u32 y = 0; y < settings.height; ++y) {
        for (u32 x = 0; x < settings.width; ++x) {
            sum += static_cast<double>(renderer.value()->film().pixel(x, y)[1]);
        }
    }
    return sum / (settings.width * settings.height);
}

constexpr SchedulerMode kModes[] = {
    SchedulerMode::Keyed, SchedulerMode::Unkeyed, SchedulerMode::Embree};

}  // namespace

TEST_SUITE("engine/frame/closed_form") {
    TEST_CASE("a Lambert plane under a constant environment shows its albedo times the radiance") {
        weft::scene::Scene scene;
        add_object(
            scene, quad({-50, 0, 50}, {100, 0, 0}, {0, 0, -100}), lambert({0.6F, 0.6F, 0.6F}));
        set_constant_environment(scene, {2, 2, 2});
        set_camera(scene, {0, 3, 0.1F}, {0, 0, 0}, 0.5F);
        for (const SchedulerMode mode : kModes) {
            CHECK(mean_radiance(scene, mode, 64, 8) == doctest::Approx(1.2).epsilon(0.003));
        }
    }

    TEST_CASE("a closed box that shines and reflects has radiance E over one minus albedo") {
        weft::scene::Scene scene;
        auto wall = lambert({0.5F, 0.5F, 0.5F});
        wall.emissive[0] = wall.emissive[1] = wall.emissive[2] = 0.75F;
        add_object(scene, box({-1, -1, -1}, {1, 1, 1}, Facing::In), wall);
        set_camera(scene, {0.2F, 0.1F, 0.3F}, {1, 0.4F, 0.2F}, 1.0F);
        for (const SchedulerMode mode : kModes) {
            CHECK(mean_radiance(scene, mode, 128, 60) == doctest::Approx(1.5).epsilon(0.01));
        }
    }

    TEST_CASE("a shining ball lights a plane by the square of its radius over its distance") {
        weft::scene::Scene scene;
        add_object(scene,
                   quad({-0.02F, 0, 0.02F}, {0.04F, 0, 0}, {0, 0, -0.04F}),
                   lambert({0.8F, 0.8F, 0.8F}));
        add_object(
            scene, uv_sphere({0, 2, 0}, 0.5F, 128, 64, Shading::Flat), emitter({10, 10, 10}));
        set_camera(scene, {0.6F, 0.6F, 0}, {0, 0, 0}, 0.01F);
        // Irradiance π L (r/d)² straight below; the tessellated ball is 0.1 % smaller than the
        // round one.
        const double expected = 0.8 * 10 * 0.25 / 4;
        for (const SchedulerMode mode : kModes) {
            CHECK(mean_radiance(scene, mode, 256, 1) == doctest::Approx(expected).epsilon(0.01));
        }
    }

    TEST_CASE("the shadow of an edge is as wide as the lamp's tangents say") {
        // Half of space at height h is roofed; the lamp hangs straight above the edge.
        constexpr double kHeight = 2;
        constexpr double kRoof = 0.5;
        constexpr double kRadius = 0.4;
        const double half_width =
            kRadius * kRoof / std::sqrt(std::pow(kHeight - kRoof, 2) - kRadius * kRadius);
        const auto radiance_at = [&](double x, SchedulerMode mode) {
            weft::scene::Scene scene;
            add_object(
                scene, quad({-9, 0, 9}, {18, 0, 0}, {0, 0, -18}), lambert({0.8F, 0.8F, 0.8F}));
            add_object(scene, quad({-9, 0.5F, 9}, {9, 0, 0}, {0, 0, -18}), lambert({0, 0, 0}));
            scene.lights = {point_light({0, 2, 0}, {5, 5, 5})};
            scene.lights[0].radius_m = 0.4F;
            set_camera(
                scene, {static_cast<float>(x), 0.3F, 1}, {static_cast<float>(x), 0, 0}, 1e-3F);
            return mean_radiance(scene, mode, 64, 1);
        };
        const auto unshadowed = [](double x) {
            const double d2 = x * x + kHeight * kHeight;
            return 0.8 / std::acos(-1.0) * 5 / d2 * kHeight / std::sqrt(d2);
        };
        for (const SchedulerMode mode : kModes) {
            CHECK(radiance_at(-1.02 * half_width, mode) == 0);
            const double dim = radiance_at(-0.9 * half_width, mode);
            CHECK(dim > 0);
            CHECK(dim < 0.1 * unshadowed(0));
            CHECK(radiance_at(0, mode) == doctest::Approx(0.5 * unshadowed(0)).epsilon(0.01));
            CHECK(radiance_at(0.9 * half_width, mode) < 0.999 * unshadowed(0.9 * half_width));
            CHECK(radiance_at(0.9 * half_width, mode) > 0.9 * unshadowed(0.9 * half_width));
            CHECK(radiance_at(1.02 * half_width, mode) ==
                  doctest::Approx(unshadowed(1.02 * half_width)).epsilon(0.002));
        }
    }

    TEST_CASE("a smooth floor mirrors a lamp of a size with the lamp's radiance") {
        // Seen at 53° in the floor; aiming at the lamp alone meets the lobe once in a thousand.
        const double pi = std::acos(-1.0);
        auto lamp = point_light({0, 3, -4}, {5, 5, 5});
        lamp.radius_m = 0.8F;
        auto sun = directional_light({0, -0.6F, 0.8F}, {2, 2, 2});
        sun.angle_deg = 10;
        const double of_lamp = 5 / (pi * 0.64);
        const double of_sun = 2 / (pi * std::pow(std::sin(pi / 36), 2));
        const double schlick = 0.04 + 0.96 * std::pow(0.4, 5);
        const auto mirrored = [](const weft::scene::Light& light, const auto& floor) {
            weft::scene::Scene scene;
            add_object(scene, quad({-9, 0, 9}, {18, 0, 0}, {0, 0, -18}), floor);
            scene.lights = {light};
            set_camera(scene, {0, 1.5F, 2}, {0, 0, 0}, 1e-3F);
            return mean_radiance(scene, SchedulerMode::Keyed, 64, 1);
        };
        const auto metallic = metal({1, 1, 1}, 0.05F);
        const auto black = plastic({0, 0, 0}, 0.05F);
        CHECK(mirrored(lamp, metallic) == doctest::Approx(of_lamp).epsilon(0.01));
        CHECK(mirrored(sun, metallic) == doctest::Approx(of_sun).epsilon(0.01));
        CHECK(mirrored(lamp, black) == doctest::Approx(schlick * of_lamp).epsilon(0.02));
        CHECK(mirrored(sun, black) == doctest::Approx(schlick * of_sun).epsilon(0.02));
    }

    TEST_CASE("white balls vanish in a white furnace") {
        for (const auto& material :
             {lambert({1, 1, 1}), metal({1, 1, 1}, 0.4F), plastic({1, 1, 1}, 0.3F)}) {
            weft::scene::Scene scene;
            add_object(scene, uv_sphere({0, 0, 0}, 1, 48, 24, Shading::Flat), material);
            set_constant_environment(scene, {1, 1, 1});
            set_camera(scene, {0, 0, 4}, {0, 0, 0}, 0.4F);
            CHECK(mean_radiance(scene, SchedulerMode::Keyed, 64, 8) ==
                  doctest::Approx(1.0).epsilon(0.01));
        }
    }
}
