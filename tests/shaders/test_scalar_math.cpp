#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "shaders/host/scalar_math.h"

using namespace weft::shaders;

namespace {

constexpr double kBound = 1e-12;

// Largest relative error over `steps` + 1 points of [low, high]; values below `tiny` are compared
// absolutely.
template <typename Ours, typename Theirs>
double worst_error(
    Ours ours, Theirs theirs, double low, double high, int steps = 20000, double tiny = 1e-300) {
    double worst = 0;
    for (int k = 0; k <= steps; ++k) {
        const double x = low + (high - low) * k / steps;
        const double truth = theirs(x);
        const double scale = std::max(std::fabs(truth), tiny);
        worst = std::max(worst, std::fabs(ours(x) - truth) / scale);
    }
    return worst;
}

double libm_log2(double x) {
    return std::log2(x);
}

double libm_exp2(double x) {
    return std::exp2(x);
}

double libm_sin(double x) {
    return std::sin(x);
}

double libm_cos(double x) {
    return std::cos(x);
}

double libm_tan(double x) {
    return std::tan(x);
}

double libm_exp(double x) {
    return std::exp(x);
}

double libm_log(double x) {
    return std::log(x);
}

double libm_asin(double x) {
    return std::asin(x);
}

double libm_acos(double x) {
    return std::acos(x);
}

}  // namespace

TEST_SUITE("shaders/scalar_math") {
    TEST_CASE("logarithms agree with libm from the smallest to the largest double") {
        CHECK(worst_error(log2_of, libm_log2, 0.001, 4, 20000, 1e-4) < kBound);
        CHECK(worst_error(log_of, libm_log, 0.5, 1000, 20000, 1e-4) < kBound);
        for (int exponent = -1070; exponent < 1024; exponent += 3) {
            const double x = std::ldexp(1.37, exponent);
            CHECK(std::fabs(log2_of(x) - std::log2(x)) <= kBound * std::fabs(std::log2(x)));
        }
    }

    TEST_CASE("logarithms of zero and negative numbers are minus infinity") {
        const double lowest = -std::numeric_limits<double>::infinity();
        CHECK(log2_of(0) == lowest);
        CHECK(log2_of(-1) == lowest);
        CHECK(log_of(std::numeric_limits<double>::quiet_NaN()) == lowest);
    }

    TEST_CASE("exponentials agree with libm and end in infinity and zero") {
        CHECK(worst_error(exp2_of, libm_exp2, -1000, 1000) < kBound);
        CHECK(worst_error(exp2_of, libm_exp2, -2, 2) < kBound);
        CHECK(worst_error(exp_of, libm_exp, -20, 20) < kBound);
        CHECK(exp2_of(3) == 8);
        CHECK(exp2_of(-2000) == 0);
        CHECK(exp2_of(2000) == std::numeric_limits<double>::infinity());
    }

    TEST_CASE("powers agree with libm over the curves of colour") {
        const auto ours = [](double x) { return pow_of(x, 2.4); };
        const auto theirs = [](double x) { return std::pow(x, 2.4); };
        CHECK(worst_error(ours, theirs, 1e-6, 4) < kBound);
        CHECK(pow_of(0, 2) == 0);
        CHECK(pow_of(0, 0) == 1);
        CHECK(pow_of(7, 0) == 1);
    }

    TEST_CASE("sines and cosines agree with libm near and far") {
        CHECK(worst_error(sin_of, libm_sin, -10, 10, 20000, 1e-3) < kBound);
        CHECK(worst_error(cos_of, libm_cos, -10, 10, 20000, 1e-3) < kBound);
        CHECK(worst_error(sin_of, libm_sin, 99000, 100000, 20000, 1) < kBound);
        CHECK(worst_error(cos_of, libm_cos, -1e6, -999000, 20000, 1) < kBound);
        CHECK(worst_error(tan_of, libm_tan, -1.5, 1.5, 20000, 1e-3) < kBound);
        CHECK(sin_of(0) == 0);
        CHECK(cos_of(0) == 1);
    }

    TEST_CASE("arc tangents agree with libm in every quadrant and on the axes") {
        double worst = 0;
        for (int k = 0; k < 20000; ++k) {
            const double angle = -kPi + 2 * kPi * (k + 0.5) / 20000;
            const double radius = 1e-3 + 0.37 * (k % 17);
            const double y = radius * std::sin(angle);
            const double x = radius * std::cos(angle);
            const double truth = std::atan2(y, x);
            worst = std::max(worst, std::fabs(atan2_of(y, x) - truth) / std::fabs(truth));
        }
        CHECK(worst < kBound);
        CHECK(atan2_of(0, 0) == 0);
        CHECK(atan2_of(0, -1) == doctest::Approx(kPi).epsilon(kBound));
        CHECK(atan2_of(-1, 0) == doctest::Approx(-kPi / 2).epsilon(kBound));
    }

    TEST_CASE("arc sines and cosines agree with libm and clamp their argument") {
        CHECK(worst_error(asin_of, libm_asin, -1, 1, 20000, 1e-3) < kBound);
        CHECK(worst_error(acos_of, libm_acos, -1, 0.999, 20000, 1e-3) < kBound);
        CHECK(asin_of(1.5) == asin_of(1.0));
        CHECK(acos_of(-7) == acos_of(-1.0));
    }
}
