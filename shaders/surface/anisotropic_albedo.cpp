// anisotropic_albedo.cpp — how much a perfectly reflecting anisotropic surface gives back,
// integrated by cosine, azimuth, roughness and strength (albedo_tables.h).
#include "shaders/host/scene_view.h"
#include "shaders/surface/albedo_tables.h"
#include "shaders/surface/facet_view.h"

namespace weft::shaders {

namespace {

// Points of one entry at refinement 1: radii of the disk, and a whole turn of angles.
constexpr u32 kRadii = 10;
constexpr u32 kAngles = 24;
constexpr double kLeastCosine = 1e-3;  // stands for 0

// cos² of the azimuth at which the surface looks as rough as `width` (scene_view.h) says.
double squared_azimuth(double along, double across, double width) {
    const double root = std::sqrt(across) + (std::sqrt(along) - std::sqrt(across)) * width;
    const double seen = root * root;
    const double span = along * along - across * across;
    return span > 0 ? std::clamp((seen * seen - across * across) / span, 0.0, 1.0) : width;
}

double albedo(double along,
              double across,
              double cosine,
              double azimuth2,
              const std::vector<DiskPoint>& points) {
    const double sine = std::sqrt(1 - cosine * cosine);
    const FacetView view(
        along, across, sine * std::sqrt(azimuth2), sine * std::sqrt(1 - azimuth2), cosine);
    double sum = 0;
    for (const DiskPoint& point : points) {
        sum += point.share * view.mirrored(view.facet(point));
    }
    return sum;
}

}  // namespace

std::vector<float> integrate_anisotropic_albedo(u32 refinement) {
    std::vector<float> table;
    table.reserve(std::size_t{kBrushStrengths} * kBrushRoughnesses * kBrushWidths * kBrushCosines);
    const std::vector<DiskPoint> points =
        disk_points(kRadii * refinement, kAngles * refinement, 0, 2 * kPi);
    for (u32 s = 0; s < kBrushStrengths; ++s) {
        for (u32 j = 0; j < kBrushRoughnesses; ++j) {
            const double strength = static_cast<double>(s) / (kBrushStrengths - 1);
            const double roughness = static_cast<double>(j) / (kBrushRoughnesses - 1);
            const double across = std::max(roughness * roughness, 0.001);
            const double along = across + (1 - across) * strength * strength;
            for (u32 w = 0; w < kBrushWidths; ++w) {
                const double width = static_cast<double>(w) / (kBrushWidths - 1);
                const double azimuth2 = squared_azimuth(along, across, width);
                for (u32 i = 0; i < kBrushCosines; ++i) {
                    const double root = static_cast<double>(i) / (kBrushCosines - 1);
                    const double cosine = std::max(root * root, kLeastCosine);
                    table.push_back(
                        static_cast<float>(albedo(along, across, cosine, azimuth2, points)));
                }
            }
        }
    }
    return table;
}

const std::vector<float>& anisotropic_albedo() {
    static const std::vector<float> kTable = integrate_anisotropic_albedo(1);
    return kTable;
}

}  // namespace weft::shaders
