// test_camera_media.cpp — a camera that stands in a medium: where it is found to stand, closed
// forms, furnaces, the reference tracer, and one picture whatever runs it.
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/frame/camera_media.h"
#include "engine/frame/prepared_scene.h"
#include "engine/trace/reference/reference_tracer.h"
#include "tests/engine/frame/media_frames.h"
#include "tests/engine/frame/whole_frame.h"

namespace {

using namespace weft::tests;
using weft::kNone;
using weft::u32;
using weft::frame::RenderSettings;
using weft::shaders::MaterialRecord;
using weft::trace::SchedulerMode;
using weft::trace::StartMedia;

Shape ball(Float3 center, float radius) {
    return uv_sphere(center, radius, 256, 128, Shading::Flat);
}

// Where the scene's camera stands; materials are numbered as objects are added.
StartMedia media_of(const weft::scene::Scene& scene) {
    const RenderSettings settings = small_frame(1, 64);
    const std::shared_ptr<const weft::scene::Scene> shared(std::shared_ptr<void>(), &scene);
    auto made = weft::frame::prepare_scene({.scene = shared, .settings = &settings, .hidden = {}});
    REQUIRE(made.is_ok());
    return weft::frame::media_around(weft::frame::unit_scene(made.value()),
                                     weft::trace::make_camera(scene.cameras.front(), 16, 16));
}

// Fog, a ball of smoke, empty space and milk, with the camera within the fog, near the lamp.
weft::scene::Scene camera_in_fog() {
    weft::scene::Scene scene = foggy_scene();
    set_camera(scene, {0.5F, 2.2F, 1.9F}, {0, 1.2F, 0}, 0.9F);
    return scene;
}

}  // namespace

TEST_SUITE("engine/frame/camera_media") {
    TEST_CASE("the media around a camera are those that rays leave, innermost first") {
        weft::scene::Scene scene;
        add_object(scene, ball({0, 0, 0}, 3), boundary({1, 1, 1}, {0, 0, 0}, 0));
        add_object(scene, ball({0, 0, 0}, 1), glass(1.5F, 0));
        add_object(scene, ball({0, 2, 0}, 0.5F), boundary({0, 0, 0}, {2, 2, 2}, 0));
        add_object(scene, quad({-9, 1.2F, -9}, {18, 0, 0}, {0, 0, 18}), lambert({1, 1, 1}));
        const auto stands_at = [&scene](Float3 place) {
            set_camera(scene, place, {0, 0, 9}, 1);
            return media_of(scene);
        };
        CHECK(stands_at({0, 0.2F, 0.1F}) == StartMedia{1, 0, kNone, kNone});
        CHECK(stands_at({0, 2.1F, 0.1F}) == StartMedia{2, 0, kNone, kNone});
        CHECK(stands_at({1.5F, 0.2F, 0.1F}) == StartMedia{0, kNone, kNone, kNone});
        CHECK(stands_at({0, -4, 0}) == weft::trace::kEmptySpace);
        CHECK(stands_at({0, 0, 100}) == weft::trace::kEmptySpace);
    }

    TEST_CASE("a sheet of a medium and clear glass hold no camera") {
        weft::scene::Scene scene;
        add_object(scene, ball({0, 0, 0}, 3), glass(1.5F, 0));
        set_camera(scene, {0, 0.2F, 0}, {0, 0, 9}, 1);
        CHECK(media_of(scene) == weft::trace::kEmptySpace);
        // The sheet lies above, and shows its back to the camera.
        add_object(
            scene, quad({-50, 4, 50}, {100, 0, 0}, {0, 0, -100}), boundary({1, 1, 1}, {}, 0));
        CHECK(media_of(scene) == StartMedia{0, kNone, kNone, kNone});
    }

    TEST_CASE("a ball around the camera leaves exp of minus extinction times radius") {
        MaterialRecord clear = glass(1, 0);
        std::copy_n(std::array{0.5F, 1.0F, 3.0F}.data(), 3, clear.sigma_a);
        for (const MaterialRecord& medium : {boundary({0.5F, 1, 3}, {0, 0, 0}, 0), clear}) {
            weft::scene::Scene scene;
            add_object(scene, ball({0, 0, 0}, 0.8F), medium);
            set_constant_environment(scene, {2, 2, 2});
            set_camera(scene, {0, 0, 0}, {0.3F, 0.2F, -1}, 1.2F);
            for (const SchedulerMode mode : kModes) {
                const Estimate seen = estimate(scene, settings_of(mode, 1, 8));
                CHECK(seen.mean[0] == doctest::Approx(2 * std::exp(-0.4)).epsilon(5e-4));
                CHECK(seen.mean[1] == doctest::Approx(2 * std::exp(-0.8)).epsilon(5e-4));
                CHECK(seen.mean[2] == doctest::Approx(2 * std::exp(-2.4)).epsilon(5e-4));
            }
        }
    }

    TEST_CASE("empty space in a ball of fog around the camera takes no light") {
        weft::scene::Scene scene;
        add_object(scene, ball({0, 0, 0}, 1), boundary({0.5F, 1, 3}, {0, 0, 0}, 0));
        add_object(scene, ball({0, 0, 0}, 0.6F), boundary({0, 0, 0}, {0, 0, 0}, 0));
        set_constant_environment(scene, {1, 1, 1});
        set_camera(scene, {0, 0, 0}, {0.3F, 0.2F, -1}, 1.2F);
        const Estimate seen = estimate(scene, settings_of(SchedulerMode::Keyed, 1, 8));
        CHECK(seen.mean[0] == doctest::Approx(std::exp(-0.2)).epsilon(5e-4));
        CHECK(seen.mean[1] == doctest::Approx(std::exp(-0.4)).epsilon(5e-4));
        CHECK(seen.mean[2] == doctest::Approx(std::exp(-1.2)).epsilon(5e-4));
    }

    TEST_CASE("a camera in a ball that scatters all light sees a white furnace") {
        for (const float g : {0.0F, 0.8F}) {
            check_furnace(g, {0.2F, 0.1F, 0.4F}, 1.5F);
        }
    }

    TEST_CASE("the reference tracer starts in the same fog and finds the same light") {
        const weft::scene::Scene scene = camera_in_fog();
        RenderSettings settings = settings_of(SchedulerMode::Keyed, 4, 8);
        const auto renderer = rendered(scene, settings);
        const weft::trace::SceneTables tables = weft::trace::make_scene_tables(scene, {});
        const std::vector<float> filter = weft::trace::make_filter_table(settings.filter);
        weft::trace::ReferenceSettings reference;
        reference.params = weft::frame::render_params(settings, filter);
        reference.camera = renderer->camera();
        reference.media = media_of(scene);
        CHECK(reference.media[0] != kNone);
        CHECK(reference.media[1] == kNone);
        const weft::trace::ReferenceTracer tracer(tables, reference);
        u32 alike = 0;
        const u32 count = settings.width * settings.height;
        for (u32 k = 0; k < count; ++k) {
            double truth = 0;
            for (u32 sample = 0; sample < settings.samples_per_pixel; ++sample) {
                truth += tracer.trace_sample(k % settings.width, k / settings.width, sample)[1] /
                         settings.samples_per_pixel;
            }
            const auto found = static_cast<double>(
                renderer->film().pixel(k % settings.width, k / settings.width)[1]);
            alike += std::fabs(found - truth) <= 0.01 * std::fmax(truth, 0.01) ? 1U : 0U;
        }
        CAPTURE(alike);
        CHECK(alike >= count - count / 50);
    }

    TEST_CASE("one picture from within fog, whatever runs it") {
        checked_film_hash(camera_in_fog(), small_frame(3, 1024));
    }
}
