// glass_view.h — what a rough glass surface returns, reflected or refracted once, of the light from
// one direction, for many indices at a time: the integral behind the tables of glass losses.
//
// Four indices share each visible facet. Single precision without fusing, as facet_view.h. Pure.
#pragma once

#include "shaders/surface/facet_view.h"

namespace weft::shaders {

// Indices η_t / η_i, rounded up to whole lanes; spare ones are 1.
struct GlassIndices {
    std::vector<float> eta;
    std::vector<float> inverse;

    // Those of `count` entries of a table's axis (scene_view.h: glass losses).
    explicit GlassIndices(u32 count)
        : eta((count + kFacetLanes - 1) / kFacetLanes * kFacetLanes, 1.0f), inverse(eta) {
        for (u32 k = 0; k < count; ++k) {
            // z (1.4 − 0.4 z) = |w|
            const double w = 2.0 * k / (count - 1) - 1;
            const double z = (1.4 - std::sqrt(1.96 - 1.6 * std::fabs(w))) / 0.8;
            const double x = std::copysign(square(double{kLossReach} * z), w);
            eta[k] = static_cast<float>((1 + x) / (1 - x));
            inverse[k] = static_cast<float>((1 - x) / (1 + x));
        }
    }
};

class GlassView {
public:
    // Roughnesses α along the tangent and across it; the viewer at (x, y, z), of unit length.
    GlassView(double along, double across, double x, double y, double z)
        : facets_(along, across, x, y, z),
          along_(number(along)),
          across_(number(across)),
          view_{number(x), number(y), number(z)} {}

    // One share of the light per index of `indices`.
    [[nodiscard]] std::vector<float> kept(const DiskPoints& points,
                                          const GlassIndices& indices) const {
        const FacetTag tag;
        std::vector<float> kept(indices.eta.size());
        for (u32 first = 0; first < points.x.size(); first += kFacetLanes) {
            const FacetView::Facets four = facets_.facets(&points.x[first], &points.y[first]);
            std::array<Facet, kFacetLanes> seen;
            split(four, &points.share[first], seen);
            for (const Facet& h : seen) {
                const FacetLanes share = hn::Set(tag, h.share);
                for (u32 k = 0; k < kept.size(); k += kFacetLanes) {
                    const FacetLanes left = kept_by(
                        h, hn::LoadU(tag, &indices.eta[k]), hn::LoadU(tag, &indices.inverse[k]));
                    hn::StoreU(hn::LoadU(tag, &kept[k]) + share * left, tag, &kept[k]);
                }
            }
        }
        return kept;
    }

private:
    struct Facet {
        float x, y, z;
        float view_half;  // its cosine with the view
        float mirrored;   // share of the mirrored light that leaves
        float share;      // of all facets; 0 where it is turned away
    };

    static FacetLanes number(double x) { return hn::Set(FacetTag(), static_cast<float>(x)); }

    static void split(const FacetView::Facets& four,
                      const float* share,
                      std::array<Facet, kFacetLanes>& seen) {
        const std::array<FacetLanes, 5> rows = {
            four.x, four.y, four.z, four.view_half, four.mirrored};
        std::array<std::array<float, kFacetLanes>, 5> f;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            hn::StoreU(rows[k], FacetTag(), f[k].data());
        }
        for (u32 i = 0; i < kFacetLanes; ++i) {
            const bool is_seen = f[3][i] > 0;
            seen[i] = {
                f[0][i], f[1][i], f[2][i], is_seen ? f[3][i] : 1, f[4][i], is_seen ? share[i] : 0};
        }
    }

    // Share of the light that leaves after one facet reflects and refracts it. Where all is
    // reflected, `beyond` is 0 and the reflectance 1.
    [[nodiscard]] FacetLanes kept_by(const Facet& h, FacetLanes eta, FacetLanes inverse) const {
        const FacetTag tag;
        const FacetLanes one = number(1);
        const FacetLanes zero = hn::Zero(tag);
        const FacetLanes c = hn::Set(tag, h.view_half);
        const FacetLanes sine2 = hn::Set(tag, 1 - h.view_half * h.view_half);
        const FacetLanes beyond = hn::Sqrt(hn::Max(one - sine2 * inverse * inverse, zero));
        const FacetLanes s = (c - eta * beyond) / (c + eta * beyond);
        const FacetLanes p = (eta * c - beyond) / (eta * c + beyond);
        const FacetLanes reflectance = number(0.5) * (s * s + p * p);
        // The refracted direction, and its G1 with both parts multiplied by its cosine.
        const FacetLanes to_facet = c * inverse - beyond;
        const FacetLanes x = along_ * (hn::Set(tag, h.x) * to_facet - view_[0] * inverse);
        const FacetLanes y = across_ * (hn::Set(tag, h.y) * to_facet - view_[1] * inverse);
        const FacetLanes down = hn::Max(view_[2] * inverse - hn::Set(tag, h.z) * to_facet, zero);
        const FacetLanes slope = hn::Sqrt(down * down + x * x + y * y);
        const FacetLanes passed = (down + down) / hn::Max(down + slope, number(1e-30));
        return reflectance * hn::Set(tag, h.mirrored) + (one - reflectance) * passed;
    }

    FacetView facets_;
    FacetLanes along_;
    FacetLanes across_;
    std::array<FacetLanes, 3> view_;
};

}  // namespace weft::shaders
