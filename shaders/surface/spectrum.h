// spectrum.h — the distribution of the wavelengths that paths through dispersive glass follow, and
// their colour weights.
//
// The density of a wavelength is the mean response of the three channels; its weights are the
// channels' responses over that density. Responses are those of linear Rec. 709 to an equal-energy
// spectrum, negative parts cut off, each scaled to a mean of 1: so light that no prism disperses
// keeps its colour. Computed without libm: the same bits everywhere. Any thread.
#pragma once

#include <array>
#include <vector>

namespace weft::shaders {

// The wavelengths of the density, in nanometres.
inline constexpr double kShortestNm = 420;
inline constexpr double kLongestNm = 680;

// Light of one wavelength in linear Rec. 709, in any unit: most wavelengths have a part below 0.
std::array<double, 3> spectral_color(double nm);

// The same with negative parts cut off: the response of the channels.
std::array<double, 3> color_response(double nm);

// (kSpectrumSize + 1) × 4 floats in the layout of scene_view.h; computed on the first call.
const std::vector<float>& spectrum_table();

}  // namespace weft::shaders
