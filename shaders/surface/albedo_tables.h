// albedo_tables.h — how much light a lobe gives back in all: specular and sheen by cosine and
// roughness, brushed surfaces by azimuth and strength too, rough glass by index.
//
// shaders/bsdf.md section 4 divides and compensates by these numbers; scene_tables hands them to
// kernels and to the reference tracer. The build integrates them (write_tables.cpp) by fixed
// quadrature without libm, so they have the same bits everywhere; a program copies those that it
// needs, on the first call. Any thread. Turquin 2019, "Practical multiple scattering compensation
// for microfacet models".
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

const AlbedoTables& albedo_tables();

// ggx_a and ggx_b by turns, kGgxAlbedoSize² entries of two floats, as kernels read them.
const std::vector<float>& ggx_albedo();

// Integrates with `refinement`² times as many points as the build uses. Refinement ≥ 1; costs 80 ms
// times its square.
AlbedoTables integrate_albedo_tables(u32 refinement);

// What facets of rough glass keep from each other, in the layout that scene_view.h states.
struct GlassLosses {
    std::vector<float> loss;  // 1 − all that is reflected and refracted once
    std::vector<float> mean;  // 2 ∫ loss · cos dcos
};

const GlassLosses& glass_losses();

// As integrate_albedo_tables(); about half a second times the square of `refinement`.
GlassLosses integrate_glass_losses(u32 refinement);

// The loss of anisotropic glass less `loss` at its mean roughness, in the layout that scene_view.h
// states.
const std::vector<float>& glass_anisotropy();

// Costs seconds.
std::vector<float> integrate_glass_anisotropy(const GlassLosses& losses);

// ∫ D V cos of an anisotropic specular lobe and the share of B in it, in the layout that
// scene_view.h states.
const std::vector<float>& anisotropic_albedo();

// As integrate_albedo_tables(); about 130 ms times the square of `refinement`.
std::vector<float> integrate_anisotropic_albedo(u32 refinement);

}  // namespace weft::shaders
