// image_compare.cpp — metrics per pixel, then their means.
#include "engine/film/image_compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "engine/film/parallel_rows.h"
#include "scheduler/base/memory_limit.h"
#include "shaders/host/scalar_math.h"

namespace weft::film {

namespace {

constexpr std::array<std::string_view, 4> kMetricNames = {"rmse", "relmse", "psnr", "flip"};

// Bytes of a pixel beside the two pictures, measured: the errors, and the planes of FLIP.
constexpr u64 kErrorBytes = 16;
constexpr u64 kFlipBytes = 136;

constexpr double kRelMseFloor = 0.01;

using Rgb = std::array<float, 3>;

Rgb rgb_at(const Picture& picture, std::size_t pixel) {
    const float* values = picture.pixels.data() + pixel * picture.channels;
    return picture.channels >= 3 ? Rgb{values[0], values[1], values[2]}
                                 : Rgb{values[0], values[0], values[0]};
}

double square(double x) {
    return x * x;
}

// Mean over the channels of one pixel.
double mean_square(const Rgb& reference, const Rgb& test, bool is_relative) {
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c) {
        const double r = double{reference[c]};
        const double floor = is_relative ? square(r) + kRelMseFloor : 1;
        sum += square(double{test[c]} - r) / floor;
    }
    return sum / 3;
}

Rgb exposed(Rgb rgb, float scale) {
    for (float& x : rgb) {
        x *= scale;
    }
    return rgb;
}

Picture error_picture(const Picture& like) {
    Picture errors;
    errors.x0 = like.x0;
    errors.y0 = like.y0;
    errors.width = like.width;
    errors.height = like.height;
    errors.channels = 1;
    errors.pixels.resize(std::size_t{like.width} * like.height);
    return errors;
}

// The mean square errors of rmse, relmse and psnr; leaves their roots in `errors`. Each row is
// summed by itself, then the rows in order, so the number of threads changes no bit.
double mean_square_error(const Picture& reference,
                         const Picture& test,
                         const CompareConfig& config,
                         Picture& errors) {
    const float exposure = exposure_scale(config.exposure_stops);
    std::vector<double> row_sums(errors.height);
    for_rows(errors.height, [&](u32 y) {
        for (std::size_t i = std::size_t{y} * errors.width; i < (std::size_t{y} + 1) * errors.width;
             ++i) {
            Rgb a = rgb_at(reference, i);
            Rgb b = rgb_at(test, i);
            if (config.metric == Metric::Psnr) {
                a = apply_view(config.view, exposed(a, exposure));
                b = apply_view(config.view, exposed(b, exposure));
            }
            const double error = mean_square(a, b, config.metric == Metric::RelMse);
            errors.pixels[i] = static_cast<float>(std::sqrt(error));
            row_sums[y] += error;
        }
    });
    const double sum = std::accumulate(row_sums.begin(), row_sums.end(), 0.0);
    return sum / static_cast<double>(errors.pixels.size());
}

// The planes that FLIP compares: the light of the screen, or radiance.
ColourPlanes planes_of(const Picture& picture, const CompareConfig& config) {
    const float exposure = exposure_scale(config.exposure_stops);
    Plane plane{picture.width,
                picture.height,
                std::vector<float>(std::size_t{picture.width} * picture.height)};
    ColourPlanes planes{plane, plane, plane};
    for (std::size_t i = 0; i < plane.values.size(); ++i) {
        const Rgb rgb = rgb_at(picture, i);
        const Rgb shown =
            config.is_hdr ? rgb : displayed_light(config.view, exposed(rgb, exposure));
        for (std::size_t c = 0; c < 3; ++c) {
            // Not a number counts as black.
            planes[c].values[i] =
                std::fmin(std::fmax(shown[c], 0.0F), std::numeric_limits<float>::max());
        }
    }
    return planes;
}

double mean_flip(const Picture& reference,
                 const Picture& test,
                 const CompareConfig& config,
                 Picture& errors) {
    const ColourPlanes a = planes_of(reference, config);
    const ColourPlanes b = planes_of(test, config);
    Plane flip = config.is_hdr ? flip_of_radiance(a, b, config.pixels_per_degree)
                               : flip_of_light(a, b, config.pixels_per_degree);
    errors.pixels = std::move(flip.values);
    double sum = 0;
    for (const float error : errors.pixels) {
        sum += double{error};
    }
    return sum / static_cast<double>(errors.pixels.size());
}

std::string extent_of(const Picture& picture) {
    return std::to_string(picture.width) + "x" + std::to_string(picture.height) + " pixels from (" +
           std::to_string(picture.x0) + ", " + std::to_string(picture.y0) + ")";
}

double decibels(double mean_square_error) {
    constexpr double kLog2Of10 = 3.32192809488736234787;
    return mean_square_error > 0 ? 0 - 10 * shaders::log2_of(mean_square_error) / kLog2Of10
                                 : std::numeric_limits<double>::infinity();
}

}  // namespace

std::string_view metric_name(Metric metric) {
    return kMetricNames[static_cast<std::size_t>(metric)];
}

base::Result<Comparison> compare_pictures(const Picture& reference,
                                          const Picture& test,
                                          const CompareConfig& config) {
    if (reference.width != test.width || reference.height != test.height ||
        reference.x0 != test.x0 || reference.y0 != test.y0) {
        return base::Error{base::ErrorKind::Scene,
                           "the pictures cover " + extent_of(reference) + " and " +
                               extent_of(test) + "; expected the same pixels"};
    }
    const u64 pixels = u64{reference.width} * reference.height;
    const base::Result<base::MemoryClaim> claim =
        base::claim_memory(pixels * (config.metric == Metric::Flip ? kFlipBytes : kErrorBytes),
                           "a comparison of " + extent_of(reference));
    WEFT_TRY(claim);
    Comparison comparison;
    comparison.errors = error_picture(reference);
    switch (config.metric) {
        case Metric::Rmse:
            comparison.value =
                std::sqrt(mean_square_error(reference, test, config, comparison.errors));
            break;
        case Metric::RelMse:
            comparison.value = mean_square_error(reference, test, config, comparison.errors);
            break;
        case Metric::Psnr:
            comparison.value =
                decibels(mean_square_error(reference, test, config, comparison.errors));
            break;
        case Metric::Flip:
            comparison.value = mean_flip(reference, test, config, comparison.errors);
            break;
    }
    return comparison;
}

Picture coloured_errors(const Picture& errors) {
    // Lightness rises monotonically, so that the picture is readable in grey too.
    constexpr std::array<Rgb, 6> kStops{{
        {0, 0, 0.02F},
        {0.25F, 0.05F, 0.42F},
        {0.60F, 0.14F, 0.46F},
        {0.90F, 0.33F, 0.28F},
        {0.99F, 0.66F, 0.25F},
        {1, 0.98F, 0.78F},
    }};
    Picture coloured = errors;
    coloured.channels = 3;
    coloured.pixels.clear();
    coloured.pixels.reserve(errors.pixels.size() * 3);
    for (const float error : errors.pixels) {
        const float place =
            std::fmin(std::fmax(error, 0.0F), 1.0F) * static_cast<float>(kStops.size() - 1);
        const std::size_t below = std::min(static_cast<std::size_t>(place), kStops.size() - 2);
        const float part = place - static_cast<float>(below);
        for (std::size_t c = 0; c < 3; ++c) {
            coloured.pixels.push_back(kStops[below][c] +
                                      part * (kStops[below + 1][c] - kStops[below][c]));
        }
    }
    return coloured;
}

}  // namespace weft::film
