// floor_draws.h — light samples that the shade kernel draws at a Lambert floor, for tests of their
// densities.
//
// The white floor is hit from straight above at the world's origin, so that a light sample without
// MIS is throughput · cos · L / (π p) in closed form, and the scattered density is cos / π.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/trace/path_slots.h"
#include "engine/trace/scene_tables.h"
#include "shaders/host/shade_kernels.h"
#include "tests/engine/trace/small_scenes.h"
#include "tests/shaders/statistics.h"

namespace weft::tests {

using shaders::Isa;

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr u32 kDraws = 1u << 15;
inline constexpr u32 kFloorPixel = 0x2545f491u;  // its hash
inline constexpr double kTooFar = 1e-4;
inline constexpr double kRounding = 2e-4;  // relative, of a float light sample against double
inline constexpr std::array<double, 3> kThroughput = {0.5, 0.25, 1};

using Point = math::DVec3;

inline Point point_of(const float a[3]) {
    return Point(math::vec3_at(a));
}

inline Point point_of(const Float3& a) {
    return Point(a);
}

// Instance 0: the floor, facing up.
inline scene::Scene floor_scene() {
    scene::Scene scene;
    add_object(scene, quad({-1, 0, -1}, {0, 0, 2}, {2, 0, 0}), lambert({1, 1, 1}));
    return scene;
}

// The light sample that the shade kernel drew; empty: no shadow ray.
struct Draw {
    shaders::TraceRay shadow;
    Point light;
};

// Samples at the floor, or in a medium around the path: `medium` is a material, a boundary.
inline std::vector<std::optional<Draw>> light_draws(Isa isa,
                                                    const shaders::SceneView& scene,
                                                    u32 medium = kNone) {
    shaders::RenderParams params{};
    params.width = params.height = 1;
    params.max_bounces = 4;
    params.clamp_direct = params.clamp_indirect = INFINITY;
    trace::UnitMemory memory;
    trace::PathLayers layers;
    layers.has_boundaries = medium != kNone;
    const trace::PathSlots slots(kDraws, layers, memory);
    REQUIRE(slots.is_allocated());
    const shaders::PathView& paths = slots.view();
    std::vector<u32> ids(kDraws);
    std::iota(ids.begin(), ids.end(), 0u);
    for (const u32 i : ids) {
        shaders::PathRecord& record = paths.record[i];
        record = {};
        record.sample = i;
        record.pixel_hash = kFloorPixel;
        record.pdf = INFINITY;
        paths.gain[i] = {{0, 0, 0}, 0, {0, 0, 0}, shaders::kPathAlive | shaders::kPathSpecular};
        for (std::size_t c = 0; c < 3; ++c) {
            record.throughput[c] = static_cast<float>(kThroughput[c]);
        }
        std::fill(std::begin(record.medium), std::end(record.medium), kNone);
        record.medium[0] = medium;
        // The middle of the diagonal of the floor's first triangle.
        paths.ray[i] = {{0, 1, 0}, 1, {0, -1, 0}, 0, {1e18f, -1, 1e18f}, 0.5f, 0, 0, kNone, kNone};
    }
    shaders::ShadeCounters counters;
    shaders::shade_kernels(isa)->shade(scene, params, paths, ids.data(), kDraws, counters);
    std::vector<std::optional<Draw>> draws(kDraws);
    for (const u32 i : ids) {
        if ((paths.gain[i].flags & shaders::kPathShadow) != 0) {
            draws[i] = Draw{paths.shadow[i],
                            {static_cast<double>(paths.gain[i].light[0]),
                             static_cast<double>(paths.gain[i].light[1]),
                             static_cast<double>(paths.gain[i].light[2])}};
        }
    }
    return draws;
}

// Power heuristic of a light sample of density p against the floor's scattering.
inline double mis_weight(double p, double cosine) {
    const double ratio = cosine / kPi / p;
    return 1 / (1 + ratio * ratio);
}

// Largest relative difference of a light sample from throughput · `grey`.
inline double light_error(const Draw& draw, double grey) {
    double error = 0;
    for (std::size_t c = 0; c < 3; ++c) {
        error = std::max(error, std::fabs(draw.light[c] / (kThroughput[c] * grey) - 1));
    }
    return error;
}

// `shares` of kDraws; bins without any share must be empty.
inline double p_value(const std::vector<double>& observed, const std::vector<double>& shares) {
    std::vector<double> expected(shares.size());
    for (std::size_t i = 0; i < shares.size(); ++i) {
        expected[i] = shares[i] * kDraws;
        if (shares[i] <= 0 && observed[i] > 0) {
            return 0;
        }
    }
    return chi_square_p_value(observed, expected);
}

template <typename Check>
void for_each_isa(const Check& check) {
    for (const Isa isa : {Isa::Sse4, Isa::Avx2, Isa::Avx512}) {
        if (shaders::is_supported(isa)) {
            CAPTURE(std::string(shaders::isa_name(isa)));
            check(isa);
        }
    }
}

}  // namespace weft::tests
