#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "engine/trace/scene_tables.h"

using namespace weft;
using namespace weft::trace;

namespace {

constexpr double kFilterPi = 3.14159265358979323846;

double at(const std::vector<float>& table, std::size_t i) {
    return static_cast<double>(table[i]);
}

// E[x^power] of offsets drawn through the table with linear interpolation.
double moment(const std::vector<float>& table, int power) {
    double sum = 0;
    for (std::size_t i = 0; i + 1 < table.size(); ++i) {
        const double a = at(table, i);
        const double b = at(table, i + 1);
        const double m = 0.5 * (a + b);
        // Simpson is exact for powers up to three; four is close enough over one entry.
        sum += (std::pow(a, power) + 4 * std::pow(m, power) + std::pow(b, power)) / 6;
    }
    return sum / shaders::kFilterTableSize;
}

double window_moment(double (*window)(double), int power) {
    constexpr int kWindowSteps = 100000;
    double sum = 0;
    double weight = 0;
    for (int k = 0; k < kWindowSteps; ++k) {
        const double x = -1.5 + 3 * (k + 0.5) / kWindowSteps;
        weight += window(x);
        sum += window(x) * std::pow(x, power);
    }
    return sum / weight;
}

double gaussian(double x) {
    return std::exp(-2 * x * x);
}

double blackman_harris(double x) {
    const double t = (x + 1.5) / 3 * 2 * kFilterPi;
    return 0.35875 - 0.48829 * std::cos(t) + 0.14128 * std::cos(2 * t) - 0.01168 * std::cos(3 * t);
}

}  // namespace

TEST_SUITE("engine/trace/filter_table") {
    TEST_CASE("every filter rises from one border to the other and is symmetric") {
        for (const PixelFilter filter :
             {PixelFilter::Box, PixelFilter::BlackmanHarris, PixelFilter::Gaussian}) {
            const std::vector<float> table = make_filter_table(filter);
            REQUIRE(table.size() == shaders::kFilterTableSize + 1);
            const float radius = filter == PixelFilter::Box ? 0.5f : 1.5f;
            CHECK(table.front() == -radius);
            CHECK(table.back() == radius);
            for (std::size_t i = 0; i < table.size(); ++i) {
                CHECK(table[i] == -table[table.size() - 1 - i]);
                if (i > 0) {
                    CHECK(table[i] > table[i - 1]);
                }
            }
        }
    }

    TEST_CASE("moments of drawn offsets are those of the window") {
        const std::vector<float> box = make_filter_table(PixelFilter::Box);
        CHECK(moment(box, 2) == doctest::Approx(1.0 / 12));
        const std::vector<float> harris = make_filter_table(PixelFilter::BlackmanHarris);
        CHECK(moment(harris, 2) ==
              doctest::Approx(window_moment(blackman_harris, 2)).epsilon(0.005));
        CHECK(moment(harris, 4) ==
              doctest::Approx(window_moment(blackman_harris, 4)).epsilon(0.03));
        const std::vector<float> bell = make_filter_table(PixelFilter::Gaussian);
        CHECK(moment(bell, 2) == doctest::Approx(window_moment(gaussian, 2)).epsilon(0.001));
        CHECK(moment(bell, 4) == doctest::Approx(window_moment(gaussian, 4)).epsilon(0.005));
    }

    TEST_CASE("the share of the window up to an entry is the entry's number") {
        const std::vector<float> table = make_filter_table(PixelFilter::BlackmanHarris);
        const auto integral = [](double x) {
            constexpr int kWindowSteps = 20000;
            double sum = 0;
            for (int k = 0; k < kWindowSteps; ++k) {
                sum += blackman_harris(-1.5 + (x + 1.5) * (k + 0.5) / kWindowSteps);
            }
            return sum * (x + 1.5) / kWindowSteps;
        };
        const double whole = integral(1.5);
        for (const std::size_t i : {1u, 100u, 300u, 512u, 900u, 1023u}) {
            CHECK(std::fabs(integral(at(table, i)) / whole - static_cast<double>(i) / 1024) < 1e-6);
        }
    }
}
