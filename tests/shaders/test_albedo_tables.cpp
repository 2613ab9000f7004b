#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "shaders/albedo_tables.h"
#include "shaders/scene_view.h"

using namespace weft;
using namespace weft::shaders;

namespace {

constexpr double kTurn = 6.283185307179586;

float worst_difference(const std::vector<float>& left, const std::vector<float>& right) {
    float worst = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
        worst = std::max(worst, std::fabs(left[i] - right[i]));
    }
    return worst;
}

struct Albedo {
    double a = 0;
    double b = 0;
};

// ∫ D V cos over light directions, by midpoints of (cos, φ): another road to the same number.
Albedo integrate_over_lights(double alpha, double view, int cosines, int angles) {
    const double view_sine = std::sqrt(1 - view * view);
    const double squared = alpha * alpha;
    Albedo sum;
    for (int i = 0; i < cosines; ++i) {
        const double light = (i + 0.5) / cosines;
        const double light_sine = std::sqrt(1 - light * light);
        for (int k = 0; k < angles; ++k) {
            const double cosine = std::cos(kTurn * (k + 0.5) / angles);
            const double between = light_sine * view_sine * cosine + light * view;
            const double length = std::sqrt(2 + 2 * between);
            const double half = (light + view) / length;
            const double view_half = (1 + between) / length;
            const double shape = half * half * (squared - 1) + 1;
            const double d = squared / (0.5 * kTurn * shape * shape);
            const double v = 0.5 / (view * std::sqrt(light * light * (1 - squared) + squared) +
                                    light * std::sqrt(view * view * (1 - squared) + squared));
            const double fresnel = std::pow(1 - view_half, 5);
            sum.a += d * v * light * (1 - fresnel);
            sum.b += d * v * light * fresnel;
        }
    }
    const double cell = kTurn / (static_cast<double>(cosines) * angles);
    return {sum.a * cell, sum.b * cell};
}

}  // namespace

TEST_SUITE("shaders/albedo_tables") {
    TEST_CASE("sixteen times as many points change no entry by a thousandth") {
        const AlbedoTables& coarse = albedo_tables();
        const AlbedoTables fine = integrate_albedo_tables(4);
        REQUIRE(coarse.ggx_a.size() == kAlbedoSize * kAlbedoSize);
        CHECK(worst_difference(coarse.ggx_a, fine.ggx_a) < 1e-3f);
        CHECK(worst_difference(coarse.ggx_b, fine.ggx_b) < 1e-3f);
        CHECK(worst_difference(coarse.sheen, fine.sheen) < 1e-3f);
    }

    TEST_CASE("visible normals and light directions integrate to the same specular albedo") {
        const AlbedoTables& tables = albedo_tables();
        for (const u32 row : {12u, 20u, 31u}) {
            for (const u32 column : {2u, 10u, 20u, 31u}) {
                const double roughness = row / 31.0;
                const Albedo truth =
                    integrate_over_lights(roughness * roughness, (column + 0.5) / 32, 600, 600);
                const std::size_t entry = row * kAlbedoSize + column;
                CAPTURE(row);
                CAPTURE(column);
                CHECK(static_cast<double>(tables.ggx_a[entry]) ==
                      doctest::Approx(truth.a).epsilon(0.002));
                CHECK(std::fabs(static_cast<double>(tables.ggx_b[entry]) - truth.b) < 5e-4);
            }
        }
    }

    TEST_CASE("a smooth mirror reflects everything and no roughness reflects more") {
        const AlbedoTables& tables = albedo_tables();
        for (u32 entry = 0; entry < kAlbedoSize * kAlbedoSize; ++entry) {
            const float all = tables.ggx_a[entry] + tables.ggx_b[entry];
            CHECK(all <= 1.000001f);
            CHECK(all > 0.3f);
            if (entry < kAlbedoSize) {
                CHECK(all > 0.99f);
            }
        }
    }

    TEST_CASE("sheen is strongest where the view grazes and fades towards the normal") {
        const std::vector<float>& sheen = albedo_tables().sheen;
        for (u32 row = 0; row < kAlbedoSize; ++row) {
            for (u32 column = 1; column < kAlbedoSize; ++column) {
                CHECK(sheen[row * kAlbedoSize + column] < sheen[row * kAlbedoSize + column - 1]);
            }
        }
    }
}
