#include "shaders/surface/albedo_tables.h"

#include <algorithm>
#include <cmath>

#include "shaders/host/scene_view.h"
#include "shaders/surface/facet_view.h"

namespace weft::shaders {

namespace {

// Points of one entry at refinement 1: radius × half turn of the visible-normal disk, and cosine ×
// half turn for the sheen.
constexpr u32 kGgxRadii = 32;
constexpr u32 kGgxAngles = 16;
constexpr u32 kShift =
    7;  // odd, so that shifts are all different at every power-of-two count of angles
constexpr u32 kSheenCosines = 32;
constexpr u32 kSheenAngles = 16;

// Both lobes mirror in the plane of incidence, so the half turn `first` + [0, π] stands for the
// whole one.
struct HalfTurn {
    std::vector<double> cosine;
    std::vector<double> sine;

    HalfTurn(u32 count, double first) {
        for (u32 k = 0; k < count; ++k) {
            const double angle = first + kPi * (k + 0.5) / count;
            cosine.push_back(cos_of(angle));
            sine.push_back(sin_of(angle));
        }
    }
};

// One viewing direction (sin, 0, cos) and roughness: half vectors drawn from the visible normals
// (Heitz 2018).
class GgxView {
public:
    GgxView(double alpha, double cosine)
        : alpha_(alpha),
          cosine_(cosine),
          sine_(std::sqrt(1 - cosine * cosine)),
          lambda_(smith_lambda(alpha, cosine)) {
        const double length = std::sqrt(alpha * alpha * sine_ * sine_ + cosine * cosine);
        stretched_x_ = alpha * sine_ / length;
        stretched_z_ = cosine / length;
    }

    // Adds G2/G1 of the reflected direction, split by (1 − VoH)⁵ and times `share`, for the disk
    // point (t1, t2).
    void add(double t1, double t2, double share, double& a, double& b) const {
        const double s = 0.5 * (1 + stretched_z_);
        t2 = (1 - s) * std::sqrt(1 - t1 * t1) + s * t2;
        const double up = std::sqrt(std::max(0.0, 1 - t1 * t1 - t2 * t2));
        // T1 = (0, 1, 0), T2 = stretched × T1 = (−z, 0, x).
        double x = alpha_ * (up * stretched_x_ - t2 * stretched_z_);
        double y = alpha_ * t1;
        double z = std::max(0.0, up * stretched_z_ + t2 * stretched_x_);
        const double length = std::sqrt(x * x + y * y + z * z);
        x /= length;
        z /= length;
        const double view_half = x * sine_ + z * cosine_;
        const double light = 2 * view_half * z - cosine_;
        if (!(light > 0 && view_half > 0)) {
            return;
        }
        const double weight = share * (1 + lambda_) / (1 + lambda_ + smith_lambda(alpha_, light));
        const double g = 1 - std::min(view_half, 1.0);
        const double fresnel = g * g * g * g * g;
        a += weight * (1 - fresnel);
        b += weight * fresnel;
    }

private:
    double alpha_;
    double cosine_;
    double sine_;
    double lambda_;
    double stretched_x_;
    double stretched_z_;
};

// Sheen of one view: midpoints in φ and in √cos, which crowds points where the lobe is steep.
double sheen_albedo(double alpha, double view, u32 cosines, const HalfTurn& turn) {
    const double view_sine = std::sqrt(1 - view * view);
    const double exponent = 0.5 / alpha;
    double sum = 0;
    for (u32 i = 0; i < cosines; ++i) {
        const double root = (i + 0.5) / cosines;
        const double light = root * root;
        const double light_sine = std::sqrt(1 - light * light);
        double ring = 0;
        for (const double cosine : turn.cosine) {
            const double half_squared = 2 + 2 * (light_sine * view_sine * cosine + light * view);
            const double half_cosine_squared = (light + view) * (light + view) / half_squared;
            ring += pow_of(std::max(0.0, 1 - half_cosine_squared), exponent);
        }
        sum += ring * light * 2 * root / (4 * (light + view - light * view));
    }
    const double cell = 2 * kPi / (static_cast<double>(turn.cosine.size()) * cosines);
    return sum * cell * (2 + 1 / alpha) / (2 * kPi);
}

}  // namespace

AlbedoTables integrate_albedo_tables(u32 refinement) {
    constexpr u32 kEntries = kAlbedoSize * kAlbedoSize;
    AlbedoTables tables{
        std::vector<float>(kEntries), std::vector<float>(kEntries), std::vector<float>(kEntries)};
    const u32 radii = kGgxRadii * refinement;
    const HalfTurn disk(kGgxAngles * refinement, -0.5 * kPi);
    const HalfTurn azimuth(kSheenAngles * refinement, 0);
    const auto angles = static_cast<u32>(disk.cosine.size());
    const double weight = 2.0 / (static_cast<double>(radii) * angles);
    for (u32 entry = 0; entry < kEntries; ++entry) {
        const double roughness = static_cast<double>(entry / kAlbedoSize) / (kAlbedoSize - 1);
        const double cosine = (entry % kAlbedoSize + 0.5) / kAlbedoSize;
        const GgxView view(std::max(roughness * roughness, 0.001), cosine);
        double a = 0;
        double b = 0;
        // Strata in s = 1 − √(1 − radius²), fine where half vectors graze; each angle shifts them
        // by a share of its own.
        for (u32 k = 0; k < angles; ++k) {
            const double shift = (k * kShift % angles + 0.5) / angles;
            for (u32 i = 0; i < radii; ++i) {
                const double rest = 1 - (i + shift) / radii;
                const double radius = std::sqrt(1 - rest * rest);
                view.add(radius * disk.cosine[k], radius * disk.sine[k], rest, a, b);
            }
        }
        tables.ggx_a[entry] = static_cast<float>(a * weight);
        tables.ggx_b[entry] = static_cast<float>(b * weight);
        tables.sheen[entry] = static_cast<float>(sheen_albedo(
            std::max(roughness * roughness, 0.01), cosine, kSheenCosines * refinement, azimuth));
    }
    return tables;
}

}  // namespace weft::shaders
