// spectrum.h — the wavelengths that paths through dispersive glass follow, and how they colour.
//
// A path follows one wavelength, drawn by how much the three channels see of it in all; its weights
// are the channels' shares. The channels' responses are those of linear Rec. 709 for an even
// spectrum, without what would be negative, each scaled to 1 over all: so what no prism took apart
// stays as it was. Made without libm: the same bits everywhere. Any thread.
#pragma once

#include <vector>

namespace weft::shaders {

// (kSpectrumSize + 1) × 4 floats in the layout that scene_view.h states; made on the first call.
const std::vector<float>& spectrum_table();

}  // namespace weft::shaders
