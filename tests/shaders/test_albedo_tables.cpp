#include <algorithm>
#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include "shaders/host/scene_view.h"
#include "shaders/surface/albedo_tables.h"
#include "shaders/surface/glass_view.h"
#include "shaders/surface/table_fit.h"

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
    TEST_CASE("the table that kernels read holds both parts by turns and repeats its last row") {
        const AlbedoTables& parts = albedo_tables();
        const std::vector<float>& pairs = ggx_albedo();
        REQUIRE(pairs.size() == std::size_t{2} * kGgxAlbedoSize * kGgxAlbedoSize);
        for (u32 j = 0; j < kGgxAlbedoSize; ++j) {
            for (u32 i = 0; i < kAlbedoSize; ++i) {
                const u32 from = std::min(j, kAlbedoSize - 1) * kAlbedoSize + i;
                const u32 at = 2 * (j * kGgxAlbedoSize + i);
                CHECK(pairs[at] == parts.ggx_a[from]);
                CHECK(pairs[at + 1] == parts.ggx_b[from]);
            }
        }
    }

    TEST_CASE("the table that kernels read goes on to the albedo at cosine 1") {
        const std::vector<float>& pairs = ggx_albedo();
        for (const u32 row : {4U, 8U, 15U, 23U, kAlbedoSize - 1}) {
            const double roughness = row / (kAlbedoSize - 1.0);
            const Albedo truth = integrate_over_lights(roughness * roughness, 1, 400000, 1);
            // Halfway between the last entry and the one behind it.
            const std::size_t last = 2 * (std::size_t{row} * kGgxAlbedoSize + kAlbedoSize - 1);
            const auto middle = [&](std::size_t part) {
                return static_cast<double>(pairs[last + part] + pairs[last + 2 + part]) / 2;
            };
            CAPTURE(row);
            CHECK(middle(0) == doctest::Approx(truth.a).epsilon(0.001));
            CHECK(std::fabs(middle(1) - truth.b) < 1e-4);
        }
    }

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

    TEST_CASE("the build stores the bits that this program integrates") {
        const AlbedoTables albedos = integrate_albedo_tables(1);
        CHECK(albedo_tables().ggx_a == albedos.ggx_a);
        CHECK(albedo_tables().ggx_b == albedos.ggx_b);
        CHECK(albedo_tables().sheen == albedos.sheen);
        CHECK(anisotropic_albedo() == integrate_anisotropic_albedo(1));
        const GlassLosses losses = integrate_glass_losses(1);
        CHECK(glass_losses().loss == losses.loss);
        CHECK(glass_losses().mean == losses.mean);
        CHECK(glass_anisotropy() == integrate_glass_anisotropy(losses));
    }

    TEST_CASE("more points change glass and brushed metal little") {
        const GlassLosses fine = integrate_glass_losses(2);
        REQUIRE(fine.mean.size() == kLossIndices * kLossRoughnesses);
        REQUIRE(fine.loss.size() == fine.mean.size() * kLossCosines);
        // Single entries lie next to edges: total reflection, grazing facets.
        CHECK(worst_difference(glass_losses().loss, fine.loss) < 0.01f);
        CHECK(worst_difference(glass_losses().mean, fine.mean) < 3e-4f);
        CHECK(worst_difference(anisotropic_albedo(), integrate_anisotropic_albedo(4)) < 0.01f);
    }

    TEST_CASE("glass of the index around it loses what each of its facets hides") {
        // Nothing is reflected or bent: what leaves is G1 of the view.
        const GlassIndices indices(3);
        const DiskPoints points = disk_points(64, 48, 0, kTurn);
        for (const double along : {0.01, 0.1, 0.5, 1.0}) {
            for (const double across : {0.01, 0.2, 1.0}) {
                for (const double cosine : {0.05, 0.2, 0.6, 0.95}) {
                    const double sine = std::sqrt(1 - cosine * cosine);
                    const double x = 0.6 * sine;
                    const double y = 0.8 * sine;
                    const double slope = square(along * x) + square(across * y);
                    const double masked = 2 / (1 + std::sqrt(1 + slope / square(cosine)));
                    const GlassView view(along, across, x, y, cosine);
                    CAPTURE(along);
                    CAPTURE(across);
                    CAPTURE(cosine);
                    CHECK(std::fabs(static_cast<double>(view.kept(points, indices)[1]) - masked) <
                          2e-4);
                }
            }
        }
    }

    TEST_CASE("fitted entries of a parabola err as much to one side as to the other") {
        constexpr u32 kSize = 6;
        std::vector<float> table;
        for (u32 i = 0; i < kSize * kSize; ++i) {
            const auto x = static_cast<float>(i / kSize);
            const auto y = static_cast<float>(i % kSize);
            table.push_back(x * x + 3 * y * y);
        }
        fit_linear(table, std::array{kSize, kSize});
        // The mean over the innermost cell of bilinear patches is that of its corners.
        const float mean = (table[14] + table[15] + table[20] + table[21]) / 4;
        CHECK(mean == doctest::Approx(6.25 + 1.0 / 12 + 3 * (6.25 + 1.0 / 12)).epsilon(1e-5));
        CHECK(table[0] == 0);
    }

    TEST_CASE("means of glass losses are twice the integral of loss times cosine") {
        const GlassLosses& table = glass_losses();
        constexpr u32 kSteps = 2000;
        for (const u32 row : {0u, 7u, 16u, 23u}) {
            for (const u32 slice : {4u, 20u, 24u, 30u, 48u}) {
                const double least = kLeastRoughness;
                const double roughness = least + (1 - least) * row / (kLossRoughnesses - 1);
                const float* entries = &table.loss[(slice * kLossRoughnesses + row) * kLossCosines];
                double mean = 0;
                for (u32 k = 0; k < kSteps; ++k) {
                    const double cosine = (k + 0.5) / kSteps;
                    const double at = cosine_coordinate(cosine, roughness) * (kLossCosines - 1);
                    const u32 i = std::min(static_cast<u32>(at), kLossCosines - 2);
                    const double low = entries[i];
                    const double high = entries[i + 1];
                    mean += 2 * cosine * (low + (high - low) * (at - i)) / kSteps;
                }
                CHECK(static_cast<double>(table.mean[slice * kLossRoughnesses + row]) ==
                      doctest::Approx(mean).epsilon(0.001));
            }
        }
    }

    TEST_CASE("a perfect mirror of equal roughnesses is the isotropic one") {
        const std::vector<float>& table = anisotropic_albedo();
        for (const u32 j : {6u, 12u, 19u}) {
            const double least = kLeastRoughness;
            const double roughness = least + (1 - least) * j / (kBrushRoughnesses - 1);
            for (u32 i = 4; i < kBrushCosines; ++i) {
                const double cosine = cosine_at(1.0 * i / (kBrushCosines - 1), roughness);
                const Albedo truth = integrate_over_lights(roughness * roughness, cosine, 600, 600);
                const std::size_t entry = 2 * (std::size_t{j} * kBrushWidths * kBrushCosines + i);
                const double share = std::pow(static_cast<double>(table[entry + 1]), 5);
                CHECK(static_cast<double>(table[entry]) ==
                      doctest::Approx(truth.a + truth.b).epsilon(0.003));
                CHECK(std::fabs(static_cast<double>(table[entry]) * share - truth.b) < 3e-3);
            }
        }
    }

    TEST_CASE("no strength is no anisotropy whatever the azimuth") {
        const std::vector<float>& table = anisotropic_albedo();
        const u32 row = 2 * (kBrushRoughnesses - 1) * kBrushWidths * kBrushCosines;
        for (u32 i = 0; i < kBrushCosines; ++i) {
            for (u32 w = 1; w < kBrushWidths; ++w) {
                CHECK(table[row + 2 * (w * kBrushCosines + i)] ==
                      doctest::Approx(table[row + 2 * i]).epsilon(0.002));
            }
        }
    }
}
