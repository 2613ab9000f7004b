// reference_lights.h — choosing lights, points on them and the densities of both (shaders/bsdf.md
// section 5).
//
// The alias tables, choice probabilities and the environment's cells are scene data; everything
// done with them is written here a second time. Pure; any thread.
#pragma once

#include <optional>

#include "engine/trace/reference/reference_bsdf.h"
#include "engine/trace/reference/reference_hit.h"
#include "engine/trace/reference/reference_sampler.h"

namespace weft::trace::reference {

struct LightSample {
    u32 light = 0;
    Vec direction;  // towards the light, unit length
    double distance_m = HUGE_VAL;
    Rgb radiance;    // or intensity / d², or lux, for lights without size
    double pdf = 0;  // choice probability × solid-angle density (1 for lights without size)
    bool can_be_hit = false;  // by scattered rays: weighs against them
    TriangleName end;         // the triangle sampled
};

// The numbers that one light sample uses.
struct LightNumbers {
    double choice = 0;
    double fraction = 0;
    Pair point;
};

// A light sample as seen from a point that scatters so; nothing where there are no lights, the
// light shows no face, or the direction drawn misses it.
std::optional<LightSample> sample_light(const shaders::SceneView& scene,
                                        const Bsdf& bsdf,
                                        Vec position,
                                        LightNumbers numbers);

// Density with which sample_light finds a point of a triangle, as seen along a unit direction from
// `distance_m` away; choice included. 0 where it is no light.
double triangle_pdf(const shaders::SceneView& scene, const Surface& surface, double distance_m);

// The same for a direction into the environment, and its radiance.
double environment_pdf(const shaders::SceneView& scene, Vec direction);
Rgb environment_radiance(const shaders::SceneView& scene, Vec direction);

// 1 / (1 + (other / own)²).
inline double power_heuristic(double own, double other) {
    return own > 0 ? 1 / (1 + square(other / own)) : 0;
}

}  // namespace weft::trace::reference
