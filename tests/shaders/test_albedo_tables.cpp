#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "shaders/host/scene_view.h"
#include "shaders/surface/albedo_tables.h"

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

// ∫ D V cos over light directions, by midpoints of (cos, φ): an independent way to the same number.
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

    TEST_CASE("sheen is strongest at grazing views and fades towards the normal") {
        const std::vector<float>& sheen = albedo_tables().sheen;
        for (u32 row = 0; row < kAlbedoSize; ++row) {
            for (u32 column = 1; column < kAlbedoSize; ++column) {
                CHECK(sheen[row * kAlbedoSize + column] < sheen[row * kAlbedoSize + column - 1]);
            }
        }
    }

    TEST_CASE("sixteen times as many points change glass and brushed metal little") {
        const GlassLosses fine = integrate_glass_losses(4);
        REQUIRE(fine.mean.size() == kLossIndices * kLossRoughnesses);
        REQUIRE(fine.loss.size() == fine.mean.size() * kLossCosines);
        // Single entries lie next to edges: total reflection, grazing facets.
        CHECK(worst_difference(glass_losses().loss, fine.loss) < 0.02f);
        CHECK(worst_difference(glass_losses().mean, fine.mean) < 0.002f);
        CHECK(worst_difference(anisotropic_albedo(), integrate_anisotropic_albedo(4)) < 0.006f);
    }

    TEST_CASE("the ends of the table of glass lose what a mirror of that roughness loses") {
        const AlbedoTables& mirror = albedo_tables();
        const std::vector<float>& loss = glass_losses().loss;
        const u32 row = (kLossRoughnesses - 1) * kLossCosines;  // roughness 1
        const u32 last = (kLossIndices - 1) * kLossRoughnesses * kLossCosines;
        for (u32 i = 3; i < kLossCosines; ++i) {
            const float root = static_cast<float>(i) / (kLossCosines - 1);
            const float x = std::min(root * root * kAlbedoSize - 0.5f, kAlbedoSize - 1.001f);
            const auto column = static_cast<u32>(x);
            const u32 entry = (kAlbedoSize - 1) * kAlbedoSize + column;
            const float share = x - static_cast<float>(column);
            const auto whole = [&](u32 at) { return mirror.ggx_a[at] + mirror.ggx_b[at]; };
            const float kept = whole(entry) * (1 - share) + whole(entry + 1) * share;
            CHECK(loss[row + i] == doctest::Approx(1 - kept).epsilon(0.02));
            CHECK(loss[last + row + i] == loss[row + i]);
        }
    }

    TEST_CASE("no strength is no anisotropy whatever the azimuth") {
        const std::vector<float>& table = anisotropic_albedo();
        const u32 row = (kBrushRoughnesses - 1) * kBrushWidths * kBrushCosines;
        for (u32 i = 0; i < kBrushCosines; ++i) {
            for (u32 w = 1; w < kBrushWidths; ++w) {
                CHECK(table[row + w * kBrushCosines + i] ==
                      doctest::Approx(table[row + i]).epsilon(0.002));
            }
        }
    }
}
