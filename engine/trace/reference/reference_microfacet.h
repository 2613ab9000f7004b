// reference_microfacet.h — the microfacet distributions: GGX with Smith shadowing, Charlie for
// sheen.
//
// Directions are in the lobe's frame, z along its normal. GGX: Walter et al. 2007; sampling: Heitz
// 2018, "Sampling the GGX Distribution of Visible Normals"; Charlie: Estevez & Kulla 2017. Pure;
// any thread.
#pragma once

#include "engine/trace/reference/reference_sampler.h"

namespace weft::trace::reference {

struct Ggx {
    double alpha_x = 1;
    double alpha_y = 1;

    [[nodiscard]] double density(Vec h) const {
        const double stretched = square(h.x / alpha_x) + square(h.y / alpha_y) + square(h.z);
        return 1 / (kPi * alpha_x * alpha_y * square(stretched));
    }

    // Smith's Λ; even in w.
    [[nodiscard]] double lambda(Vec w) const {
        const double slope2 = (square(alpha_x * w.x) + square(alpha_y * w.y)) / square(w.z);
        return (std::sqrt(1 + slope2) - 1) / 2;
    }

    [[nodiscard]] double visible_one(Vec w) const { return 1 / (1 + lambda(w)); }

    // Height-correlated.
    [[nodiscard]] double visible_both(Vec wo, Vec wi) const {
        return 1 / (1 + lambda(wo) + lambda(wi));
    }

    // A normal that wo (z > 0) sees, with density D(h) G1(wo) |wo·h| / wo.z.
    [[nodiscard]] Vec sample_visible(Vec wo, Pair u) const {
        // Stretch to the unit hemisphere and take a frame around the view.
        const Vec view = normalize({alpha_x * wo.x, alpha_y * wo.y, wo.z});
        const double across = std::hypot(view.x, view.y);
        const Vec t1 = across > 0 ? Vec{-view.y / across, view.x / across, 0} : Vec{1, 0, 0};
        const Vec t2 = cross(view, t1);
        // A point on the disk that the view sees of the hemisphere.
        const double radius = std::sqrt(u.u0);
        const double angle = 2 * kPi * u.u1;
        const double p1 = radius * std::cos(angle);
        const double share = 0.5 * (1 + view.z);
        const double p2 =
            (1 - share) * std::sqrt(std::max(0.0, 1 - p1 * p1)) + share * radius * std::sin(angle);
        const double height = std::sqrt(std::max(0.0, 1 - p1 * p1 - p2 * p2));
        // Up to the hemisphere and back to the ellipsoid.
        const Vec n = t1 * p1 + t2 * p2 + view * height;
        return normalize({alpha_x * n.x, alpha_y * n.y, std::max(0.0, n.z)});
    }

    // D G2 / (4 NoV NoL): both above the surface.
    [[nodiscard]] double reflect(Vec wo, Vec wi) const {
        return density(normalize(wo + wi)) * visible_both(wo, wi) / (4 * wo.z * wi.z);
    }

    // Density of wi mirrored at a sampled normal.
    [[nodiscard]] double reflect_pdf(Vec wo, Vec wi) const {
        return density(normalize(wo + wi)) * visible_one(wo) / (4 * wo.z);
    }
};

// Charlie: D V of two directions above the surface, alpha_s the width.
inline double charlie(Vec wo, Vec wi, double alpha_s) {
    const double cosine = normalize(wo + wi).z;
    const double sine = std::sqrt(std::max(0.0, 1 - square(cosine)));
    const double density = (2 + 1 / alpha_s) * std::pow(sine, 1 / alpha_s) / (2 * kPi);
    return density / (4 * (wi.z + wo.z - wi.z * wo.z));
}

inline Vec mirror(Vec wo, Vec h) {
    return h * (2 * dot(wo, h)) - wo;
}

}  // namespace weft::trace::reference
