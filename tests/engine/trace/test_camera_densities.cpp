// test_camera_densities.cpp — film and lens points of the camera kernel follow their densities on
// every instruction set.
//
// Points are computed from the rays alone and counted in bins of equal probability, whose edges
// come from the windows themselves. Chi-square is one-sided, since the samples are more even than
// random ones. Each statistic must also reject a wrong density.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/trace/path_slots.h"
#include "engine/trace/scene_tables.h"
#include "shaders/host/shade_kernels.h"
#include "tests/engine/trace/floor_draws.h"

namespace weft::tests {

namespace {

using trace::PixelFilter;

constexpr std::size_t kBins = 24;  // of a film axis; no power of two, which Sobol points would fill
                                   // evenly whatever their order
constexpr u32 kWidth = 64;
constexpr u32 kHeight = 48;
constexpr u32 kX = 41;
constexpr u32 kY = 11;
constexpr double kLensRadius = 0.05;
constexpr double kFocus = 2.5;

shaders::CameraRecord camera_with(double lens_radius) {
    scene::Scene scene;
    set_camera(scene, {1, 2, 3}, {0, 0.5f, 0}, 0.7f);
    scene.cameras.front().lens_radius_m = static_cast<float>(lens_radius);
    scene.cameras.front().focus_m = static_cast<float>(kFocus);
    return trace::make_camera(scene.cameras.front(), kWidth, kHeight);
}

// The camera rays of one pixel's samples 0 … kDraws − 1.
std::vector<shaders::TraceRay> camera_rays(Isa isa,
                                           PixelFilter filter,
                                           const shaders::CameraRecord& camera) {
    const std::vector<float> table = trace::make_filter_table(filter);
    shaders::RenderParams params{};
    params.width = kWidth;
    params.height = kHeight;
    params.seed = 7;
    params.max_bounces = 4;
    params.filter_table = table.data();
    trace::UnitMemory memory;
    const trace::PathSlots slots(kDraws, {}, memory);
    REQUIRE(slots.is_allocated());
    const shaders::PathView& paths = slots.view();
    std::vector<u32> ids(kDraws);
    std::iota(ids.begin(), ids.end(), 0u);
    for (const u32 id : ids) {
        paths.record[id].pixel_hash = kY * kWidth + kX;
        paths.record[id].sample = id;
    }
    shaders::ShadeCounters counters;
    shaders::shade_kernels(isa)->camera(camera, params, paths, ids.data(), kDraws, counters);
    return {paths.ray, paths.ray + kDraws};
}

struct FilmPoint {
    double x, y;  // pixels from the pixel's centre, y down
};

// The point at which a pinhole's ray crosses the film.
FilmPoint film_point(const shaders::CameraRecord& camera, const shaders::TraceRay& ray) {
    const Point direction = point_of(ray.direction);
    const double along = dot(direction, point_of(camera.forward));
    const double s = dot(direction, point_of(camera.right)) / along;
    const double t = dot(direction, point_of(camera.up)) / along;
    const double half_width = static_cast<double>(camera.half_width);
    const double half_height = static_cast<double>(camera.half_height);
    return {0.5 * (s / half_width + 1) * kWidth - kX - 0.5,
            0.5 * (1 - t / half_height) * kHeight - kY - 0.5};
}

double window_of(PixelFilter filter, double x) {
    switch (filter) {
        case PixelFilter::Gaussian:
            return std::exp(-2 * x * x);
        case PixelFilter::BlackmanHarris: {
            const double t = 2 * kPi * (x + 1.5) / 3;
            return 0.35875 - 0.48829 * std::cos(t) + 0.14128 * std::cos(2 * t) -
                   0.01168 * std::cos(3 * t);
        }
        default:
            return 1;
    }
}

double radius_of(PixelFilter filter) {
    return filter == PixelFilter::Box ? 0.5 : 1.5;
}

// The kBins − 1 places between which the window has the same integral.
std::vector<double> equal_edges(PixelFilter filter) {
    constexpr int kSteps = 60000;
    const double radius = radius_of(filter);
    const double step = 2 * radius / kSteps;
    std::vector<double> sum(kSteps + 1, 0.0);
    for (std::size_t k = 0; k < kSteps; ++k) {
        sum[k + 1] = sum[k] + window_of(filter, -radius + (static_cast<double>(k) + 0.5) * step);
    }
    std::vector<double> edges;
    for (std::size_t i = 1; i < kBins; ++i) {
        const double wanted = sum.back() * static_cast<double>(i) / kBins;
        const auto place = std::lower_bound(sum.begin(), sum.end(), wanted);
        edges.push_back(-radius + static_cast<double>(place - sum.begin()) * step);
    }
    return edges;
}

std::size_t bin_of(const std::vector<double>& edges, double x) {
    return static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), x) -
                                    edges.begin());
}

// Bin of a share of a whole, 0 … count − 1.
std::size_t bin_of(double share, std::size_t count) {
    const double place = std::floor(share * static_cast<double>(count));
    return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(count - 1)));
}

double p_value_of_uniform(const std::vector<double>& observed) {
    const double expected = static_cast<double>(kDraws) / static_cast<double>(observed.size());
    return chi_square_p_value(observed, std::vector<double>(observed.size(), expected));
}

// Film points of `rays` in the bins of `filter`'s window.
double film_p_value(const std::vector<shaders::TraceRay>& rays, PixelFilter filter) {
    const shaders::CameraRecord camera = camera_with(0);
    const std::vector<double> edges = equal_edges(filter);
    std::vector<double> observed(kBins * kBins, 0.0);
    for (const shaders::TraceRay& ray : rays) {
        const FilmPoint p = film_point(camera, ray);
        observed[bin_of(edges, p.y) * kBins + bin_of(edges, p.x)] += 1;
    }
    return p_value_of_uniform(observed);
}

struct LensPoint {
    double radius, turns;  // of the unit disk; turns in [0, 1]
};

LensPoint lens_point(const shaders::CameraRecord& camera, const shaders::TraceRay& ray) {
    Point shift = point_of(ray.origin);
    const Point origin = point_of(camera.origin);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        shift[axis] = (shift[axis] - origin[axis]) / kLensRadius;
    }
    const double x = dot(shift, point_of(camera.right));
    const double y = dot(shift, point_of(camera.up));
    return {std::hypot(x, y), 0.5 + std::atan2(y, x) / (2 * kPi)};
}

// The point at which a ray crosses the plane in focus.
Point focus_point(const shaders::CameraRecord& camera, const shaders::TraceRay& ray) {
    const Point direction = point_of(ray.direction);
    const double way = kFocus / dot(direction, point_of(camera.forward));
    return point_of(ray.origin) + way * direction;
}

}  // namespace

TEST_SUITE("engine/trace/camera_densities") {
    TEST_CASE("film points follow the window of their filter and no other window") {
        constexpr PixelFilter kFilters[] = {
            PixelFilter::Box, PixelFilter::BlackmanHarris, PixelFilter::Gaussian};
        for_each_isa([&](Isa isa) {
            for (const PixelFilter filter : kFilters) {
                CAPTURE(static_cast<int>(filter));
                const auto rays = camera_rays(isa, filter, camera_with(0));
                for (const shaders::TraceRay& ray : rays) {
                    const FilmPoint p = film_point(camera_with(0), ray);
                    REQUIRE(std::max(std::fabs(p.x), std::fabs(p.y)) < radius_of(filter) + 1e-4);
                }
                for (const PixelFilter window : kFilters) {
                    const double p = film_p_value(rays, window);
                    CHECK((p > kTooFar) == (window == filter));
                }
            }
        });
    }

    TEST_CASE("lens points are uniform over the disk and not over its radius") {
        const shaders::CameraRecord camera = camera_with(kLensRadius);
        for_each_isa([&](Isa isa) {
            constexpr std::size_t kRings = 12;
            constexpr std::size_t kSectors = 24;
            std::vector<double> by_area(kRings * kSectors, 0.0);
            std::vector<double> by_radius = by_area;
            for (const shaders::TraceRay& ray : camera_rays(isa, PixelFilter::Box, camera)) {
                const LensPoint p = lens_point(camera, ray);
                REQUIRE(p.radius < 1 + 1e-4);
                const std::size_t sector = bin_of(p.turns, kSectors);
                by_area[bin_of(p.radius * p.radius, kRings) * kSectors + sector] += 1;
                by_radius[bin_of(p.radius, kRings) * kSectors + sector] += 1;
            }
            CHECK(p_value_of_uniform(by_area) > kTooFar);
            CHECK(p_value_of_uniform(by_radius) < kTooFar);
        });
    }

    TEST_CASE("rays through the lens cross the plane in focus where the pinhole's ray does") {
        const shaders::CameraRecord pinhole = camera_with(0);
        const shaders::CameraRecord camera = camera_with(kLensRadius);
        for_each_isa([&](Isa isa) {
            const auto straight = camera_rays(isa, PixelFilter::BlackmanHarris, pinhole);
            const auto bent = camera_rays(isa, PixelFilter::BlackmanHarris, camera);
            double farthest = 0;
            double turned = 0;
            for (std::size_t i = 0; i < kDraws; ++i) {
                const Point a = focus_point(pinhole, straight[i]);
                const Point b = focus_point(camera, bent[i]);
                const double distance = length(a - b);
                farthest = std::max(farthest, distance);
                const Point u = point_of(straight[i].direction);
                const Point v = point_of(bent[i].direction);
                turned = std::max(turned, length(u - v));
            }
            CHECK(farthest < 1e-5);
            CHECK(turned > 0.9 * kLensRadius / kFocus);
        });
    }

    TEST_CASE("lens points do not depend on film points") {
        const shaders::CameraRecord pinhole = camera_with(0);
        const shaders::CameraRecord camera = camera_with(kLensRadius);
        for_each_isa([&](Isa isa) {
            constexpr std::size_t kParts = 7;
            const auto straight = camera_rays(isa, PixelFilter::Box, pinhole);
            const auto bent = camera_rays(isa, PixelFilter::Box, camera);
            std::vector<double> together(kParts * kParts * kParts * kParts, 0.0);
            std::vector<double> by_one(kParts * kParts, 0.0);
            for (std::size_t i = 0; i < kDraws; ++i) {
                const FilmPoint film = film_point(pinhole, straight[i]);
                const LensPoint lens = lens_point(camera, bent[i]);
                const std::size_t x = bin_of(film.x + 0.5, kParts);
                std::size_t bin = bin_of(film.y + 0.5, kParts) * kParts + x;
                bin = bin * kParts + bin_of(lens.radius * lens.radius, kParts);
                together[bin * kParts + bin_of(lens.turns, kParts)] += 1;
                by_one[x * kParts + x] += 1;
            }
            CHECK(p_value_of_uniform(together) > kTooFar);
            CHECK(p_value_of_uniform(by_one) < kTooFar);  // a lens that used the film's numbers
        });
    }
}

}  // namespace weft::tests
