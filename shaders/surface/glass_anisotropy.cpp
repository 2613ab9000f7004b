// glass_anisotropy.cpp — what anisotropic glass loses more, or less, than isotropic glass of its
// mean roughness does, integrated by cosine, azimuth, both roughnesses and index (albedo_tables.h).
#include <array>

#include "shaders/host/scene_view.h"
#include "shaders/surface/albedo_tables.h"
#include "shaders/surface/glass_view.h"
#include "shaders/surface/table_fit.h"

namespace weft::shaders {

namespace {

// Points of one entry: radii of the disk, and a whole turn of angles.
constexpr u32 kRadii = 40;
constexpr u32 kAngles = 32;
constexpr double kLeastCosine = 1e-3;  // stands for 0

// Where x is between the entries of an axis, x in entries.
struct Between {
    u32 low;
    double share;  // of the next entry

    Between(double x, u32 size)
        : low(static_cast<u32>(std::clamp(x, 0.0, size - 2.0))),
          share(std::clamp(x - low, 0.0, 1.0)) {}
};

// Loss of isotropic glass at entry `slice` of the indices.
double isotropic_loss(const GlassLosses& losses, u32 slice, double roughness, double cosine) {
    constexpr double kLeast = kLeastRoughness;
    const Between j((roughness - kLeast) / (1 - kLeast) * (kLossRoughnesses - 1), kLossRoughnesses);
    const Between i(cosine_coordinate(cosine, roughness) * (kLossCosines - 1), kLossCosines);
    const auto of_row = [&](u32 row) {
        const float* entry = &losses.loss[(slice * kLossRoughnesses + row) * kLossCosines + i.low];
        const double low = entry[0];
        const double high = entry[1];
        return low + (high - low) * i.share;
    };
    const double low = of_row(j.low);
    return low + (of_row(j.low + 1) - low) * j.share;
}

// Cosine of the azimuth at a coordinate q = (1 + c − s)/2, with s² + c² = 1: then c − s = 2q − 1.
double azimuth_cosine(double coordinate) {
    const double difference = 2 * coordinate - 1;
    return 0.5 * (difference + std::sqrt(2 - square(difference)));
}

}  // namespace

std::vector<float> integrate_glass_anisotropy(const GlassLosses& losses) {
    constexpr std::array kSizes = {
        kGlassIndices, kGlassStrengths, kGlassRoughnesses, kGlassAzimuths, kGlassCosines};
    constexpr u32 kSlice = kGlassStrengths * kGlassRoughnesses * kGlassAzimuths * kGlassCosines;
    constexpr u32 kLossStep = (kLossIndices - 1) / (kGlassIndices - 1);
    std::vector<float> table(std::size_t{kGlassIndices} * kSlice);
    const GlassIndices indices(kGlassIndices);
    const DiskPoints points = disk_points(kRadii, kAngles, 0, 2 * kPi);
    // Strength 0, the first block of a slice, is isotropic: nothing more is lost.
    for (u32 entry = kSlice / kGlassStrengths; entry < kSlice; ++entry) {
        const u32 s = entry / kGlassCosines / kGlassAzimuths / kGlassRoughnesses;
        const u32 j = entry / kGlassCosines / kGlassAzimuths % kGlassRoughnesses;
        const u32 w = entry / kGlassCosines % kGlassAzimuths;
        const u32 i = entry % kGlassCosines;
        const double across = table_roughness(j, kGlassRoughnesses);
        const double along = across + (1 - across) * s / (kGlassStrengths - 1);
        const double mean =
            std::sqrt(std::sqrt(0.5 * (square(square(along)) + square(square(across)))));
        const double cosine =
            std::max(cosine_at(1.0 * i / (kGlassCosines - 1), mean), kLeastCosine);
        const double sine = std::sqrt(1 - square(cosine));
        const double c = azimuth_cosine(1.0 * w / (kGlassAzimuths - 1));
        const GlassView view(
            square(along), square(across), sine * c, sine * std::sqrt(1 - square(c)), cosine);
        const std::vector<float> kept = view.kept(points, indices);
        for (u32 k = 0; k < kGlassIndices; ++k) {
            const double lost = 1 - static_cast<double>(kept[k]);
            table[k * kSlice + entry] =
                static_cast<float>(lost - isotropic_loss(losses, k * kLossStep, mean, cosine));
        }
    }
    fit_linear(table, kSizes);
    return table;
}

}  // namespace weft::shaders
