// glass_losses.cpp — what rough glass loses between its facets, integrated by cosine, roughness and
// index (albedo_tables.h).
#include <array>

#include "shaders/host/scene_view.h"
#include "shaders/surface/albedo_tables.h"
#include "shaders/surface/facet_view.h"

namespace weft::shaders {

namespace {

// Points of one entry at refinement 1: radii of the disk, and half a turn of angles.
constexpr u32 kRadii = 32;
constexpr u32 kAngles = 24;
constexpr double kLeastCosine = 1e-4;  // stands for 0
constexpr u32 kParts = 8;              // of one step between cosines, for means

// One number for each slice; spare ones at the end are never read.
using Slices = std::array<float, (kLossIndices + kFacetLanes - 1) / kFacetLanes * kFacetLanes>;

struct Indices {
    Slices eta;  // η_t / η_i
    Slices inverse;
};

Indices table_indices() {
    Indices indices;
    indices.eta.fill(1);
    indices.inverse.fill(1);
    for (u32 k = 0; k < kLossIndices; ++k) {
        // z (1.4 − 0.4 z) = |w|
        const double w = 2.0 * k / (kLossIndices - 1) - 1;
        const double z = (1.4 - std::sqrt(1.96 - 1.6 * std::fabs(w))) / 0.8;
        const double root = static_cast<double>(kLossReach) * z;
        const double x = std::copysign(root * root, w);
        indices.eta[k] = static_cast<float>((1 + x) / (1 - x));
        indices.inverse[k] = static_cast<float>((1 - x) / (1 + x));
    }
    return indices;
}

double table_roughness(u32 row) {
    constexpr double kLeast = kLeastRoughness;
    return kLeast + (1 - kLeast) * row / (kLossRoughnesses - 1);
}

// One facet and what it does with light.
struct SeenFacet {
    float view_half;  // its cosine with the view
    float z;
    float mirrored;  // share of the mirrored light that leaves
    float share;     // of all facets; 0 where it is turned away
};

void store(const FacetView::Facets& facets,
           const float* share,
           std::array<SeenFacet, kFacetLanes>& seen) {
    const FacetTag tag;
    std::array<float, kFacetLanes> view_half;
    std::array<float, kFacetLanes> z;
    std::array<float, kFacetLanes> mirrored;
    hn::StoreU(facets.view_half, tag, view_half.data());
    hn::StoreU(facets.z, tag, z.data());
    hn::StoreU(facets.mirrored, tag, mirrored.data());
    for (u32 i = 0; i < kFacetLanes; ++i) {
        const bool is_seen = view_half[i] > 0;
        seen[i] = {is_seen ? view_half[i] : 1, z[i], mirrored[i], is_seen ? share[i] : 0};
    }
}

// One view's cosine and α², in every lane.
struct ViewLanes {
    FacetLanes cosine;
    FacetLanes alpha_squared;
};

// Share of the light that leaves after one facet reflects and refracts it. Where all is reflected,
// `beyond` is 0 and the reflectance 1.
FacetLanes kept_by_facet(const SeenFacet& h,
                         const ViewLanes& view,
                         FacetLanes eta,
                         FacetLanes inverse) {
    const FacetTag tag;
    const FacetLanes one = hn::Set(tag, 1);
    const FacetLanes zero = hn::Zero(tag);
    const FacetLanes c = hn::Set(tag, h.view_half);
    const FacetLanes sine2 = hn::Set(tag, 1 - h.view_half * h.view_half);
    const FacetLanes beyond = hn::Sqrt(hn::Max(one - sine2 * inverse * inverse, zero));
    const FacetLanes across = (c - eta * beyond) / (c + eta * beyond);
    const FacetLanes along = (eta * c - beyond) / (eta * c + beyond);
    const FacetLanes reflectance = hn::Set(tag, 0.5f) * (across * across + along * along);
    // Cosine of the refracted direction below the surface, and its G1.
    const FacetLanes bent = view.cosine * inverse - hn::Set(tag, h.z) * (c * inverse - beyond);
    const FacetLanes down = hn::Min(hn::Max(bent, zero), one);
    const FacetLanes slope = hn::Sqrt(down * down + view.alpha_squared * (one - down * down));
    const FacetLanes passed = (down + down) / (down + slope);
    return reflectance * hn::Set(tag, h.mirrored) + (one - reflectance) * passed;
}

// What a surface gives back of light from one direction, by index.
Slices kept_from(double roughness,
                 double cosine,
                 const DiskPoints& points,
                 const Indices& indices) {
    const double alpha = roughness * roughness;
    const FacetTag tag;
    const FacetView view(alpha, alpha, std::sqrt(1 - cosine * cosine), 0, cosine);
    const ViewLanes lanes = {hn::Set(tag, static_cast<float>(cosine)),
                             hn::Set(tag, static_cast<float>(alpha * alpha))};
    Slices kept{};
    for (u32 first = 0; first < points.x.size(); first += kFacetLanes) {
        const FacetView::Facets facets = view.facets(&points.x[first], &points.y[first]);
        std::array<SeenFacet, kFacetLanes> seen;
        store(facets, &points.share[first], seen);
        for (const SeenFacet& h : seen) {
            const FacetLanes share = hn::Set(tag, h.share);
            for (u32 k = 0; k < kLossIndices; k += kFacetLanes) {
                const FacetLanes left = kept_by_facet(
                    h, lanes, hn::LoadU(tag, &indices.eta[k]), hn::LoadU(tag, &indices.inverse[k]));
                const FacetLanes sum = hn::LoadU(tag, &kept[k]) + share * left;
                hn::StoreU(sum, tag, &kept[k]);
            }
        }
    }
    return kept;
}

// The weights of a row's entries in its mean, 2 ∫ L μ dμ; the row is straight between coordinates
// of cosines. Midpoints of μ² in even parts of each step.
std::vector<double> mean_weights(const std::vector<double>& cosines, double roughness) {
    std::vector<double> weights(kLossCosines);
    for (u32 i = 0; i + 1 < kLossCosines; ++i) {
        const double start = i == 0 ? 0 : cosines[i] * cosines[i];
        const double part = (cosines[i + 1] * cosines[i + 1] - start) / kParts;
        for (u32 k = 0; k < kParts; ++k) {
            const double cosine = std::sqrt(start + (k + 0.5) * part);
            const double of_next = cosine_coordinate(cosine, roughness) * (kLossCosines - 1) - i;
            weights[i] += part * (1 - of_next);
            weights[i + 1] += part * of_next;
        }
    }
    return weights;
}

// All entries of one roughness.
void integrate_row(u32 row, const DiskPoints& points, const Indices& indices, GlassLosses& table) {
    const double roughness = table_roughness(row);
    std::vector<double> cosines;
    for (u32 i = 0; i < kLossCosines; ++i) {
        const double coordinate = static_cast<double>(i) / (kLossCosines - 1);
        const double cosine = i + 1 == kLossCosines ? 1 : cosine_at(coordinate, roughness);
        cosines.push_back(std::max(cosine, kLeastCosine));
    }
    const std::vector<double> weights = mean_weights(cosines, roughness);
    std::vector<double> means(kLossIndices);
    for (u32 i = 0; i < kLossCosines; ++i) {
        const Slices kept = kept_from(roughness, cosines[i], points, indices);
        for (u32 k = 0; k < kLossIndices; ++k) {
            const float loss = std::max(0.0f, 1 - kept[k]);
            table.loss[(k * kLossRoughnesses + row) * kLossCosines + i] = loss;
            means[k] += weights[i] * static_cast<double>(loss);
        }
    }
    for (u32 k = 0; k < kLossIndices; ++k) {
        table.mean[k * kLossRoughnesses + row] = static_cast<float>(means[k]);
    }
}

}  // namespace

GlassLosses integrate_glass_losses(u32 refinement) {
    constexpr u32 kRows = kLossIndices * kLossRoughnesses;
    GlassLosses table{std::vector<float>(kRows * kLossCosines), std::vector<float>(kRows)};
    const Indices indices = table_indices();
    const DiskPoints points =
        disk_points(kRadii * refinement, kAngles * refinement, -0.5 * kPi, kPi);
    for (u32 row = 0; row < kLossRoughnesses; ++row) {
        integrate_row(row, points, indices, table);
    }
    return table;
}

const GlassLosses& glass_losses() {
    static const GlassLosses kTable = integrate_glass_losses(1);
    return kTable;
}

}  // namespace weft::shaders
