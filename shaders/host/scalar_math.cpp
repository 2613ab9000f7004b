#include "shaders/host/scalar_math.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace weft::shaders {

namespace {

constexpr double kLog2E = 1.44269504088896340736;
constexpr double kLn2 = 0.69314718055994530942;

// Nearest integer, halves up; |x| below 2^52.
double rounded(double x) {
    const double down = static_cast<double>(static_cast<std::int64_t>(x));
    const double floor = down > x ? down - 1 : down;
    return x - floor >= 0.5 ? floor + 1 : floor;
}

// sin and cos on [−π/4, π/4] by their Taylor series.
double sin_small(double x) {
    const double y = x * x;
    double sum = 1.0 / 355687428096000.0;
    sum = sum * y - 1.0 / 1307674368000.0;
    sum = sum * y + 1.0 / 6227020800.0;
    sum = sum * y - 1.0 / 39916800.0;
    sum = sum * y + 1.0 / 362880.0;
    sum = sum * y - 1.0 / 5040.0;
    sum = sum * y + 1.0 / 120.0;
    sum = sum * y - 1.0 / 6.0;
    return x + x * y * sum;
}

double cos_small(double x) {
    const double y = x * x;
    double sum = -1.0 / 6402373705728000.0;
    sum = sum * y + 1.0 / 20922789888000.0;
    sum = sum * y - 1.0 / 87178291200.0;
    sum = sum * y + 1.0 / 479001600.0;
    sum = sum * y - 1.0 / 3628800.0;
    sum = sum * y + 1.0 / 40320.0;
    sum = sum * y - 1.0 / 720.0;
    sum = sum * y + 1.0 / 24.0;
    sum = sum * y - 0.5;
    return 1 + y * sum;
}

// Quadrant of x and the rest in [−π/4, π/4]; π/2 in three parts (Cody and Waite) keeps the rest
// exact.
std::int64_t reduce(double x, double& rest) {
    const double n = rounded(x * (2.0 / kPi));
    rest = x - n * 1.57079632673412561417e+00;
    rest -= n * 6.07710050630396597660e-11;
    rest -= n * 2.02226624879595063154e-21;
    return static_cast<std::int64_t>(n) & 3;
}

// atan on [0, 1]: two halvings of the angle, then the series.
double atan_small(double x) {
    const double a = x / (1 + std::sqrt(1 + x * x));
    const double b = a / (1 + std::sqrt(1 + a * a));
    const double y = b * b;
    double sum = 0;
    for (int k = 25; k >= 3; k -= 2) {
        sum = (1.0 / k - sum) * y;
    }
    return 4 * b * (1 - sum);
}

}  // namespace

double log2_of(double x) {
    if (!(x > 0)) {
        return -std::numeric_limits<double>::infinity();
    }
    // x = m · 2^e with m in [√½, √2); log m = 2 atanh((m − 1) / (m + 1)).
    double e = 0;
    if (x < std::numeric_limits<double>::min()) {
        x *= 18014398509481984.0;
        e = -54;
    }
    const auto bits = std::bit_cast<std::uint64_t>(x);
    e += static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
    double m = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
    if (m > 1.41421356237309504880) {
        m *= 0.5;
        e += 1;
    }
    const double z = (m - 1) / (m + 1);
    const double y = z * z;
    double sum = 0;
    for (int k = 21; k >= 3; k -= 2) {
        sum = (sum + 1.0 / k) * y;
    }
    return e + 2 * z * (1 + sum) * kLog2E;
}

double log_of(double x) {
    return log2_of(x) * kLn2;
}

double exp2_of(double x) {
    if (x > 1023) {
        return std::numeric_limits<double>::infinity();
    }
    if (!(x >= -1022)) {
        return 0;
    }
    const double n = rounded(x);
    const double f = (x - n) * kLn2;
    double sum = 1;
    for (int k = 14; k >= 1; --k) {
        sum = 1 + sum * f / k;
    }
    const auto exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(n) + 1023) << 52;
    return sum * std::bit_cast<double>(exponent);
}

double exp_of(double x) {
    return exp2_of(x * kLog2E);
}

double pow_of(double base, double exponent) {
    if (exponent == 0) {
        return 1;
    }
    return base > 0 ? exp2_of(exponent * log2_of(base)) : 0;
}

double sin_of(double x) {
    double r = 0;
    switch (reduce(x, r)) {
        case 0:
            return sin_small(r);
        case 1:
            return cos_small(r);
        case 2:
            return -sin_small(r);
        default:
            return -cos_small(r);
    }
}

double cos_of(double x) {
    double r = 0;
    switch (reduce(x, r)) {
        case 0:
            return cos_small(r);
        case 1:
            return -sin_small(r);
        case 2:
            return -cos_small(r);
        default:
            return sin_small(r);
    }
}

double tan_of(double x) {
    return sin_of(x) / cos_of(x);
}

double atan2_of(double y, double x) {
    const double ax = x < 0 ? -x : x;
    const double ay = y < 0 ? -y : y;
    if (ax == 0 && ay == 0) {
        return 0;
    }
    double angle = ay <= ax ? atan_small(ay / ax) : kPi / 2 - atan_small(ax / ay);
    if (x < 0) {
        angle = kPi - angle;
    }
    return y < 0 ? -angle : angle;
}

double asin_of(double x) {
    const double c = x < -1 ? -1 : (x > 1 ? 1 : x);
    return atan2_of(c, std::sqrt((1 - c) * (1 + c)));
}

double acos_of(double x) {
    return kPi / 2 - asin_of(x);
}

}  // namespace weft::shaders
