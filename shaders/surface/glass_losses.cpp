// glass_losses.cpp — what rough glass loses between its facets, integrated by cosine, roughness and
// index (albedo_tables.h).
#include <array>

#include "shaders/host/scene_view.h"
#include "shaders/surface/albedo_tables.h"
#include "shaders/surface/glass_view.h"
#include "shaders/surface/table_fit.h"

namespace weft::shaders {

namespace {

// Points of one entry at refinement 1: radii of the disk, and half a turn of angles.
constexpr u32 kRadii = 64;
constexpr u32 kAngles = 48;
constexpr double kLeastCosine = 1e-4;  // stands for 0
constexpr u32 kParts = 8;              // of one step between cosines, for means

// The weights of a row's entries in its mean, 2 ∫ L μ dμ; the row is straight between coordinates
// of cosines. Midpoints of μ² in even parts of each step.
std::vector<double> mean_weights(double roughness) {
    std::vector<double> weights(kLossCosines);
    for (u32 i = 0; i + 1 < kLossCosines; ++i) {
        const double start = square(cosine_at(1.0 * i / (kLossCosines - 1), roughness));
        const double end = square(cosine_at(1.0 * (i + 1) / (kLossCosines - 1), roughness));
        const double part = (end - start) / kParts;
        for (u32 k = 0; k < kParts; ++k) {
            const double cosine = std::sqrt(start + (k + 0.5) * part);
            const double of_next = cosine_coordinate(cosine, roughness) * (kLossCosines - 1) - i;
            weights[i] += part * (1 - of_next);
            weights[i + 1] += part * of_next;
        }
    }
    return weights;
}

// All losses of one roughness.
void integrate_row(u32 row,
                   const DiskPoints& points,
                   const GlassIndices& indices,
                   std::vector<float>& table) {
    const double roughness = table_roughness(row, kLossRoughnesses);
    const double alpha = square(roughness);
    for (u32 i = 0; i < kLossCosines; ++i) {
        const double cosine =
            std::max(cosine_at(1.0 * i / (kLossCosines - 1), roughness), kLeastCosine);
        const GlassView view(alpha, alpha, std::sqrt(1 - cosine * cosine), 0, cosine);
        const std::vector<float> kept = view.kept(points, indices);
        for (u32 k = 0; k < kLossIndices; ++k) {
            table[(k * kLossRoughnesses + row) * kLossCosines + i] = 1 - kept[k];
        }
    }
}

}  // namespace

GlassLosses integrate_glass_losses(u32 refinement) {
    constexpr u32 kRows = kLossIndices * kLossRoughnesses;
    GlassLosses table{std::vector<float>(kRows * kLossCosines), std::vector<float>(kRows)};
    const GlassIndices indices(kLossIndices);
    const DiskPoints points =
        disk_points(kRadii * refinement, kAngles * refinement, -0.5 * kPi, kPi);
    for (u32 row = 0; row < kLossRoughnesses; ++row) {
        integrate_row(row, points, indices, table.loss);
    }
    fit_linear(table.loss, std::array{kLossIndices, kLossRoughnesses, kLossCosines});
    for (float& loss : table.loss) {
        loss = std::max(0.0f, loss);
    }
    for (u32 j = 0; j < kLossRoughnesses; ++j) {
        const std::vector<double> weights = mean_weights(table_roughness(j, kLossRoughnesses));
        for (u32 k = 0; k < kLossIndices; ++k) {
            const u32 row = k * kLossRoughnesses + j;
            double mean = 0;
            for (u32 i = 0; i < kLossCosines; ++i) {
                mean += weights[i] * static_cast<double>(table.loss[row * kLossCosines + i]);
            }
            table.mean[row] = static_cast<float>(mean);
        }
    }
    return table;
}

}  // namespace weft::shaders
