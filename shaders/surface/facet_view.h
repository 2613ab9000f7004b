// facet_view.h — one viewing direction over a rough GGX surface in double precision: its visible
// facets, over which albedo tables are integrated.
//
// Points of the unit disk sample the visible normals (Heitz, "Sampling the GGX Distribution of
// Visible Normals", JCGT 2018). No libm: the same bits everywhere. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "scheduler/base/ids.h"
#include "shaders/host/scalar_math.h"

namespace weft::shaders {

// A point of the unit disk and its share of the disk's area.
struct DiskPoint {
    double x;
    double y;
    double share;
};

// Stratified points: `radii` strata in s = 1 − √(1 − radius²), fine at the rim, where facets graze,
// at each of the angles first + turn · (k + ½)/angles, shifted differently at each angle. The
// shares add up to 1.
inline std::vector<DiskPoint> disk_points(u32 radii, u32 angles, double first, double turn) {
    constexpr u32 kShift = 7;  // coprime to all counts of angles in use, so that shifts differ
    std::vector<DiskPoint> points;
    points.reserve(std::size_t{radii} * angles);
    const double share = 2.0 / (static_cast<double>(radii) * angles);
    for (u32 k = 0; k < angles; ++k) {
        const double angle = first + turn * (k + 0.5) / angles;
        const double cosine = cos_of(angle);
        const double sine = sin_of(angle);
        const double shift = (k * kShift % angles + 0.5) / angles;
        for (u32 i = 0; i < radii; ++i) {
            const double rest = 1 - (i + shift) / radii;
            const double radius = std::sqrt(1 - rest * rest);
            points.push_back({radius * cosine, radius * sine, rest * share});
        }
    }
    return points;
}

// Smith's Λ of an isotropic surface.
inline double smith_lambda(double alpha, double cosine) {
    const double tangent_squared = (1 - cosine * cosine) / (cosine * cosine);
    return 0.5 * (std::sqrt(1 + alpha * alpha * tangent_squared) - 1);
}

class FacetView {
public:
    // (x, y, z): direction to the viewer, of unit length, z > 0.
    FacetView(double along, double across, double x, double y, double z)
        : along_(along), across_(across), view_{x, y, z}, lambda_(lambda_of(x, y, z)) {
        const double vx = along * x;
        const double vy = across * y;
        const double length = std::sqrt(vx * vx + vy * vy + z * z);
        stretched_ = {vx / length, vy / length, z / length};
        const double flat =
            std::sqrt(stretched_[0] * stretched_[0] + stretched_[1] * stretched_[1]);
        if (flat > 0) {
            tangent_ = {-stretched_[1] / flat, stretched_[0] / flat};
        }
    }

    struct Facet {
        double x;
        double y;
        double z;
        double view_half;  // cosine between it and the view
    };

    // The facet that a point of the disk samples.
    [[nodiscard]] Facet facet(const DiskPoint& point) const {
        const double s = 0.5 * (1 + stretched_[2]);
        const double p1 = point.x;
        const double p2 = (1 - s) * std::sqrt(1 - p1 * p1) + s * point.y;
        const double up = std::sqrt(std::max(0.0, 1 - p1 * p1 - p2 * p2));
        // T1 = (tx, ty, 0), T2 = stretched × T1.
        const double tx = tangent_[0];
        const double ty = tangent_[1];
        double x = along_ * (tx * p1 - stretched_[2] * ty * p2 + stretched_[0] * up);
        double y = across_ * (ty * p1 + stretched_[2] * tx * p2 + stretched_[1] * up);
        double z = (stretched_[0] * ty - stretched_[1] * tx) * p2 + stretched_[2] * up;
        z = std::max(0.0, z);
        const double inverse = 1 / std::sqrt(x * x + y * y + z * z);
        x *= inverse;
        y *= inverse;
        z *= inverse;
        return {x, y, z, x * view_[0] + y * view_[1] + z * view_[2]};
    }

    // Fraction of the light mirrored at the facet that is not shadowed: G2/G1; 0 where the mirrored
    // direction points down.
    [[nodiscard]] double mirrored(const Facet& h) const {
        const double z = 2 * h.view_half * h.z - view_[2];
        if (!(h.view_half > 0 && z > 0)) {
            return 0;
        }
        const double x = 2 * h.view_half * h.x - view_[0];
        const double y = 2 * h.view_half * h.y - view_[1];
        return (1 + lambda_) / (1 + lambda_ + lambda_of(x, y, z));
    }

private:
    [[nodiscard]] double lambda_of(double x, double y, double z) const {
        const double slope_x = along_ * x;
        const double slope_y = across_ * y;
        const double squared = (slope_x * slope_x + slope_y * slope_y) / (z * z);
        return 0.5 * (std::sqrt(1 + squared) - 1);
    }

    double along_;
    double across_;
    std::array<double, 3> view_;
    double lambda_;
    std::array<double, 3> stretched_{};
    std::array<double, 2> tangent_{1, 0};
};

}  // namespace weft::shaders
