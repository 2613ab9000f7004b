// test_texture_footprint.cpp — checkers on a plane at several angles against an exact box filter.
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "engine/frame/renderer.h"
#include "tests/engine/frame/whole_frame.h"
#include "tests/engine/trace/small_scenes.h"

namespace {

using namespace weft::tests;
using weft::u32;
using weft::frame::Renderer;
using weft::frame::RenderSettings;

constexpr u32 kPlaneSize = 24;  // pixels of a side; one metre each on a plane that faces the camera
constexpr float kExtent = 400;  // of the plane, metres
constexpr u32 kTexels = 128;    // of a period
constexpr float kShiftU = 0.37F;
constexpr float kShiftV = 0.61F;

// A checker that repeats after `period` metres, turned by `angle` about the picture's x axis.
struct Checker {
    double period;
    double angle;
};

bool is_white(double u, double v) {
    return (static_cast<long>(std::floor(2 * u)) + static_cast<long>(std::floor(2 * v))) % 2 != 0;
}

weft::scene::Scene scene_of(const Checker& checker) {
    weft::scene::Scene scene;
    weft::shaders::MaterialRecord material = lambert({1, 1, 1});
    material.flags |= weft::shaders::kMaterialUnlit;
    material.base_color_slot = add_slot(scene, kTexels, Meaning::Color, [](u32 x, u32 y) -> Byte4 {
        const bool is_bright = (x / (kTexels / 2) + y / (kTexels / 2)) % 2 != 0;
        return is_bright ? Byte4{255, 255, 255, 255} : Byte4{0, 0, 0, 255};
    });
    const float repeats = kExtent / static_cast<float>(checker.period);
    float* transform = scene.slots.own()[material.base_color_slot].uv_transform;
    transform[0] = transform[4] = repeats;
    transform[2] = kShiftU;
    transform[5] = kShiftV;
    const float up = static_cast<float>(std::cos(checker.angle));
    const float back = static_cast<float>(std::sin(checker.angle));
    const float half = kExtent / 2;
    add_object(
        scene,
        quad({-half, -half * up, half * back}, {kExtent, 0, 0}, {0, kExtent * up, -kExtent * back}),
        material);
    set_camera(scene, {0, 0, 1000}, {0, 0, 0}, 1);
    scene.cameras.front().is_orthographic = true;
    scene.cameras.front().ymag = static_cast<float>(kPlaneSize) / 2;
    return scene;
}

std::vector<double> rendered(const Checker& checker, u32 samples) {
    RenderSettings settings;
    settings.width = settings.height = kPlaneSize;
    settings.samples_per_pixel = samples;
    settings.thread_count = 2;
    settings.filter = weft::trace::PixelFilter::Box;
    settings.integrator.path_count = 4096;
    settings.integrator.trace_batch = 4096;
    const weft::scene::Scene scene = scene_of(checker);
    const auto renderer = weft::tests::rendered(scene, settings);
    std::vector<double> pixels;
    for (u32 k = 0; k < kPlaneSize * kPlaneSize; ++k) {
        pixels.push_back(
            static_cast<double>(renderer->film().pixel(k % kPlaneSize, k / kPlaneSize)[1]));
    }
    return pixels;
}

// The share of each pixel's area that is white.
std::vector<double> box_filtered(const Checker& checker) {
    constexpr u32 kPoints = 24;  // of a pixel's side
    const double repeats = static_cast<double>(kExtent) / checker.period;
    std::vector<double> pixels;
    for (u32 k = 0; k < kPlaneSize * kPlaneSize; ++k) {
        u32 white = 0;
        for (u32 point = 0; point < kPoints * kPoints; ++point) {
            const double x = k % kPlaneSize + (point % kPoints + 0.5) / kPoints - kPlaneSize / 2.0;
            const double y = kPlaneSize / 2.0 - k / kPlaneSize - (point / kPoints + 0.5) / kPoints;
            const double across = x / static_cast<double>(kExtent) + 0.5;
            const double along = y / std::cos(checker.angle) / static_cast<double>(kExtent) + 0.5;
            white += is_white(across * repeats + static_cast<double>(kShiftU),
                              along * repeats + static_cast<double>(kShiftV))
                         ? 1U
                         : 0U;
        }
        pixels.push_back(static_cast<double>(white) / (kPoints * kPoints));
    }
    return pixels;
}

double mean_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    return sum / static_cast<double>(values.size());
}

// How much of the differences of `ideal` is in `got`: the slope of the line through both.
double contrast_kept(const std::vector<double>& got, const std::vector<double>& ideal) {
    const double got_mean = mean_of(got);
    const double ideal_mean = mean_of(ideal);
    double both = 0;
    double alone = 0;
    for (std::size_t k = 0; k < got.size(); ++k) {
        both += (got[k] - got_mean) * (ideal[k] - ideal_mean);
        alone += (ideal[k] - ideal_mean) * (ideal[k] - ideal_mean);
    }
    return both / alone;
}

double radians(double degrees) {
    return degrees * 3.14159265358979 / 180;
}

}  // namespace

TEST_SUITE("engine/frame/texture_footprint") {
    TEST_CASE("64 samples keep the contrast of a box filter at any angle") {
        struct Case {
            double degrees;
            double period;
            double least;
        };

        for (const Case& c : {Case{0, 12, 0.98},
                              Case{0, 6, 0.95},
                              Case{60, 12, 0.98},
                              Case{60, 6, 0.95},
                              Case{75, 12, 0.95}}) {
            const Checker checker = {c.period, radians(c.degrees)};
            const std::vector<double> got = rendered(checker, 64);
            const std::vector<double> ideal = box_filtered(checker);
            const double kept = contrast_kept(got, ideal);
            MESSAGE(c.degrees << " degrees, period " << c.period << " pixels: " << kept);
            CHECK(kept >= c.least);
            CHECK(kept <= 1.02);
            CHECK(mean_of(got) == doctest::Approx(mean_of(ideal)).epsilon(0.01));
        }
    }

    TEST_CASE("one sample sees a pattern finer than a pixel as grey") {
        for (const double degrees : {0.0, 60.0, 75.0}) {
            double error = 0;
            for (const double pixel : rendered({0.25, radians(degrees)}, 1)) {
                error = std::fmax(error, std::fabs(pixel - 0.5));
            }
            INFO(degrees << " degrees");
            CHECK(error < 0.15);
        }
    }
}
