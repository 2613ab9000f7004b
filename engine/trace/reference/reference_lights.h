// reference_lights.h — choosing lights, points on them and the densities of both (shaders/bsdf.md
// section 5).
//
// Alias tables, choice probabilities and the environment's cells are scene data; the code that uses
// them is independent of the kernels. Pure; any thread.
#pragma once

#include <optional>

#include "engine/trace/reference/reference_bsdf.h"
#include "engine/trace/reference/reference_hit.h"
#include "engine/trace/reference/reference_light_tree.h"
#include "engine/trace/reference/reference_phase.h"
#include "engine/trace/reference/reference_sampler.h"

namespace weft::trace::reference {

struct LightSample {
    u32 light = 0;
    Vec direction;  // towards the light, unit length
    double distance_m = HUGE_VAL;
    Rgb radiance;    // or intensity / d², or lux, for lights without a size
    double pdf = 0;  // choice probability × solid-angle density (1 for lights without a size)
    bool can_be_hit = false;  // by scattered rays: MIS applies
    TriangleName end;         // the triangle sampled
};

// The random numbers of one light sample.
struct LightNumbers {
    double choice = 0;
    double fraction = 0;
    double fine = 0;  // has finer bits, for the light tree and the environment
    Pair point;
};

// Those of a sample at the hit at `depth`.
LightNumbers light_numbers_of(u32 pixel, u32 sample, u32 depth);

// The point that `surface` is, for light samples of a BSDF on it.
LitPoint lit_point(const Surface& surface, const Bsdf& bsdf);

// Probability that a light sample at `lit` chooses a light: by the alias table or by the tree.
double choice_pdf(const shaders::SceneView& scene,
                  const shaders::LightRecord& light,
                  const LitPoint& lit);

// Samples a light for a surface point with a BSDF. Empty if there are no lights, the triangle is
// seen edge-on, or the sampled direction misses the light.
std::optional<LightSample> sample_light(const shaders::SceneView& scene,
                                        const Bsdf& bsdf,
                                        const LitPoint& lit,
                                        LightNumbers numbers);

// The same for a point in a medium.
std::optional<LightSample> sample_light(const shaders::SceneView& scene,
                                        const Phase& phase,
                                        const LitPoint& lit,
                                        LightNumbers numbers);

// Density of sample_light() at `lit` for a point of a triangle at `distance_m`, choice included; 0
// if it is no light.
double triangle_pdf(const shaders::SceneView& scene,
                    const LitPoint& lit,
                    const Surface& surface,
                    double distance_m);

// Density of sample_light() at `lit` for a direction into the environment, and its radiance.
double environment_pdf(const shaders::SceneView& scene, const LitPoint& lit, Vec direction);
Rgb environment_radiance(const shaders::SceneView& scene, Vec direction);

// 1 / (1 + (other / own)²).
inline double power_heuristic(double own, double other) {
    return own > 0 ? 1 / (1 + square(other / own)) : 0;
}

}  // namespace weft::trace::reference
