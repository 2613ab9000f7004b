// flip.cpp — the feature pipeline of FLIP (edges and points), its union with the colour pipeline,
// and the exposures of HDR-FLIP.
#include "engine/film/flip.h"

#include <algorithm>
#include <cmath>

#include "engine/film/flip_colour.h"
#include "scheduler/base/ensure.h"
#include "shaders/host/scalar_math.h"

namespace weft::film {

namespace {

struct FeatureKernels {
    Kernel smooth;  // sums to one
    Kernel edge;    // first derivative; each sign sums to one
    Kernel point;   // second derivative; each sign sums to one
};

// Scales the positive values to sum to 1 and the negative ones to −1.
Kernel balanced(const std::vector<double>& values) {
    double positive = 0, negative = 0;
    for (const double value : values) {
        (value > 0 ? positive : negative) += std::fabs(value);
    }
    Kernel kernel;
    for (const double value : values) {
        kernel.push_back(static_cast<float>(value / (value > 0 ? positive : negative)));
    }
    return kernel;
}

FeatureKernels feature_kernels(double pixels_per_degree) {
    constexpr double kFeatureWidthDegrees = 0.082;
    const double deviation = 0.5 * kFeatureWidthDegrees * pixels_per_degree;
    const int radius = static_cast<int>(std::ceil(3 * deviation));
    const std::vector<double> bell = bell_curve(1 / (2 * deviation * deviation), radius);
    std::vector<double> edge, point;
    for (int i = -radius; i <= radius; ++i) {
        const double value = bell[static_cast<std::size_t>(i + radius)];
        edge.push_back(-i * value);
        point.push_back((i * i / (deviation * deviation) - 1) * value);
    }
    FeatureKernels kernels{{}, balanced(edge), balanced(point)};
    for (const double value : bell) {
        kernels.smooth.push_back(static_cast<float>(value / total(bell)));
    }
    return kernels;
}

// Length of the two-dimensional derivative of a plane.
Plane feature_strength(const Plane& lightness, const Kernel& derivative, const Kernel& smooth) {
    const Plane across = filtered(lightness, derivative, smooth);
    const Plane down = filtered(lightness, smooth, derivative);
    Plane strength = plane_like(lightness);
    for (std::size_t i = 0; i < strength.values.size(); ++i) {
        strength.values[i] =
            std::sqrt(across.values[i] * across.values[i] + down.values[i] * down.values[i]);
    }
    return strength;
}

struct Features {
    Plane edges;
    Plane points;
};

Features features_of(const ColourPlanes& opponent, const FeatureKernels& kernels) {
    Plane lightness = opponent[0];
    for (float& value : lightness.values) {
        value = (value + 16) / 116;
    }
    return {feature_strength(lightness, kernels.edge, kernels.smooth),
            feature_strength(lightness, kernels.point, kernels.smooth)};
}

// Tone mapping for HDR-FLIP: the paper's fit of ACES, applied to colours after exposure.

constexpr double kToneA = 0.6 * 0.6 * 2.51, kToneB = 0.6 * 0.03;
constexpr double kToneC = 0.6 * 0.6 * 2.43, kToneD = 0.6 * 0.59, kToneE = 0.14;

double tone(double x) {
    x = std::fmin(std::fmax(x, 0.0), 1e9);
    return std::fmin((kToneA * x + kToneB) * x / ((kToneC * x + kToneD) * x + kToneE), 1.0);
}

// Where tone(x) = t: the larger root of a quadratic.
double inverse_tone(double t) {
    const double a = kToneA - t * kToneC, b = kToneB - t * kToneD, c = -t * kToneE;
    return (-b + std::sqrt(b * b - 4 * a * c)) / (2 * a);
}

}  // namespace

Plane flip_of_light(const ColourPlanes& reference,
                    const ColourPlanes& test,
                    float pixels_per_degree) {
    ENSURE(reference[0].width, ==, test[0].width);
    ENSURE(reference[0].height, ==, test[0].height);
    const double density = double{pixels_per_degree};
    const ColourPlanes opponent_a = changed(reference, to_opponent);
    const ColourPlanes opponent_b = changed(test, to_opponent);
    const FeatureKernels kernels = feature_kernels(density);
    const Features features_a = features_of(opponent_a, kernels);
    const Features features_b = features_of(opponent_b, kernels);
    const ColourPlanes colours_a = seen_colours(opponent_a, density);
    const ColourPlanes colours_b = seen_colours(opponent_b, density);
    Plane errors = plane_like(reference[0]);
    const std::size_t width = errors.width;
    for_rows(errors.height, [&](u32 y) {
        for (std::size_t i = y * width; i < (y + 1) * width; ++i) {
            const double colour = seen_distance(colour_at(colours_a, i), colour_at(colours_b, i));
            const float edge = std::fabs(features_a.edges.values[i] - features_b.edges.values[i]);
            const float point =
                std::fabs(features_a.points.values[i] - features_b.points.values[i]);
            const double feature =
                std::fmin(std::sqrt(double{std::fmax(edge, point)} / std::sqrt(2.0)), 1.0);
            // Features raise the error: colour ^ (1 − feature).
            errors.values[i] = static_cast<float>(shaders::pow_of(colour, 1 - feature));
        }
    });
    return errors;
}

std::vector<float> flip_exposures(const ColourPlanes& reference) {
    constexpr double kTarget = 0.85;
    constexpr std::size_t kMost = 32;  // reached where the reference's median is nearly black
    std::vector<double> luminances;
    for (std::size_t i = 0; i < reference[0].values.size(); ++i) {
        const double luminance = luminance_of(colour_at(reference, i));
        if (luminance > 0) {
            luminances.push_back(luminance);
        }
    }
    if (luminances.empty()) {
        return {0, 0};
    }
    // Take the median of pixels that are not black: those say nothing about exposure.
    const auto middle = luminances.begin() + static_cast<std::ptrdiff_t>(luminances.size() / 2);
    std::nth_element(luminances.begin(), middle, luminances.end());
    const double median = *middle;
    const double brightest = *std::max_element(luminances.begin(), luminances.end());
    const double start = shaders::log2_of(inverse_tone(kTarget) / brightest);
    const double stop = shaders::log2_of(inverse_tone(kTarget) / median);
    const std::size_t count =
        std::clamp(static_cast<std::size_t>(std::ceil(stop - start)), std::size_t{2}, kMost);
    std::vector<float> exposures;
    for (std::size_t i = 0; i < count; ++i) {
        const double part = static_cast<double>(i) / static_cast<double>(count - 1);
        exposures.push_back(static_cast<float>(start + (stop - start) * part));
    }
    return exposures;
}

Plane flip_of_radiance(const ColourPlanes& reference,
                       const ColourPlanes& test,
                       float pixels_per_degree) {
    Plane largest = plane_like(reference[0]);
    for (const float exposure : flip_exposures(reference)) {
        const double scale = shaders::exp2_of(double{exposure});
        const auto mapped = [scale](const Colour& v) {
            return Colour{tone(scale * v[0]), tone(scale * v[1]), tone(scale * v[2])};
        };
        const Plane errors =
            flip_of_light(changed(reference, mapped), changed(test, mapped), pixels_per_degree);
        std::transform(errors.values.begin(),
                       errors.values.end(),
                       largest.values.begin(),
                       largest.values.begin(),
                       [](float a, float b) { return std::fmax(a, b); });
    }
    return largest;
}

}  // namespace weft::film
