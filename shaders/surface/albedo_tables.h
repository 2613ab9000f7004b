// albedo_tables.h — how much light a lobe gives back in all: specular and sheen by cosine and
// roughness, brushed surfaces by azimuth and strength too, rough glass by index.
//
// shaders/bsdf.md section 4 divides and compensates by these numbers; scene_tables hands them to
// kernels and to the reference tracer. Integrated once by fixed quadrature in double precision,
// without libm, so they have the same bits everywhere. Any thread. Turquin 2019, "Practical
// multiple scattering compensation for microfacet models".
#pragma once

#include <vector>

#include "scheduler/base/ids.h"

namespace weft::shaders {

// kAlbedoSize² floats each, in the layout that scene_view.h states.
struct AlbedoTables {
    std::vector<float> ggx_a;  // ∫ D V (1 − Fc) cos, Fc = (1 − VoH)⁵
    std::vector<float> ggx_b;  // ∫ D V Fc cos
    std::vector<float> sheen;  // ∫ D V cos of the sheen lobe; may exceed 1 at grazing angles
};

// Integrates with `refinement`² times as many points as albedo_tables() uses. Refinement ≥ 1; costs
// milliseconds times its square.
AlbedoTables integrate_albedo_tables(u32 refinement);

// The tables of refinement 1, integrated on the first call.
const AlbedoTables& albedo_tables();

// What facets of rough glass keep from each other, in the layout that scene_view.h states.
struct GlassLosses {
    std::vector<float> loss;  // 1 − all that is reflected and refracted once
    std::vector<float> mean;  // 2 ∫ loss · cos dcos
};

// As integrate_albedo_tables(); about 100 ms times the square of `refinement`.
GlassLosses integrate_glass_losses(u32 refinement);

// That of refinement 1, integrated on the first call: scenes without rough glass do not pay.
const GlassLosses& glass_losses();

// ∫ D V cos of an anisotropic specular lobe and the share of B in it, in the layout that
// scene_view.h states. Costs as integrate_glass_losses() does.
std::vector<float> integrate_anisotropic_albedo(u32 refinement);

// That of refinement 1, integrated on the first call: scenes without anisotropy do not pay.
const std::vector<float>& anisotropic_albedo();

}  // namespace weft::shaders
