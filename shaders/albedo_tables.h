// albedo_tables.h — how much light a specular or sheen lobe reflects in all, by cosine and
// roughness.
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

}  // namespace weft::shaders
