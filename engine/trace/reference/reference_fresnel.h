// reference_fresnel.h — how much an interface reflects: Schlick, exact dielectric, thin films.
//
// Thin films follow Belcour & Barla 2017, "A Practical Extension to Microfacet Theory for the
// Modeling of Varying Iridescence", in the form of KHR_materials_iridescence. Pure; any thread.
#pragma once

#include "engine/trace/reference/reference_math.h"

namespace weft::trace::reference {

inline Rgb schlick(Rgb f0, double f90, double cosine) {
    return f0 + (gray(f90) - f0) * fifth_power(1 - saturate(cosine));
}

// Unpolarised reflectance; eta = index beyond over index here, cosine ≥ 0 on this side.
double dielectric_fresnel(double cosine, double eta);

// Reflectance of a film (index film_ior, thickness_nm > 0) in air over a base of normal reflectance
// f0.
Rgb film_reflectance(double film_ior, double cosine, double thickness_nm, Rgb f0);

// The f0 for which Schlick with F90 = 1 gives `reflectance` at this cosine.
Rgb inverse_schlick(Rgb reflectance, double cosine);

}  // namespace weft::trace::reference
