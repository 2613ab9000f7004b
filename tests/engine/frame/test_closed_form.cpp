// test_closed_form.cpp — the whole renderer against radiance with a closed form, in every
// scheduler mode.
#include <algorithm>
#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include "engine/frame/renderer.h"
#include "tests/engine/frame/whole_frame.h"
#include "tests/engine/trace/small_scenes.h"

namespace {

using namespace weft::tests;
using weft::u32;
using weft::frame::Renderer;
using weft::frame::RenderSettings;
using weft::trace::SchedulerMode;

// Mean over a small picture.
std::array<double, 3> mean_color(const weft::scene::Scene& scene,
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
    const auto renderer = rendered(scene, settings);
    std::array<double, 3> mean{};
    for (u32 y = 0; y < settings.height; ++y) {
        for (u32 x = 0; x < settings.width; ++x) {
            for (std::size_t c = 0; c < 3; ++c) {
                mean[c] += static_cast<double>(renderer->film().pixel(x, y)[c]) /
                           (settings.width * settings.height);
            }
        }
    }
    return mean;
}

// Mean of the green channel.
double mean_radiance(const weft::scene::Scene& scene,
                     SchedulerMode mode,
                     u32 samples,
                     u32 max_bounces) {
    return mean_color(scene, mode, samples, max_bounces)[1];
}

// The responses of red, green and blue to a wavelength (shaders/bsdf.md), not scaled.
std::array<double, 3> response(double nm) {
    const auto lobe = [nm](double middle, double below, double above) {
        return std::exp(-0.5 * std::pow((nm - middle) * (nm < middle ? below : above), 2));
    };
    const double x = 0.362 * lobe(442.0, 0.0624, 0.0374) + 1.056 * lobe(599.8, 0.0264, 0.0323) -
                     0.065 * lobe(501.1, 0.0490, 0.0382);
    const double y = 0.821 * lobe(568.8, 0.0213, 0.0247) + 0.286 * lobe(530.9, 0.0613, 0.0322);
    const double z = 1.217 * lobe(437.0, 0.0845, 0.0278) + 0.681 * lobe(459.0, 0.0385, 0.0725);
    return {std::max(0.0, 3.2404542 * x - 1.5371385 * y - 0.4985314 * z),
            std::max(0.0, -0.9692660 * x + 1.8760108 * y + 0.0415560 * z),
            std::max(0.0, 0.0556434 * x - 0.2040259 * y + 1.0572252 * z)};
}

// Unpolarised reflectance where light meets a boundary under `cosine`, η = index beyond over here.
double reflectance(double cosine, double eta) {
    const double beyond = std::sqrt(1 - (1 - cosine * cosine) / (eta * eta));
    const double across = (cosine - eta * beyond) / (cosine + eta * beyond);
    const double along = (eta * cosine - beyond) / (eta * cosine + beyond);
    return (across * across + along * along) / 2;
}

constexpr double kPrismAngle = 0.5;  // radians, between its faces

double index_of(double nm, double dispersion) {
    return 1.5 + 0.5 * dispersion / 20 * (523655 / (nm * nm) - 1.5168);
}

// How far a prism bends light that comes straight through its first face.
double deviation(double nm, double dispersion) {
    return std::asin(index_of(nm, dispersion) * std::sin(kPrismAngle)) - kPrismAngle;
}

// A prism before the camera, which looks straight at its first face; 100 m behind the second one a
// wall shines from where light of `edge_nm` arrives to where shorter waves do.
weft::scene::Scene prism_scene(double dispersion, double edge_nm) {
    auto material = glass(1.5F, 0);
    material.dispersion = static_cast<float>(dispersion);
    weft::scene::Scene scene;
    add_object(scene, quad({-2, -2, 0}, {4, 0, 0}, {0, 4, 0}), material);
    const auto s = static_cast<float>(std::sin(kPrismAngle));
    const auto c = static_cast<float>(std::cos(kPrismAngle));
    add_object(scene, quad({c, -2, -1 + s}, {-2 * c, 0, -2 * s}, {0, 4, 0}), material);
    scene.instances[1].material = scene.instances[0].material;
    const auto edge = static_cast<float>(-100 * std::tan(deviation(edge_nm, dispersion)));
    add_object(scene, quad({edge - 60, -20, -101}, {60, 0, 0}, {0, 40, 0}), emitter({1, 1, 1}));
    set_camera(scene, {0, 0, 1}, {0, 0, 0}, 1e-4F);
    return scene;
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

    TEST_CASE("a closed box that emits and reflects has radiance E over one minus albedo") {
        weft::scene::Scene scene;
        auto wall = lambert({0.5F, 0.5F, 0.5F});
        wall.emissive[0] = wall.emissive[1] = wall.emissive[2] = 0.75F;
        add_object(scene, box({-1, -1, -1}, {1, 1, 1}, Facing::In), wall);
        set_camera(scene, {0.2F, 0.1F, 0.3F}, {1, 0.4F, 0.2F}, 1.0F);
        for (const SchedulerMode mode : kModes) {
            CHECK(mean_radiance(scene, mode, 128, 60) == doctest::Approx(1.5).epsilon(0.01));
        }
    }

    TEST_CASE("an emissive ball lights a plane by the square of its radius over its distance") {
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

    TEST_CASE("the shadow of an edge is as wide as the tangents of the light") {
        // Half of space at height h is roofed; the light hangs straight above the edge.
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

    TEST_CASE("a smooth floor mirrors an area light with its radiance") {
        // Seen at 53° in the floor; sampling the light alone hits the lobe once in a thousand.
        const double pi = std::acos(-1.0);
        auto sphere = point_light({0, 3, -4}, {5, 5, 5});
        sphere.radius_m = 0.8F;
        auto sun = directional_light({0, -0.6F, 0.8F}, {2, 2, 2});
        sun.angle_deg = 10;
        const double of_sphere = 5 / (pi * 0.64);
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
        CHECK(mirrored(sphere, metallic) == doctest::Approx(of_sphere).epsilon(0.01));
        CHECK(mirrored(sun, metallic) == doctest::Approx(of_sun).epsilon(0.01));
        CHECK(mirrored(sphere, black) == doctest::Approx(schlick * of_sphere).epsilon(0.02));
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

    TEST_CASE("balls of rough glass and brushed metal vanish in a white furnace") {
        auto brushed = metal({1, 1, 1}, 0.5F);
        brushed.anisotropy = 0.9F;
        auto brushed_glass = glass(1.5F, 0.2F);
        brushed_glass.anisotropy = 0.9F;
        // Glass of index 2.4 keeps light longer than 64 hits if it is smoother. Paths of many hits
        // are noisy; test_furnace.cpp bounds single hits more closely.
        for (const auto& material : {glass(1.5F, 0.3F),
                                     glass(1.5F, 0.5F),
                                     glass(1.5F, 1),
                                     glass(2.4F, 0.7F),
                                     window({1, 1, 1}, 0.6F),
                                     brushed,
                                     brushed_glass}) {
            weft::scene::Scene scene;
            add_object(scene, uv_sphere({0, 0, 0}, 1, 48, 24, Shading::Flat), material);
            set_constant_environment(scene, {1, 1, 1});
            set_camera(scene, {0, 0, 4}, {0, 0, 0}, 0.4F);
            const double mean = mean_radiance(scene, SchedulerMode::Keyed, 1024, 60);
            CAPTURE(material.ior);
            CAPTURE(material.roughness);
            CAPTURE(material.anisotropy);
            CHECK(mean > 0.99);
            CHECK(mean < 1.006);
        }
    }

    TEST_CASE("a prism sends each channel where its wavelengths go") {
        constexpr double kDispersion = 2;
        for (const double edge_nm : {470.0, 540.0, 600.0}) {
            std::array<double, 3> wanted{};
            std::array<double, 3> all{};
            for (double nm = 420.5; nm < 680; ++nm) {
                const double index = index_of(nm, kDispersion);
                const double kept = (1 - reflectance(1, index)) *
                                    (1 - reflectance(std::cos(kPrismAngle), 1 / index));
                const std::array<double, 3> seen = response(nm);
                for (std::size_t c = 0; c < 3; ++c) {
                    all[c] += seen[c];
                    wanted[c] += nm < edge_nm ? seen[c] * kept : 0;
                }
            }
            const std::array<double, 3> color =
                mean_color(prism_scene(kDispersion, edge_nm), SchedulerMode::Keyed, 64, 2);
            for (std::size_t c = 0; c < 3; ++c) {
                CAPTURE(edge_nm);
                CAPTURE(c);
                CHECK(std::fabs(color[c] - wanted[c] / all[c]) < 0.02);
            }
        }
    }

    TEST_CASE("dispersive balls stay white in a white furnace") {
        auto material = glass(1.5F, 0.3F);
        material.dispersion = 1;
        weft::scene::Scene scene;
        add_object(scene, uv_sphere({0, 0, 0}, 1, 48, 24, Shading::Flat), material);
        set_constant_environment(scene, {1, 1, 1});
        set_camera(scene, {0, 0, 4}, {0, 0, 0}, 0.4F);
        for (const double channel : mean_color(scene, SchedulerMode::Keyed, 64, 40)) {
            CHECK(channel == doctest::Approx(1).epsilon(0.01));
        }
    }

    TEST_CASE("thin walls do not disperse") {
        auto material = window({0.9F, 0.8F, 0.7F}, 0.3F);
        const auto color = [&material] {
            weft::scene::Scene scene;
            add_object(scene, uv_sphere({0, 0, 0}, 1, 16, 8, Shading::Flat), material);
            set_sky(scene, 16, 8);
            set_camera(scene, {0, 0, 4}, {0, 0, 0}, 0.4F);
            return mean_color(scene, SchedulerMode::Keyed, 4, 8);
        };
        const std::array<double, 3> plain = color();
        material.dispersion = 2;
        CHECK(color() == plain);
    }
}
