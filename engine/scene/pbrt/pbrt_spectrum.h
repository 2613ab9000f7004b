// pbrt_spectrum.h — spectra of pbrt as linear Rec. 709.
//
// A spectrum is three numbers ("rgb"), pairs of wavelength and value, the name of one of pbrt's
// spectra, a file of pairs, or a black body's temperature. No libm. One thread.
#pragma once

#include <optional>
#include <string>

#include "engine/math/vector.h"
#include "engine/scene/pbrt/pbrt_parameters.h"

namespace weft::scene::pbrt {

// Where spectra come from: parameters and the files that they name.
struct SpectrumSource {
    const Parameters& parameters;
    const AssetRoots& roots;
};

// A colour that multiplies light, such as a reflectance: white stays white. None: the parameter is
// not there, or is a texture.
base::Result<std::optional<math::Vec3>> read_color(const SpectrumSource& source,
                                                   std::string_view name);

// Light: an rgb as it is, other spectra scaled to a luminance of 1, as pbrt-v4 does.
base::Result<std::optional<math::Vec3>> read_light(const SpectrumSource& source,
                                                   std::string_view name);

// An index of refraction: a number, or that of one of pbrt's glasses.
base::Result<double> read_index(const SpectrumSource& source,
                                std::string_view name,
                                double otherwise);

// The colour that a conductor reflects at normal incidence, from its index and absorption `eta` and
// `k`; copper's where one is not given.
base::Result<math::Vec3> read_conductor(const SpectrumSource& source,
                                        std::string_view eta,
                                        std::string_view k);

}  // namespace weft::scene::pbrt
