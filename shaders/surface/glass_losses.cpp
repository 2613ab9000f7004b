// glass_losses.cpp — what rough glass loses between its facets, integrated by cosine, roughness and
// index (albedo_tables.h).
#include "shaders/host/scene_view.h"
#include "shaders/surface/albedo_tables.h"
#include "shaders/surface/facet_view.h"

namespace weft::shaders {

namespace {

// Points of one entry at refinement 1: radii of the disk, and half a turn of angles.
constexpr u32 kRadii = 32;
constexpr u32 kAngles = 12;
constexpr double kLeastCosine = 1e-3;  // stands for 0

// One slice of the table.
struct Index {
    double eta;      // η_t / η_i
    double inverse;  // 1 / η
    bool is_mirror;  // the ends of the table, where nothing passes
};

std::vector<Index> table_indices() {
    std::vector<Index> indices;
    for (u32 k = 0; k < kLossIndices; ++k) {
        const double y = 2.0 * k / (kLossIndices - 1) - 1;
        const double x = y * std::fabs(y);
        const bool is_end = k == 0 || k + 1 == kLossIndices;
        const double eta = is_end ? 1 : (1 + x) / (1 - x);
        indices.push_back({eta, 1 / eta, is_end});
    }
    return indices;
}

// What one facet does with light of one index: reflects F of it, of which `mirrored` leaves, and
// refracts the rest, of which G1 leaves.
double kept_by_facet(const FacetView::Facet& h,
                     double mirrored,
                     double view_cosine,
                     double alpha,
                     const Index& index) {
    const double c = std::min(h.view_half, 1.0);
    const double sine2_beyond = (1 - c * c) * index.inverse * index.inverse;
    if (index.is_mirror || sine2_beyond >= 1) {
        return mirrored;
    }
    const double beyond = std::sqrt(1 - sine2_beyond);
    const double across = (c - index.eta * beyond) / (c + index.eta * beyond);
    const double along = (index.eta * c - beyond) / (index.eta * c + beyond);
    const double reflectance = 0.5 * (across * across + along * along);
    // Cosine of the refracted direction below the surface.
    const double down = view_cosine * index.inverse - h.z * (c * index.inverse - beyond);
    const double passed = down > 0 ? 1 / (1 + smith_lambda(alpha, std::min(down, 1.0))) : 0;
    return reflectance * mirrored + (1 - reflectance) * passed;
}

// Adds to `kept` what a surface gives back of light from one direction, by index.
void add_view(double roughness,
              double cosine,
              const std::vector<DiskPoint>& points,
              const std::vector<Index>& indices,
              std::vector<double>& kept) {
    const double alpha = std::max(roughness * roughness, 0.001);
    const FacetView view(alpha, alpha, std::sqrt(1 - cosine * cosine), 0, cosine);
    for (const DiskPoint& point : points) {
        const FacetView::Facet h = view.facet(point);
        if (!(h.view_half > 0)) {
            continue;
        }
        const double mirrored = view.mirrored(h);
        for (std::size_t k = 0; k < indices.size(); ++k) {
            kept[k] += point.share * kept_by_facet(h, mirrored, cosine, alpha, indices[k]);
        }
    }
}

// 2 ∫ L μ dμ of the polygon through a row's entries, which is straight between roots of cosines t:
// ∫ 4 t³ L dt.
double mean_of_row(const float* row) {
    constexpr double kStep = 1.0 / (kLossCosines - 1);
    double sum = 0;
    for (u32 i = 0; i + 1 < kLossCosines; ++i) {
        const double left = i * kStep;
        const double right = (i + 1) * kStep;
        const double left4 = left * left * left * left;
        const double right4 = right * right * right * right;
        const double whole = right4 - left4;
        const double of_right = (0.8 * (right4 * right - left4 * left) - left * whole) / kStep;
        sum += static_cast<double>(row[i]) * (whole - of_right) +
               static_cast<double>(row[i + 1]) * of_right;
    }
    return sum;
}

}  // namespace

GlassLosses integrate_glass_losses(u32 refinement) {
    constexpr u32 kRows = kLossIndices * kLossRoughnesses;
    GlassLosses table{std::vector<float>(kRows * kLossCosines), std::vector<float>(kRows)};
    const std::vector<Index> indices = table_indices();
    const std::vector<DiskPoint> points =
        disk_points(kRadii * refinement, kAngles * refinement, -0.5 * kPi, kPi);
    // Row 0 stays 0: facets of a smooth surface hide nothing from each other.
    for (u32 j = 1; j < kLossRoughnesses; ++j) {
        for (u32 i = 0; i < kLossCosines; ++i) {
            const double root = static_cast<double>(i) / (kLossCosines - 1);
            std::vector<double> kept(indices.size());
            add_view(static_cast<double>(j) / (kLossRoughnesses - 1),
                     std::max(root * root, kLeastCosine),
                     points,
                     indices,
                     kept);
            for (u32 k = 0; k < kLossIndices; ++k) {
                table.loss[(k * kLossRoughnesses + j) * kLossCosines + i] =
                    static_cast<float>(std::max(0.0, 1 - kept[k]));
            }
        }
    }
    for (u32 row = 0; row < kRows; ++row) {
        table.mean[row] = static_cast<float>(mean_of_row(&table.loss[row * kLossCosines]));
    }
    return table;
}

const GlassLosses& glass_losses() {
    static const GlassLosses kTable = integrate_glass_losses(1);
    return kTable;
}

}  // namespace weft::shaders
