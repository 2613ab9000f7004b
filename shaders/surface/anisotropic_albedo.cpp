// anisotropic_albedo.cpp — how much a perfectly reflecting anisotropic surface gives back, and
// which part of that grazes its facets, integrated by cosine, azimuth and both roughnesses
// (albedo_tables.h).
#include "shaders/host/scene_view.h"
#include "shaders/surface/albedo_tables.h"
#include "shaders/surface/facet_view.h"

namespace weft::shaders {

namespace {

// Points of one entry at refinement 1: radii of the disk, and a whole turn of angles.
constexpr u32 kRadii = 10;
constexpr u32 kAngles = 24;
constexpr double kLeastCosine = 1e-3;  // stands for 0

// Roughnesses √α along the tangent and across it, and that in the plane of incidence.
struct Brush {
    double along;
    double across;
    double seen;
};

// cos² of the azimuth at which the surface looks as rough as `seen` says; any where none differs.
double squared_azimuth(const Brush& brush) {
    const double along = square(square(brush.along));
    const double across = square(square(brush.across));
    const double span = along - across;
    return span > 0 ? std::clamp((square(square(brush.seen)) - across) / span, 0.0, 1.0) : 0.5;
}

// One entry: E_ss and the fifth root of B's share.
void integrate_entry(const Brush& brush,
                     double cosine,
                     const DiskPoints& points,
                     std::vector<float>& table) {
    const FacetTag tag;
    const double azimuth2 = squared_azimuth(brush);
    const double sine = std::sqrt(1 - cosine * cosine);
    const FacetView view(square(brush.along),
                         square(brush.across),
                         sine * std::sqrt(azimuth2),
                         sine * std::sqrt(1 - azimuth2),
                         cosine);
    const FacetLanes one = hn::Set(tag, 1);
    FacetLanes whole = hn::Zero(tag);
    FacetLanes grazing = hn::Zero(tag);
    for (u32 first = 0; first < points.x.size(); first += kFacetLanes) {
        const FacetView::Facets h = view.facets(&points.x[first], &points.y[first]);
        const FacetLanes part = hn::LoadU(tag, &points.share[first]) * h.mirrored;
        const FacetLanes g = one - h.view_half;
        whole = whole + part;
        grazing = grazing + part * (g * g * g * g * g);
    }
    const double e = sum_of(whole);
    table.push_back(static_cast<float>(e));
    table.push_back(static_cast<float>(pow_of(std::clamp(sum_of(grazing) / e, 0.0, 1.0), 0.2)));
}

}  // namespace

std::vector<float> integrate_anisotropic_albedo(u32 refinement) {
    std::vector<float> table;
    table.reserve(std::size_t{2} * kBrushStrengths * kBrushRoughnesses * kBrushWidths *
                  kBrushCosines);
    const DiskPoints points = disk_points(kRadii * refinement, kAngles * refinement, 0, 2 * kPi);
    for (u32 s = 0; s < kBrushStrengths; ++s) {
        for (u32 j = 0; j < kBrushRoughnesses; ++j) {
            const double across = table_roughness(j, kBrushRoughnesses);
            const double along = across + (1 - across) * s / (kBrushStrengths - 1);
            for (u32 w = 0; w < kBrushWidths; ++w) {
                const double seen = across + (along - across) * w / (kBrushWidths - 1);
                for (u32 i = 0; i < kBrushCosines; ++i) {
                    const double cosine = cosine_at(1.0 * i / (kBrushCosines - 1), seen);
                    integrate_entry(
                        {along, across, seen}, std::max(cosine, kLeastCosine), points, table);
                }
            }
        }
    }
    return table;
}

}  // namespace weft::shaders
