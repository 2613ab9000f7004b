// spectrum.h — spectra as linear Rec. 709: of light, of what surfaces reflect, and of metals.
//
// No libm: the same bits everywhere. Any thread.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/math/vector.h"
#include "scheduler/base/ids.h"

namespace weft::scene {

// Values at wavelengths: linear between them, constant beyond them.
class Spectrum {
public:
    void add(double nm, double value) { points_.emplace_back(nm, value); }

    // Sorts the points; before the first look-up.
    void finish();

    [[nodiscard]] bool is_empty() const { return points_.empty(); }

    // The spectrum is not empty.
    [[nodiscard]] double at(double nm) const;

private:
    std::vector<std::pair<double, double>> points_;
};

// Reads pairs of wavelength and value from the text of an .spd file; `#` begins a comment. None:
// there are none, or an odd number.
std::optional<Spectrum> parse_spectrum(std::string_view text);

// Each channel within [0, 1e30]; what is no number becomes 0.
math::Vec3 clamped_color(const math::Vec3& color);

// A colour that multiplies light, such as a reflectance: 1 everywhere is white.
math::Vec3 reflected_color(const Spectrum& spectrum);
// Light, scaled to a luminance of 1.
math::Vec3 light_color(const Spectrum& spectrum);
// The same of a black body at a temperature above 0 K.
math::Vec3 black_body_color(double kelvin);
// The luminance of light in units of that of a spectrum that is 1 everywhere.
double luminance_of(const Spectrum& spectrum);

// An index or an absorption: a number for each channel, else a spectrum.
struct OpticalConstant {
    std::optional<math::Vec3> per_channel;
    Spectrum spectrum{};
};

// What a conductor reflects at normal incidence, from its index and absorption.
math::Vec3 conductor_color(const OpticalConstant& index, const OpticalConstant& absorption);
// The index and the absorption of copper, which conductors of other renderers lack a number of.
OpticalConstant copper_index();
OpticalConstant copper_absorption();
// What a metal reflects, by its chemical name ("Au"); none: no such metal is known.
std::optional<math::Vec3> metal_color(std::string_view name);

}  // namespace weft::scene
