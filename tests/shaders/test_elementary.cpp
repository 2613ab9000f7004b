// test_elementary.cpp — errors of the kernels' elementary functions against libm, on every
// instruction set.
#include <functional>

#include <doctest/doctest.h>

#include "tests/shaders/probe_materials.h"
#include "tests/shaders/statistics.h"

namespace weft::tests {

namespace {

using shaders::Elementary;

// Largest |f(x, y) − truth| / max(floor, |truth|) over 20000 random arguments.
double worst_error(Isa isa,
                   Elementary function,
                   const std::function<float(Random&)>& draw_x,
                   const std::function<float(Random&)>& draw_y,
                   const std::function<double(double, double)>& truth,
                   double floor) {
    constexpr u32 kCount = 20000;
    Random random(7);
    std::vector<float> x(kCount);
    std::vector<float> y(kCount);
    std::vector<float> out(kCount);
    for (u32 i = 0; i < kCount; ++i) {
        x[i] = draw_x(random);
        y[i] = draw_y(random);
    }
    shaders::bsdf_probe(isa)->elementary(function, x.data(), y.data(), kCount, out.data());
    double worst = 0;
    for (u32 i = 0; i < kCount; ++i) {
        const double right = truth(static_cast<double>(x[i]), static_cast<double>(y[i]));
        const double error = std::fabs(static_cast<double>(out[i]) - right);
        worst = std::max(worst, error / std::max(floor, std::fabs(right)));
    }
    return worst;
}

float no_argument(Random&) {
    return 0;
}

std::function<float(Random&)> uniform(float low, float high) {
    return [low, high](Random& random) { return random.between(low, high); };
}

constexpr double kPi = 3.14159265358979323846;

}  // namespace

TEST_SUITE("shaders/elementary") {
    TEST_CASE("sine and cosine of turns are within 2e-7 of the truth") {
        for (const Isa isa : supported_isas()) {
            CAPTURE(isa_label(isa));
            CHECK(worst_error(
                      isa,
                      Elementary::SinTurns,
                      uniform(-1, 1),
                      no_argument,
                      [](double x, double) { return std::sin(2 * kPi * x); },
                      1) < 2e-7);
            CHECK(worst_error(
                      isa,
                      Elementary::CosTurns,
                      uniform(-1, 1),
                      no_argument,
                      [](double x, double) { return std::cos(2 * kPi * x); },
                      1) < 2e-7);
            CHECK(worst_error(
                      isa,
                      Elementary::CosTurns,
                      uniform(-1000, 1000),
                      no_argument,
                      [](double x, double) { return std::cos(2 * kPi * x); },
                      1) < 2e-7);
        }
    }

    TEST_CASE("powers of two are within a relative 3e-7 of the truth and saturate") {
        for (const Isa isa : supported_isas()) {
            CAPTURE(isa_label(isa));
            CHECK(worst_error(
                      isa,
                      Elementary::Exp2,
                      uniform(-126, 127),
                      no_argument,
                      [](double x, double) { return std::exp2(x); },
                      0) < 3e-7);
            const float x[] = {-127, -1e30f, 128, 1e30f, 0, 1};
            float out[6];
            shaders::bsdf_probe(isa)->elementary(Elementary::Exp2, x, x, 6, out);
            CHECK(out[0] == 0);
            CHECK(out[1] == 0);
            CHECK(std::isinf(out[2]));
            CHECK(std::isinf(out[3]));
            CHECK(out[4] == 1);
            CHECK(out[5] == 2);
        }
    }

    TEST_CASE("logarithms are within 2e-7 of the truth over all magnitudes") {
        const auto magnitude = [](Random& random) {
            return std::ldexp(random.between(1, 2), static_cast<int>(random.below(240)) - 120);
        };
        for (const Isa isa : supported_isas()) {
            CAPTURE(isa_label(isa));
            CHECK(worst_error(
                      isa,
                      Elementary::Log2,
                      magnitude,
                      no_argument,
                      [](double x, double) { return std::log2(x); },
                      1) < 2e-7);
            CHECK(worst_error(
                      isa,
                      Elementary::Log2,
                      uniform(0.9f, 1.1f),
                      no_argument,
                      [](double x, double) { return std::log2(x); },
                      0.01) < 3e-7);
            const float x[] = {0, -1, 1, 1e-45f};
            float out[4];
            shaders::bsdf_probe(isa)->elementary(Elementary::Log2, x, x, 4, out);
            CHECK(out[0] == -126);
            CHECK(out[1] == -126);
            CHECK(out[2] == 0);
            CHECK(out[3] == -126);
        }
    }

    TEST_CASE("powers are within a relative 1e-5 of the truth") {
        for (const Isa isa : supported_isas()) {
            CAPTURE(isa_label(isa));
            CHECK(worst_error(
                      isa,
                      Elementary::Pow,
                      uniform(0.01f, 4),
                      uniform(0, 5),
                      [](double x, double y) { return std::pow(x, y); },
                      0) < 1e-5);
            const float x[] = {0, 0, 1};
            const float y[] = {2, 0, 50};
            float out[3];
            shaders::bsdf_probe(isa)->elementary(Elementary::Pow, x, y, 3, out);
            CHECK(out[0] == 0);
            CHECK(out[1] == 1);
            CHECK(out[2] == 1);
        }
    }

    TEST_CASE("arc functions are within 4e-7 of the truth in every quadrant") {
        for (const Isa isa : supported_isas()) {
            CAPTURE(isa_label(isa));
            CHECK(worst_error(
                      isa,
                      Elementary::Atan2,
                      uniform(-2, 2),
                      uniform(-2, 2),
                      [](double y, double x) { return std::atan2(y, x); },
                      1) < 4e-7);
            CHECK(worst_error(
                      isa,
                      Elementary::Asin,
                      uniform(-1, 1),
                      no_argument,
                      [](double x, double) { return std::asin(x); },
                      1) < 4e-7);
            const float y[] = {0, 0, 1, -1, 2};
            const float x[] = {0, -1, 0, 0, 2};
            float out[5];
            shaders::bsdf_probe(isa)->elementary(Elementary::Atan2, y, x, 5, out);
            CHECK(out[0] == 0);
            CHECK(static_cast<double>(out[1]) == doctest::Approx(kPi));
            CHECK(static_cast<double>(out[2]) == doctest::Approx(kPi / 2));
            CHECK(static_cast<double>(out[3]) == doctest::Approx(-kPi / 2));
            CHECK(static_cast<double>(out[4]) == doctest::Approx(kPi / 4));
        }
    }
}

}  // namespace weft::tests
