// test_autofocus.cpp — the lens focuses on the surface in the middle of the picture.
#include <doctest/doctest.h>

#include "engine/frame/renderer.h"
#include "tests/engine/frame/whole_frame.h"
#include "tests/engine/trace/small_scenes.h"

namespace {

using namespace weft;
using frame::Renderer;
using frame::RenderSettings;
using tests::rendered;

// A checkered wall `distance` metres away from the camera, lit from everywhere.
scene::Scene wall(float distance) {
    scene::Scene scene;
    for (int k = 0; k < 40; ++k) {
        const float x = -4 + 0.2F * static_cast<float>(k);
        tests::add_object(scene,
                          tests::quad({x, -3, -distance}, {0.1F, 0, 0}, {0, 6, 0}),
                          tests::emitter({1, 1, 1}));
    }
    tests::set_camera(scene, {0, 0, 0}, {0, 0, -1}, 0.6F);
    scene.cameras.front().lens_radius_m = 0.1F;
    scene.cameras.front().focus_m = 1;
    return scene;
}

// How much neighbouring pixels differ: large in focus.
double contrast(const scene::Scene& scene, const RenderSettings& settings) {
    const auto renderer = rendered(scene, settings);
    const film::Film& film = renderer->film();
    double sum = 0;
    for (u32 y = 0; y < settings.height; ++y) {
        for (u32 x = 1; x < settings.width; ++x) {
            const double step = static_cast<double>(film.pixel(x, y)[0]) -
                                static_cast<double>(film.pixel(x - 1, y)[0]);
            sum += step * step;
        }
    }
    return sum;
}

}  // namespace

TEST_SUITE("engine/frame/autofocus") {
    TEST_CASE("F17 a ray of its own finds the wall and the picture is as sharp as by hand") {
        RenderSettings settings;
        settings.width = 96;
        settings.height = 24;
        settings.samples_per_pixel = 16;
        settings.thread_count = 2;
        for (const float distance : {2.5F, 3.5F}) {
            scene::Scene scene = wall(distance);
            settings.has_autofocus = false;
            const double blurred = contrast(scene, settings);
            settings.has_autofocus = true;
            const double found = contrast(scene, settings);
            settings.has_autofocus = false;
            scene.cameras.front().focus_m = distance;
            const double by_hand = contrast(scene, settings);
            CHECK(found == by_hand);
            CHECK(found > 1.2 * blurred);
        }
    }

    TEST_CASE("without a surface in the middle the camera keeps its focus") {
        scene::Scene scene = wall(3);
        tests::set_camera(scene, {0, 0, 0}, {0, 0, 1}, 0.6F);
        RenderSettings settings;
        settings.width = 16;
        settings.height = 16;
        settings.samples_per_pixel = 1;
        settings.has_autofocus = true;
        CHECK(contrast(scene, settings) == 0);
    }
}
