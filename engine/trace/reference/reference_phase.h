// reference_phase.h — the phase function of media, and how far paths travel in them
// (shaders/bsdf.md "Media").
//
// Henyey and Greenstein, "Diffuse radiation in the Galaxy", 1941. Pure; any thread.
#pragma once

#include <optional>

#include "engine/trace/reference/reference_bsdf.h"
#include "engine/trace/reference/reference_medium.h"

namespace weft::trace::reference {

// A medium as a path meets it, per metre.
struct Medium {
    Rgb sigma_t;  // extinction
    Rgb sigma_s;  // scattering; 0: it only absorbs
    double g = 0;
};

inline Medium medium_of(const shaders::SceneView& scene, u32 material) {
    const shaders::MaterialRecord& record = scene.materials[material];
    const Rgb sigma_s = vec_of(record.sigma_s);
    return {vec_of(record.sigma_a) + sigma_s, sigma_s, static_cast<double>(record.phase_g)};
}

// How a medium scatters light that travels along a direction.
class Phase {
public:
    Phase(Vec forward, double g) : forward_(forward), g_(g) {}

    // Value and density of light that goes on along wi.
    [[nodiscard]] double pdf(Vec wi) const { return at_cosine(dot(forward_, wi)); }

    // Inverts the distribution of the cosine.
    [[nodiscard]] Vec sample(Pair u) const {
        const double root = (1 - g_ * g_) / (1 - g_ + 2 * g_ * u.u0);
        const double cosine =
            std::fabs(g_) < 1e-4 ? 2 * u.u0 - 1 : (1 + g_ * g_ - root * root) / (2 * g_);
        const double sine = std::sqrt(std::max(0.0, 1 - cosine * cosine));
        const double angle = 2 * kPi * u.u1;
        return normalize(frame_around(forward_).to_world(
            {std::cos(angle) * sine, std::sin(angle) * sine, cosine}));
    }

    // The share of light samples that sample() draws, as Bsdf::lobe_share(): by its largest value
    // over the cone.
    [[nodiscard]] double lobe_share(Vec axis, double spread) const {
        const double away =
            std::acos(std::clamp(dot(g_ < 0 ? -forward_ : forward_, axis), -1.0, 1.0));
        const double missed = std::max(0.0, away - std::acos(std::clamp(1 - spread, -1.0, 1.0)));
        const double most = at_cosine(g_ < 0 ? -std::cos(missed) : std::cos(missed));
        const double share = 1 - 1 / std::max(most * 2 * kPi * spread - 0.5, 1.0);
        return share < kLeastShare ? 0 : share;
    }

private:
    [[nodiscard]] double at_cosine(double cosine) const {
        const double base = 1 + g_ * g_ - 2 * g_ * cosine;
        return (1 - g_ * g_) / (4 * kPi * base * std::sqrt(base));
    }

    Vec forward_;
    double g_;
};

// How far a path travels in a medium.
struct MediumWay {
    bool scatters = false;  // else it reaches its hit
    double distance_m = 0;
    Rgb weight;
};

// Draws the way to a hit at `t` of a path that carries `throughput`. A channel is chosen by what it
// carries, and the density is the mean over the channels.
inline MediumWay draw_way(const Medium& medium, Rgb throughput, Pair u, double t) {
    const double sum = throughput.x + throughput.y + throughput.z;
    const double place = u.u1 * sum;
    const Rgb& sigma = medium.sigma_t;
    const double chosen =
        place < throughput.x ? sigma.x : (place < throughput.x + throughput.y ? sigma.y : sigma.z);
    const double drawn = chosen > 0 ? -std::log(1 - u.u0) / chosen : HUGE_VAL;
    MediumWay way;
    way.scatters = drawn < t;
    way.distance_m = way.scatters ? drawn : t;
    const Rgb passing = per_channel(sigma, [&](double s) { return std::exp(-s * way.distance_m); });
    const double density = dot(throughput, way.scatters ? passing * sigma : passing) / sum;
    way.weight = (way.scatters ? passing * medium.sigma_s : passing) / density;
    return way;
}

}  // namespace weft::trace::reference
