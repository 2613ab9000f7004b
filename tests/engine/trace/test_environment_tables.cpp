#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "engine/trace/environment_tables.h"

using namespace weft;
using namespace weft::trace;

namespace {

constexpr double kHalfTurn = 3.14159265358979323846;

scene::Environment gradient(u32 width, u32 height) {
    scene::Environment environment;
    environment.width = width;
    environment.height = height;
    for (u32 i = 0; i < width * height; ++i) {
        const float value = static_cast<float>(i * 7919 % 101) * 0.01f;
        environment.pixels.insert(environment.pixels.end(), {value, value * value, 0.5f * value});
    }
    return environment;
}

// The sum of the probabilities of all texels, from the steps of cells and rows: exact in double.
double total_of(const scene::Environment& environment, const EnvironmentTable& table) {
    const std::size_t texels = std::size_t{environment.width} * environment.height;
    double total = 0;
    for (std::size_t i = 0; i < texels; ++i) {
        const shaders::EnvironmentCell& row = table.cells[texels + i / environment.width];
        const double steps =
            static_cast<double>(row.steps) * static_cast<double>(table.cells[i].steps);
        total += steps * 0x1p-48;
    }
    return total;
}

// The largest error of a texel's pdf, relative to the product of its steps and those of its row.
double pdf_error(const scene::Environment& environment, const EnvironmentTable& table) {
    const std::size_t texels = std::size_t{environment.width} * environment.height;
    double error = 0;
    for (std::size_t i = 0; i < texels; ++i) {
        const shaders::EnvironmentCell& row = table.cells[texels + i / environment.width];
        const double pdf =
            static_cast<double>(row.steps) * static_cast<double>(table.cells[i].steps) * 0x1p-48;
        error = std::max(
            error,
            std::fabs(static_cast<double>(table.cells[i].pdf) - pdf) / std::max(pdf, 1e-300));
    }
    return error;
}

EnvironmentTable table_of(const scene::Environment& environment) {
    TableWork work(1);
    return make_environment_table(environment, work);
}

}  // namespace

TEST_SUITE("engine/trace/environment_tables") {
    TEST_CASE("the density over the sphere integrates to one") {
        const scene::Environment environment = gradient(24, 12);
        const EnvironmentTable table = table_of(environment);
        REQUIRE(table.cells.size() == 24 * 12 + 12);
        // Midpoints in (longitude, sine of latitude): each stands for the same solid angle.
        constexpr u32 kLongitudes = 240;
        constexpr u32 kSines = 20000;
        double sum = 0;
        for (u32 k = 0; k < kSines; ++k) {
            const double sine = -1 + 2 * (k + 0.5) / kSines;
            const double latitude = std::asin(sine);
            const auto row = static_cast<u32>((0.5 - latitude / kHalfTurn) * 12);
            for (u32 i = 0; i < kLongitudes; ++i) {
                const auto p = static_cast<double>(table.cells[row * 24 + i / 10].pdf);
                sum += p * 24 * 12 / (2 * kHalfTurn * kHalfTurn * std::cos(latitude));
            }
        }
        CHECK(sum * 4 * kHalfTurn / (kLongitudes * static_cast<double>(kSines)) ==
              doctest::Approx(1).epsilon(0.005));
        CHECK(total_of(environment, table) == 1);
        CHECK(pdf_error(environment, table) < 1e-7);
    }

    TEST_CASE("one bright texel lights its eight neighbours across the seam and nothing else") {
        scene::Environment environment;
        environment.width = 8;
        environment.height = 6;
        environment.pixels.assign(8 * 6 * 3, 0.0f);
        environment.pixels[3 * (2 * 8 + 0) + 1] = 50;
        const EnvironmentTable table = table_of(environment);
        for (u32 y = 0; y < 6; ++y) {
            for (u32 x = 0; x < 8; ++x) {
                const bool is_near = y >= 1 && y <= 3 && (x <= 1 || x == 7);
                CHECK((table.cells[y * 8 + x].pdf > 0) == is_near);
            }
        }
        // Rows 2 and 3 lie on either side of the equator, row 1 further up.
        CHECK(table.cells[2 * 8].pdf == doctest::Approx(table.cells[3 * 8].pdf).epsilon(1e-4));
        CHECK(table.cells[8].pdf / table.cells[2 * 8].pdf ==
              doctest::Approx(std::cos(kHalfTurn / 4) / std::cos(kHalfTurn / 12)).epsilon(1e-4));
        CHECK(total_of(environment, table) == 1);
    }

    TEST_CASE("maps of any shape: the density is exact, and texels above the mean have one") {
        struct Size {
            u32 width, height;
        };

        for (const Size size : {Size{1, 7},
                                Size{7, 1},
                                Size{2, 2},
                                Size{3, 5},
                                Size{100, 64},
                                Size{16384, 8},
                                Size{8, 8192},
                                Size{1024, 512}}) {
            CAPTURE(size.width);
            CAPTURE(size.height);
            // Dark texels of many magnitudes, black rows at the top, one sun.
            scene::Environment environment;
            environment.width = size.width;
            environment.height = size.height;
            const u32 black = size.height / 4 * size.width;
            for (u32 i = 0; i < size.width * size.height; ++i) {
                const float value = std::exp(20.0f - static_cast<float>(i * 7919 % 41));
                const float kept = i < black ? 0.0f : value;
                environment.pixels.insert(environment.pixels.end(), {kept, kept, kept});
            }
            environment.pixels[3 * (size.width * size.height - 1)] = 1e9f;
            const EnvironmentTable table = table_of(environment);
            CHECK(table.cells.size() == std::size_t{size.width} * size.height + size.height);
            CHECK(total_of(environment, table) == 1);
            CHECK(pdf_error(environment, table) < 1e-7);
            const double mean = table.moments.mean;
            u32 undrawn = 0;
            u32 drawn_black = 0;
            for (u32 i = 0; i < size.width * size.height; ++i) {
                const bool is_bright = luminance_of(&environment.pixels[3 * i]) > 1.001 * mean;
                undrawn += is_bright && !(table.cells[i].pdf > 0) ? 1u : 0u;
                const bool is_far = size.height > 4 && i + 2 * size.width < black;
                drawn_black += is_far && table.cells[i].pdf > 0 ? 1u : 0u;
            }
            CHECK(undrawn == 0);
            CHECK(drawn_black == 0);
        }
    }

    TEST_CASE("rows at the poles do not see each other") {
        scene::Environment environment;
        environment.width = 4;
        environment.height = 4;
        environment.pixels.assign(4 * 4 * 3, 0.0f);
        environment.pixels[0] = 1;
        const EnvironmentTable table = table_of(environment);
        CHECK(table.cells[0].pdf > 0);
        CHECK(table.cells[4].pdf > 0);
        CHECK(table.cells[8].pdf == 0);
        CHECK(table.cells[12].pdf == 0);
    }

    TEST_CASE("mean luminance weighs rows by their solid angle and includes the strength") {
        scene::Environment environment;
        environment.width = 64;
        environment.height = 512;
        environment.pixels.assign(64 * 512 * 3, 0.0f);
        // White above 30 degrees: a quarter of the sphere.
        for (u32 i = 0; i < 64 * 512 / 3 * 3; ++i) {
            environment.pixels[i] = 1;
        }
        environment.strength = 3;
        CHECK(table_of(environment).moments.mean == doctest::Approx(0.75).epsilon(0.01));
    }

    TEST_CASE("the illuminance of radiance of second order in the direction is exact") {
        // Radiance 1 + a·ω + (e·ω)² on a fine map, turned by 0.9 about +Y.
        const math::DVec3 a(0.3, -0.2, 0.5);
        const math::DVec3 e(0.6, 0.64, -0.48);
        constexpr double kTurn = 0.9;
        scene::Environment environment;
        environment.width = 256;
        environment.height = 128;
        environment.strength = 2;
        for (u32 y = 0; y < environment.height; ++y) {
            for (u32 x = 0; x < environment.width; ++x) {
                const double longitude = ((x + 0.5) / environment.width - 0.5) * 2 * kHalfTurn;
                const double latitude = (0.5 - (y + 0.5) / environment.height) * kHalfTurn;
                const math::DVec3 way(std::cos(latitude) * std::cos(longitude),
                                      std::sin(latitude),
                                      std::cos(latitude) * std::sin(longitude));
                const double along = dot(e, way);
                const auto value = static_cast<float>(1 + dot(a, way) + along * along);
                environment.pixels.insert(environment.pixels.end(), {value, value, value});
            }
        }
        const EnvironmentMoments moments = table_of(environment).moments;
        CHECK(moments.mean == doctest::Approx(2 * (1 + 1.0 / 3)).epsilon(1e-3));
        const shaders::SkyLight sky = make_sky_light(moments, std::cos(kTurn), std::sin(kTurn), 4);
        for (const math::DVec3& local : {math::DVec3(1, 0, 0),
                                         math::DVec3(0, -1, 0),
                                         math::DVec3(0.6, 0, 0.8),
                                         math::DVec3(-0.36, 0.48, 0.8)}) {
            // π (1 + 2/3 a·n + 1/3 + (3 (e·n)² − 1)/12)
            const double along = dot(e, local);
            const double expected =
                2 * kHalfTurn *
                (1 + 2.0 / 3 * dot(a, local) + 1.0 / 3 + (3 * along * along - 1) / 12) / 4;
            const double x = std::cos(kTurn) * local[0] + std::sin(kTurn) * local[2];
            const double y = local[1];
            const double z = std::cos(kTurn) * local[2] - std::sin(kTurn) * local[0];
            const double terms[9] = {1, x, y, z, x * x, y * y, x * y, x * z, y * z};
            double sum = 0;
            for (u32 k = 0; k < 9; ++k) {
                sum += static_cast<double>(sky.terms[k]) * terms[k];
            }
            CHECK(sum == doctest::Approx(expected).epsilon(1e-3));
        }
        CHECK(static_cast<double>(sky.around) ==
              doctest::Approx(4 * kHalfTurn * moments.mean / 4).epsilon(1e-5));
        CHECK(sky.least > 0);
    }

    TEST_CASE("the density follows what is above the mean") {
        // The bands of a dark, a dim and a bright sky; the mean is between the first two.
        scene::Environment environment;
        environment.width = 16;
        environment.height = 64;
        for (u32 i = 0; i < 16 * 64; ++i) {
            const u32 row = i / 16;
            const float value = row < 32 ? 1.0f : row < 48 ? 2.0f : 4.0f;
            environment.pixels.insert(environment.pixels.end(), {value, value, value});
        }
        const EnvironmentTable table = table_of(environment);
        // Middles of bands, which no neighbour widens.
        const double mean = table.moments.mean;
        REQUIRE(mean < 2);
        CHECK(table.cells[16 * 16].pdf == 0);
        const double dim = static_cast<double>(table.cells[16 * 40].pdf);
        const double bright = static_cast<double>(table.cells[16 * 56].pdf);
        const double cosines =
            std::cos((0.5 - 56.5 / 64) * kHalfTurn) / std::cos((0.5 - 40.5 / 64) * kHalfTurn);
        CHECK(bright / dim == doctest::Approx((4 - mean) / (2 - mean) * cosines).epsilon(1e-3));
        CHECK(total_of(environment, table) == 1);
    }

    TEST_CASE("a sky of one texel has no cells and a black one no density") {
        scene::Environment environment;
        environment.width = environment.height = 1;
        environment.pixels = {0.5f, 0.5f, 0.5f};
        const EnvironmentTable sky = table_of(environment);
        CHECK(sky.cells.empty());
        CHECK(sky.moments.mean == doctest::Approx(0.5));
        environment.width = 2;
        environment.pixels = {0, 0, 0, 0, 0, 0};
        const EnvironmentTable night = table_of(environment);
        REQUIRE(night.cells.size() == 3);
        for (const shaders::EnvironmentCell& cell : night.cells) {
            CHECK(cell.pdf == 0);
        }
        CHECK(table_of({}).cells.empty());
    }

    TEST_CASE("a sky of one colour is drawn evenly") {
        scene::Environment environment;
        environment.width = 37;
        environment.height = 19;
        environment.pixels.assign(std::size_t{3} * 37 * 19, 0.3f);
        const EnvironmentTable table = table_of(environment);
        CHECK(total_of(environment, table) == 1);
        const double ratio =
            static_cast<double>(table.cells[0].pdf) / static_cast<double>(table.cells[9 * 37].pdf);
        CHECK(ratio == doctest::Approx(std::cos((0.5 - 0.5 / 19) * kHalfTurn)).epsilon(1e-3));
    }

    TEST_CASE("values that are not finite or negative weigh nothing") {
        const float bad[3] = {NAN, INFINITY, -3};
        CHECK(luminance_of(bad) == 0);
        const float white[3] = {2, 2, 2};
        CHECK(luminance_of(white) == doctest::Approx(2));
    }
}
