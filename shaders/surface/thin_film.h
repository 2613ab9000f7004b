// thin_film.h — the reflectance of a thin film over a surface, in double precision.
//
// Belcour & Barla 2017, "A Practical Extension to Microfacet Theory for the Modeling of Varying
// Iridescence", in the form of KHR_materials_iridescence. Called for the tint of shadow rays by
// iridescent panes; pure; any thread.
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
