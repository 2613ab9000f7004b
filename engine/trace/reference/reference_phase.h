// reference_phase.h — the phase function of media, and how far paths travel in them
// (shaders/bsdf.md "Media").
//
// Henyey and Greenstein, "Diffuse radiation in the Galaxy", 1941. Pure; any thread.
#pragma once

#include <optional>

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

// Value and density of light that travels along `forward` and goes on along wi.
inline double phase_value(Vec forward, double g, Vec wi) {
    const double base = 1 + g * g - 2 * g * dot(forward, wi);
    return (1 - g * g) / (4 * kPi * base * std::sqrt(base));
}

// Inverts the distribution of the cosine.
inline Vec sample_phase(Vec forward, double g, Pair u) {
    const double root = (1 - g * g) / (1 - g + 2 * g * u.u0);
    const double cosine = std::fabs(g) < 1e-4 ? 2 * u.u0 - 1 : (1 + g * g - root * root) / (2 * g);
    const double sine = std::sqrt(std::max(0.0, 1 - cosine * cosine));
    const double angle = 2 * kPi * u.u1;
    return normalize(
        frame_around(forward).to_world({std::cos(angle) * sine, std::sin(angle) * sine, cosine}));
}

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
