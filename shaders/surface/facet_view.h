// facet_view.h — one viewing direction over a rough GGX surface: its visible facets, over which
// albedo tables are integrated, and the cosine coordinate of those tables.
//
// Points of the unit disk sample the visible normals (Heitz, "Sampling the GGX Distribution of
// Visible Normals", JCGT 2018), four at a time in single precision. No libm, no fusing, and four
// lanes on every processor: the same bits everywhere. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <hwy/highway.h>

#include "scheduler/base/ids.h"
#include "shaders/host/scalar_math.h"
#include "shaders/host/scene_view.h"

namespace weft::shaders {

namespace hn = hwy::HWY_NAMESPACE;
using FacetTag = hn::FixedTag<float, 4>;
using FacetLanes = hn::Vec<FacetTag>;
inline constexpr u32 kFacetLanes = 4;

inline double square(double x) {
    return x * x;
}

// The four lanes, added in order.
inline double sum_of(FacetLanes x) {
    std::array<float, kFacetLanes> lanes;
    hn::StoreU(x, FacetTag(), lanes.data());
    return (static_cast<double>(lanes[0]) + static_cast<double>(lanes[1])) +
           (static_cast<double>(lanes[2]) + static_cast<double>(lanes[3]));
}

// Points of the unit disk, and their shares of its area.
struct DiskPoints {
    std::vector<float> x;
    std::vector<float> y;
    std::vector<float> share;
};

// Strata in s = 1 − √(1 − radius²), fine at the rim, where facets graze; each of the angles
// first + turn · (k + ½)/angles shifts them by a share of its own. All shares together are 1.
// radii · angles is a multiple of kFacetLanes.
inline DiskPoints disk_points(u32 radii, u32 angles, double first, double turn) {
    constexpr u32 kShift = 7;  // coprime to the counts of angles in use, so that all shifts differ
    DiskPoints points;
    const double share = 2.0 / (static_cast<double>(radii) * angles);
    for (u32 k = 0; k < angles; ++k) {
        const double angle = first + turn * (k + 0.5) / angles;
        const double cosine = cos_of(angle);
        const double sine = sin_of(angle);
        const double shift = (k * kShift % angles + 0.5) / angles;
        for (u32 i = 0; i < radii; ++i) {
            const double rest = 1 - (i + shift) / radii;
            const double radius = std::sqrt(1 - rest * rest);
            points.x.push_back(static_cast<float>(radius * cosine));
            points.y.push_back(static_cast<float>(radius * sine));
            points.share.push_back(static_cast<float>(rest * share));
        }
    }
    return points;
}

// The coordinate of a cosine in tables (scene_view.h), fine where a surface of this roughness hides
// itself; and the cosine at a coordinate, by bisection.
inline double cosine_coordinate(double cosine, double roughness) {
    return 0.5 * (cosine + std::sqrt(cosine * (1 + roughness) / (cosine + roughness)));
}

inline double cosine_at(double coordinate, double roughness) {
    if (coordinate >= 1) {
        return 1;
    }
    double low = 0;
    double high = 1;
    for (int i = 0; i < 40; ++i) {
        const double middle = 0.5 * (low + high);
        (cosine_coordinate(middle, roughness) < coordinate ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

// The roughness √α of entry `i` of `size`.
inline double table_roughness(u32 i, u32 size) {
    constexpr double kLeast = kLeastRoughness;
    return kLeast + (1 - kLeast) * i / (size - 1);
}

// Smith's Λ of an isotropic surface.
inline double smith_lambda(double alpha, double cosine) {
    const double tangent_squared = (1 - cosine * cosine) / (cosine * cosine);
    return 0.5 * (std::sqrt(1 + alpha * alpha * tangent_squared) - 1);
}

class FacetView {
public:
    // The viewer stands at (x, y, z), of unit length, z > 0.
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

    struct Facets {
        FacetLanes x, y, z;    // the normal
        FacetLanes view_half;  // cosine with the view, at most 1
        FacetLanes
            mirrored;  // share of the light mirrored there that leaves: G2/G1, 0 if it goes down
    };

    // The facets at four points of the disk.
    [[nodiscard]] Facets facets(const float* disk_x, const float* disk_y) const {
        const FacetTag tag;
        const auto number = [tag](double x) { return hn::Set(tag, static_cast<float>(x)); };
        const FacetLanes zero = hn::Zero(tag);
        const FacetLanes one = number(1);
        const FacetLanes two = number(2);
        const FacetLanes p1 = hn::LoadU(tag, disk_x);
        const double s = 0.5 * (1 + stretched_[2]);
        const FacetLanes rim = hn::Sqrt(one - p1 * p1);
        const FacetLanes p2 = number(1 - s) * rim + number(s) * hn::LoadU(tag, disk_y);
        const FacetLanes up = hn::Sqrt(hn::Max(zero, one - p1 * p1 - p2 * p2));
        // T1 = (tx, ty, 0), T2 = stretched × T1.
        const double tx = tangent_[0];
        const double ty = tangent_[1];
        const FacetLanes x = number(along_ * tx) * p1 - number(along_ * stretched_[2] * ty) * p2 +
                             number(along_ * stretched_[0]) * up;
        const FacetLanes y = number(across_ * ty) * p1 + number(across_ * stretched_[2] * tx) * p2 +
                             number(across_ * stretched_[1]) * up;
        const FacetLanes z = hn::Max(
            zero,
            number(stretched_[0] * ty - stretched_[1] * tx) * p2 + number(stretched_[2]) * up);
        const FacetLanes inverse = one / hn::Sqrt(x * x + y * y + z * z);
        const FacetLanes vx = number(view_[0]);
        const FacetLanes vy = number(view_[1]);
        const FacetLanes vz = number(view_[2]);
        const FacetLanes half = hn::Min(one, (x * vx + y * vy + z * vz) * inverse);
        // The mirrored direction, and G2/G1 with both sides multiplied by its cosine.
        const FacetLanes scale = two * half * inverse;
        const FacetLanes slope_x = number(along_) * (scale * x - vx);
        const FacetLanes slope_y = number(across_) * (scale * y - vy);
        const FacetLanes cosine = hn::Max(zero, scale * z - vz);
        const FacetLanes slope = hn::Sqrt(cosine * cosine + slope_x * slope_x + slope_y * slope_y);
        const FacetLanes masked = number(0.5 + lambda_) * cosine + number(0.5) * slope;
        const FacetLanes mirrored = number(1 + lambda_) * cosine / hn::Max(masked, number(1e-30));
        return {
            x * inverse, y * inverse, z * inverse, half, hn::IfThenElseZero(half > zero, mirrored)};
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
