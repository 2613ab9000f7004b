// test_shutter_blur.cpp — motion blur in closed form: the mean coverage of pixels by a moving quad
// and by a turning blade.
//
// A point is covered during the part of the exposure that it lies within the moving shape. Along
// the motion that share is the difference of two ramps. The camera is orthographic with one metre a
// pixel, so a pixel's coverage is the integral over a unit square.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/app/small_render.h"
#include "tests/engine/scene/gltf_writer.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
using scene::testing::Json;

constexpr u32 kSide = 64;  // pixels, and metres
constexpr double kPi = 3.14159265358979323846;

// Node 0 shows the triangles' positions and moves; its keys are those of 0.5 s and 1.5 s, between
// which the shutter is open. `path` is a property of the node, of as many floats as half of `keys`.
std::string write_moving_shape(const TestFolder& folder,
                               const std::vector<float>& positions,
                               const char* path,
                               const std::vector<float>& keys) {
    scene::testing::Writer writer;
    writer.add_mesh({{"attributes", {{"POSITION", writer.add_vec3(positions)}}}});
    writer.json["cameras"] = {
        {{"type", "orthographic"},
         {"orthographic",
          {{"xmag", kSide / 2}, {"ymag", kSide / 2}, {"znear", 0.1}, {"zfar", 100}}}}};
    writer.json["nodes"].push_back({{"camera", 0}, {"translation", {0, 0, 10}}});
    writer.json["scenes"][0]["nodes"] = {0, 1};
    const std::size_t input = writer.add(std::vector<float>{0.5F, 1.5F}, "SCALAR", 5126, 2);
    const std::size_t output = writer.add(keys, keys.size() == 8 ? "VEC4" : "VEC3", 5126, 2);
    writer.json["animations"] = {
        {{"samplers", {{{"input", input}, {"output", output}}}},
         {"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", path}}}}}}}};
    std::string name = folder.file("shape.gltf");
    scene::testing::write_bytes(name, writer.with_buffer().dump());
    return name;
}

// The coverage of all pixels, rows from the top.
std::vector<double> render_coverage(const TestFolder& folder,
                                    const std::string& scene,
                                    u32 moments) {
    const std::string side = std::to_string(kSide);
    const std::string picture = folder.file("blur.exr");
    check_ends({"render",
                scene,
                "-o",
                picture,
                "--width",
                side,
                "--height",
                side,
                "--spp",
                "256",
                "--filter",
                "box",
                "--max-bounces",
                "1",
                "--film-transparent",
                "--keep-film",
                "--progress",
                "none",
                "-f",
                "1",
                "--fps",
                "1",
                "--shutter",
                "1",
                "--shutter-moments",
                std::to_string(moments)},
               kExitDone);
    const base::Result<film::SavedFilm> saved = film::read_saved_film(picture);
    REQUIRE(saved.is_ok());
    std::vector<double> coverage;
    for (u32 y = 0; y < kSide; ++y) {
        for (u32 x = 0; x < kSide; ++x) {
            coverage.push_back(static_cast<double>(saved.value().film.pixel(x, y)[3]));
        }
    }
    return coverage;
}

double ramp(double u) {
    return std::clamp(u, 0.0, 1.0);
}

// The integral of ramp() from −∞ to u.
double ramp_integral(double u) {
    return u <= 0 ? 0 : u >= 1 ? u - 0.5 : u * u / 2;
}

struct Deviation {
    double rms = 0;
    double largest = 0;
};

Deviation deviation_of(const std::vector<double>& found, const std::vector<double>& expected) {
    Deviation deviation;
    u32 count = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
        if (expected[k] >= 0) {  // else: not compared
            const double error = std::fabs(found[k] - expected[k]);
            deviation.rms += error * error;
            deviation.largest = std::max(deviation.largest, error);
            ++count;
        }
    }
    REQUIRE(count > kSide);
    deviation.rms = std::sqrt(deviation.rms / count);
    return deviation;
}

// A quad of 6 m that moves from x to x + distance.
Deviation blur_quad(double distance, u32 moments) {
    const TestFolder folder;
    const auto begin = static_cast<float>(-3 - distance / 2);
    const auto end = static_cast<float>(-3 + distance / 2);
    const std::string scene =
        write_moving_shape(folder,
                           {0, -40, 0, 6, -40, 0, 6, 40, 0, 0, -40, 0, 6, 40, 0, 0, 40, 0},
                           "translation",
                           {begin, 0, 0, end, 0, 0});
    const double left = kSide / 2.0 + static_cast<double>(begin);
    std::vector<double> expected;
    for (u32 pixel = 0; pixel < kSide * kSide; ++pixel) {
        const double x = pixel % kSide;
        const auto covered_until = [&](double at) {
            return distance * (ramp_integral((at - left) / distance) -
                               ramp_integral((at - left - 6) / distance));
        };
        expected.push_back(std::max(0.0, covered_until(x + 1) - covered_until(x)));
    }
    return deviation_of(render_coverage(folder, scene, moments), expected);
}

// A blade of 0.3 rad that turns by a quarter around the middle of the picture. Pixels near the axis
// and beyond the tip are not compared.
Deviation blur_blade(u32 moments) {
    const TestFolder folder;
    constexpr double kBlade = 0.3;
    constexpr double kTurn = kPi / 2;
    const auto tip_x = static_cast<float>(40 * std::cos(kBlade));
    const auto tip_y = static_cast<float>(40 * std::sin(kBlade));
    const auto half = static_cast<float>(std::sqrt(0.5));
    const std::string scene = write_moving_shape(
        folder, {0, 0, 0, 40, 0, 0, tip_x, tip_y, 0}, "rotation", {0, 0, 0, 1, 0, 0, half, half});
    std::vector<double> expected;
    for (u32 pixel = 0; pixel < kSide * kSide; ++pixel) {
        const double x = pixel % kSide + 0.5 - kSide / 2.0;
        const double y = kSide / 2.0 - pixel / kSide - 0.5;
        const double radius = std::hypot(x, y);
        if (radius < 8 || radius > 30) {
            expected.push_back(-1);
            continue;
        }
        // Integrate over the pixel; the angle hardly bends within it.
        constexpr u32 kSteps = 16;
        double sum = 0;
        for (u32 k = 0; k < kSteps * kSteps; ++k) {
            const double px = x + (k % kSteps + 0.5) / kSteps - 0.5;
            const double py = y + (k / kSteps + 0.5) / kSteps - 0.5;
            const double angle = std::atan2(py, px);
            sum += ramp(angle / kTurn) - ramp((angle - kBlade) / kTurn);
        }
        expected.push_back(sum / (kSteps * kSteps));
    }
    return deviation_of(render_coverage(folder, scene, moments), expected);
}

void check_within(const Deviation& found, double rms, double largest) {
    CAPTURE(found.rms);
    CAPTURE(found.largest);
    CHECK(found.rms < rms);
    CHECK(found.largest < largest);
}

}  // namespace

TEST_SUITE("app/shutter_blur") {
    TEST_CASE("a quad covers the pixels that it moves over by the analytic share") {
        check_within(blur_quad(20, 32), 0.004, 0.016);
        check_within(blur_quad(20, 256), 0.007, 0.04);
        // The moments lie 1.6 pixels apart.
        check_within(blur_quad(50, 32), 0.005, 0.012);
        check_within(blur_quad(50, 256), 0.007, 0.03);
    }

    TEST_CASE("a blade that turns by a quarter covers each pixel by the analytic share") {
        check_within(blur_blade(32), 0.003, 0.018);
        check_within(blur_blade(256), 0.005, 0.035);
    }
}

}  // namespace weft::app::testing
