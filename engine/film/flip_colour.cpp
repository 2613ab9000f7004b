// flip_colour.cpp — colour spaces, the eye's filters, and distances.
#include "engine/film/flip_colour.h"

#include <algorithm>
#include <cmath>

#include "engine/math/affine.h"
#include "shaders/host/scalar_math.h"

namespace weft::film {

namespace {

// Rec. 709 to XYZ under D65 by the exact fractions of the paper; white is the sum of each row.

// clang-format off
constexpr math::DAffine kToXyz{
    10135552.0 / 24577794, 8788810.0 / 24577794, 4435075.0 / 24577794, 0,
    2613072.0 / 12288897, 8788810.0 / 12288897, 887015.0 / 12288897, 0,
    1425312.0 / 73733382, 8788810.0 / 73733382, 70074185.0 / 73733382, 0,
};
// clang-format on
constexpr Colour kWhite{kToXyz[0] + kToXyz[1] + kToXyz[2],
                        kToXyz[4] + kToXyz[5] + kToXyz[6],
                        kToXyz[8] + kToXyz[9] + kToXyz[10]};

// XYZ divided by white.
Colour relative_xyz(const Colour& rgb) {
    return math::transform_vector(kToXyz, rgb) / kWhite;
}

// The inverse of kToXyz by cofactors.
math::DAffine from_xyz() {
    const math::DAffine cofactors = math::normal_matrix(kToXyz);
    const double determinant = math::determinant(kToXyz);
    math::DAffine inverse{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            inverse[4 * row + column] = cofactors[4 * column + row] / determinant;
        }
    }
    return inverse;
}

// From the opponent space back to linear RGB.
Colour from_opponent(const math::DAffine& to_rgb, const Colour& opponent) {
    const double y = (opponent[0] + 16) / 116;
    const Colour xyz{
        (y + opponent[1] / 500) * kWhite[0], y * kWhite[1], (y - opponent[2] / 200) * kWhite[2]};
    return math::transform_vector(to_rgb, xyz);
}

double lab_curve(double t) {
    constexpr double kDelta = 6.0 / 29;
    return t > kDelta * kDelta * kDelta ? shaders::pow_of(t, 1.0 / 3)
                                        : t / (3 * kDelta * kDelta) + 4.0 / 29;
}

// CIELAB with chroma weakened in the dark (Hunt).
Colour to_hunt_lab(const Colour& rgb) {
    const Colour v = relative_xyz(rgb);
    const Colour f{lab_curve(v[0]), lab_curve(v[1]), lab_curve(v[2])};
    const double lightness = 116 * f[1] - 16;
    return {
        lightness, 0.01 * lightness * 500 * (f[0] - f[1]), 0.01 * lightness * 200 * (f[1] - f[2])};
}

// Distance for large differences: lightness plus Euclidean distance of chroma (HyAB).
double colour_distance(const Colour& a, const Colour& b) {
    const double da = a[1] - b[1], db = a[2] - b[2];
    return std::fabs(a[0] - b[0]) + std::sqrt(da * da + db * db);
}

// A Gaussian of the contrast sensitivity function: height·√(π / width)·exp(−π² d² / width), d in
// degrees.
struct Sensitivity {
    double height;
    double width;
};

constexpr double kWidestSensitivity = 0.04;
constexpr std::array<std::array<Sensitivity, 2>, 3> kSensitivities{{
    {{{1, 0.0047}, {0, 1e-5}}},       // achromatic
    {{{1, 0.0053}, {0, 1e-5}}},       // red against green
    {{{34.1, 0.04}, {13.5, 0.025}}},  // blue against yellow
}};

int sensitivity_radius(double pixels_per_degree) {
    const double pi = shaders::kPi;
    return static_cast<int>(
        std::ceil(3 * std::sqrt(kWidestSensitivity / (2 * pi * pi)) * pixels_per_degree));
}

// Filters a channel by its sum of Gaussians; the whole two-dimensional filter sums to one.
Plane seen_channel(const Plane& plane,
                   const std::array<Sensitivity, 2>& sensitivity,
                   double pixels_per_degree) {
    const double pi = shaders::kPi;
    const int radius = sensitivity_radius(pixels_per_degree);
    std::array<std::vector<double>, 2> shapes;
    std::array<double, 2> weights{};
    double whole = 0;
    for (std::size_t i = 0; i < 2; ++i) {
        shapes[i] = bell_curve(
            pi * pi / (sensitivity[i].width * pixels_per_degree * pixels_per_degree), radius);
        weights[i] = sensitivity[i].height * std::sqrt(pi / sensitivity[i].width);
        whole += weights[i] * total(shapes[i]) * total(shapes[i]);
    }
    Plane seen = plane_like(plane);
    for (std::size_t i = 0; i < 2; ++i) {
        if (weights[i] == 0) {
            continue;
        }
        Kernel across, down;
        for (const double value : shapes[i]) {
            across.push_back(static_cast<float>(value));
            down.push_back(static_cast<float>(value * weights[i] / whole));
        }
        const Plane part = filtered(plane, across, down);
        std::transform(part.values.begin(),
                       part.values.end(),
                       seen.values.begin(),
                       seen.values.begin(),
                       [](float a, float b) { return a + b; });
    }
    return seen;
}

constexpr double kColourPower = 0.7;

// Spreads distances over [0, 1]: up to 40 % of the largest linearly to 0.95, the rest over the last
// 0.05.
double spread_distance(double distance, double largest) {
    constexpr double kKnee = 0.4;
    constexpr double kAtKnee = 0.95;
    const double powered = shaders::pow_of(distance, kColourPower);
    const double knee = kKnee * largest;
    return powered < knee ? kAtKnee / knee * powered
                          : kAtKnee + (powered - knee) / (largest - knee) * (1 - kAtKnee);
}

// The largest distance between displayed colours: green against blue.
double largest_distance() {
    return shaders::pow_of(colour_distance(to_hunt_lab({0, 1, 0}), to_hunt_lab({0, 0, 1})),
                           kColourPower);
}

}  // namespace

double luminance_of(const Colour& rgb) {
    return math::transform_vector(kToXyz, rgb).y;
}

Colour to_opponent(const Colour& rgb) {
    const Colour v = relative_xyz(rgb);
    return {116 * v[1] - 16, 500 * (v[0] - v[1]), 200 * (v[1] - v[2])};
}

ColourPlanes seen_colours(const ColourPlanes& opponent, double pixels_per_degree) {
    ColourPlanes seen;
    for (std::size_t c = 0; c < 3; ++c) {
        seen[c] = seen_channel(opponent[c], kSensitivities[c], pixels_per_degree);
    }
    const math::DAffine to_rgb = from_xyz();
    return changed(seen, [&](const Colour& v) {
        Colour rgb = from_opponent(to_rgb, v);
        for (double& x : math::components(rgb)) {
            x = std::fmin(std::fmax(x, 0.0), 1.0);
        }
        return to_hunt_lab(rgb);
    });
}

double seen_distance(const Colour& a, const Colour& b) {
    static const double largest = largest_distance();
    return spread_distance(colour_distance(a, b), largest);
}

}  // namespace weft::film
