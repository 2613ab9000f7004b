// thin_film.h — how a thin film on a surface colours its reflection at normal incidence, in double
// precision.
//
// Belcour & Barla 2017, "A Practical Extension to Microfacet Theory for the Modeling of Varying
// Iridescence", in the form of KHR_materials_iridescence. Called where the tint of a shadow ray
// meets an iridescent pane; pure; any thread.
#pragma once

#include <array>

namespace weft::shaders {

// Reflectance of a film (index `film_ior`, `thickness_nm` thick) over a base of normal reflectance
// f0, seen from vacuum under the angle whose cosine is given; per channel of linear Rec. 709, not
// below 0.
std::array<double, 3> thin_film_reflectance(double film_ior,
                                            double cosine,
                                            double thickness_nm,
                                            const std::array<double, 3>& f0);

}  // namespace weft::shaders
