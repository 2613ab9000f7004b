// statistics.h — chi-square tests of histograms against densities. Used by tests of this folder.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::tests {

// Splitmix64: independent numbers for tests that need them, from a printed seed.
class Random {
public:
    explicit Random(u64 seed) : state_(seed) {}

    u64 next() {
        state_ += 0x9e3779b97f4a7c15u;
        u64 z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    u32 below(u32 limit) { return static_cast<u32>(next() % limit); }

    // [0, 1) on the grid of 2⁻²⁴.
    float unit() { return static_cast<float>(next() >> 40) * 0x1p-24f; }

    float between(float low, float high) { return low + unit() * (high - low); }

private:
    u64 state_;
};

// Upper regularised incomplete gamma function Q(a, x): continued fraction or series, whichever
// converges.
inline double upper_gamma(double a, double x) {
    const double scale = std::exp(a * std::log(x) - x - std::lgamma(a));
    if (x < a + 1) {
        double term = 1 / a;
        double sum = term;
        for (int n = 1; n < 10000 && term > sum * 1e-15; ++n) {
            term *= x / (a + n);
            sum += term;
        }
        return 1 - sum * scale;
    }
    // Lentz's method.
    double b = x + 1 - a;
    double c = 1e300;
    double d = 1 / b;
    double h = d;
    for (int n = 1; n < 10000; ++n) {
        const double numerator = -n * (n - a);
        b += 2;
        d = 1 / (numerator * d + b);
        c = b + numerator / c;
        h *= c * d;
        if (std::fabs(c * d - 1) < 1e-15) {
            break;
        }
    }
    return h * scale;
}

// Probability of a histogram at least so far from `expected` if the samples follow it. Bins are
// pooled, smallest first, until each expects at least five.
inline double chi_square_p_value(const std::vector<double>& observed,
                                 const std::vector<double>& expected) {
    std::vector<std::size_t> order(expected.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return expected[a] < expected[b];
    });
    double statistic = 0;
    double pooled_observed = 0;
    double pooled_expected = 0;
    int bins = 0;
    for (const std::size_t i : order) {
        pooled_observed += observed[i];
        pooled_expected += expected[i];
        if (pooled_expected >= 5) {
            const double difference = pooled_observed - pooled_expected;
            statistic += difference * difference / pooled_expected;
            pooled_observed = 0;
            pooled_expected = 0;
            ++bins;
        }
    }
    return bins < 2 ? 1.0 : upper_gamma(0.5 * (bins - 1), 0.5 * statistic);
}

}  // namespace weft::tests
