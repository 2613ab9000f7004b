// mitsuba_color.h — colours and spectra of a Mitsuba scene as linear Rec. 709, and indices of
// refraction.
//
// A colour is <rgb>, <srgb>, <float>, <spectrum> (a number, pairs of wavelength and value, a file
// of pairs), <blackbody>, or an object of type uniform, d65, srgb, rgb, regular, irregular or
// blackbody. Private to the Mitsuba importer; one thread.
#pragma once

#include <optional>
#include <string_view>

#include "engine/math/vector.h"
#include "engine/scene/mitsuba/mitsuba_fields.h"
#include "engine/scene/parts/spectrum.h"

namespace weft::scene::mitsuba {

// What a spectrum is for.
enum class ColorUse {
    Reflected,  // it multiplies light: a spectrum that is 1 everywhere is white
    Light       // its luminance counts, in units of a spectrum that is 1 everywhere
};

// Whether the element says a colour, and no picture.
bool is_color(const Element& element);

// Black bodies have a luminance of 1 times their scale.
base::Result<math::Vec3> color_of(const Element& element, ColorUse use, const Document& document);

// Pairs of wavelength and value; none: the element says a colour in another way.
base::Result<std::optional<Spectrum>> spectrum_of(const Element& element, const Document& document);

// The index of a medium by its name ("water"); none: no such medium is known.
std::optional<double> index_of_medium(std::string_view name);

// The index of an object's field: a number, a medium, or that of its colour at 587.6 nm.
base::Result<double> index_of(const Fields& fields,
                              std::string_view name,
                              double otherwise,
                              const Document& document);

}  // namespace weft::scene::mitsuba
