#include "engine/scene/pbrt/pbrt_spectrum.h"

#include <array>
#include <utility>

#include "engine/scene/parts/spectrum.h"
#include "scheduler/base/input_file.h"

namespace weft::scene::pbrt {

namespace {

using math::DVec3;
using math::Vec3;

// A spectrum of numbers, or in a file.
base::Result<Spectrum> read_spectrum(const Parameter& parameter, const AssetRoots& roots) {
    if (parameter.strings.size() == 1) {
        const std::optional<std::string> path = roots.find(parameter.strings[0]);
        if (!path) {
            return outside_error(parameter.place.text() + ": a spectrum", parameter.strings[0]);
        }
        const base::Result<std::vector<u8>> bytes =
            base::read_input_file(*path, "a spectrum", base::kMostTextBytes);
        if (!bytes.is_ok()) {
            return error_of_file(parameter.place, bytes.error());
        }
        const std::optional<Spectrum> spectrum = parse_spectrum(base::as_text(bytes.value()));
        if (!spectrum) {
            return error_at(parameter.place,
                            *path + " is no spectrum; expected pairs of wavelength and value.");
        }
        return *spectrum;
    }
    if (parameter.numbers.empty() || parameter.numbers.size() % 2 != 0) {
        return error_at(parameter.place,
                        "\"" + parameter.type + " " + parameter.name +
                            "\" is no spectrum; expected pairs of wavelength and value.");
    }
    Spectrum spectrum;
    for (std::size_t i = 0; i < parameter.numbers.size(); i += 2) {
        spectrum.add(parameter.numbers[i], parameter.numbers[i + 1]);
    }
    spectrum.finish();
    return spectrum;
}

// The metal of a name such as "metal-Au-eta" or "metal-Au-k".
std::optional<Vec3> metal_of(const Parameter& parameter) {
    constexpr std::string_view kBegin = "metal-";
    if (parameter.strings.size() != 1) {
        return std::nullopt;
    }
    const std::string_view name = parameter.strings[0];
    if (!name.starts_with(kBegin) || !(name.ends_with("-eta") || name.ends_with("-k"))) {
        return std::nullopt;
    }
    return metal_color(name.substr(kBegin.size(), name.rfind('-') - kBegin.size()));
}

// pbrt's names of glasses, and their index at 587.6 nm.
constexpr std::array kGlasses = {std::pair{std::string_view("glass-BK7"), 1.5168},
                                 std::pair{std::string_view("glass-BAF10"), 1.6700},
                                 std::pair{std::string_view("glass-FK51A"), 1.4866},
                                 std::pair{std::string_view("glass-LASF9"), 1.8503},
                                 std::pair{std::string_view("glass-F5"), 1.6034},
                                 std::pair{std::string_view("glass-SF5"), 1.6034},
                                 std::pair{std::string_view("glass-F10"), 1.7283},
                                 std::pair{std::string_view("glass-SF10"), 1.7283},
                                 std::pair{std::string_view("glass-F11"), 1.7847},
                                 std::pair{std::string_view("glass-SF11"), 1.7847}};

// pbrt's names of illuminants, and the linear Rec. 709 of their CIE 1931 chromaticities (CIE
// 15:2004; Academy S-2014-004 for D60) at a luminance of 1.
constexpr std::array kIlluminants = {
    std::pair{std::string_view("stdillum-A"), Vec3(1.8452F, 0.8262F, 0.2333F)},
    std::pair{std::string_view("stdillum-D50"), Vec3(1.1760F, 0.9757F, 0.7221F)},
    std::pair{std::string_view("stdillum-D65"), Vec3(1)},
    std::pair{std::string_view("stdillum-F1"), Vec3(0.9543F, 1.0193F, 0.9436F)},
    std::pair{std::string_view("stdillum-F2"), Vec3(1.3401F, 0.9430F, 0.5628F)},
    std::pair{std::string_view("stdillum-F3"), Vec3(1.5765F, 0.8911F, 0.3809F)},
    std::pair{std::string_view("stdillum-F4"), Vec3(1.8064F, 0.8343F, 0.2671F)},
    std::pair{std::string_view("stdillum-F5"), Vec3(0.9154F, 1.0362F, 0.8903F)},
    std::pair{std::string_view("stdillum-F6"), Vec3(1.3161F, 0.9579F, 0.4865F)},
    std::pair{std::string_view("stdillum-F7"), Vec3(1.0003F, 1.0002F, 0.9973F)},
    std::pair{std::string_view("stdillum-F8"), Vec3(1.1766F, 0.9758F, 0.7201F)},
    std::pair{std::string_view("stdillum-F9"), Vec3(1.3768F, 0.9315F, 0.5694F)},
    std::pair{std::string_view("stdillum-F10"), Vec3(1.1720F, 0.9778F, 0.7134F)},
    std::pair{std::string_view("stdillum-F11"), Vec3(1.4121F, 0.9248F, 0.5315F)},
    std::pair{std::string_view("stdillum-F12"), Vec3(1.7686F, 0.8451F, 0.2708F)},
    std::pair{std::string_view("illum-acesD60"), Vec3(1.0469F, 0.9946F, 0.9155F)}};

bool is_texture(const Parameter* parameter) {
    return parameter != nullptr && parameter->type == "texture";
}

// An rgb as it stands; none: it is another kind of spectrum.
base::Result<std::optional<Vec3>> read_rgb(const Parameter& parameter) {
    if (parameter.type != "rgb") {
        return std::optional<Vec3>();
    }
    if (parameter.numbers.size() != 3) {
        return error_at(parameter.place, "\"rgb " + parameter.name + "\" is not three numbers.");
    }
    return std::optional(clamped_color(
        Vec3(DVec3(parameter.numbers[0], parameter.numbers[1], parameter.numbers[2]))));
}

base::Result<OpticalConstant> read_constant(const Parameter* maybe_given,
                                            const OpticalConstant& otherwise,
                                            const AssetRoots& roots) {
    if (!maybe_given) {
        return otherwise;
    }
    const base::Result<std::optional<Vec3>> rgb = read_rgb(*maybe_given);
    WEFT_TRY(rgb);
    if (rgb.value()) {
        return OpticalConstant{rgb.value()};
    }
    const base::Result<Spectrum> spectrum = read_spectrum(*maybe_given, roots);
    WEFT_TRY(spectrum);
    return OpticalConstant{{}, spectrum.value()};
}

}  // namespace

base::Result<std::optional<Vec3>> read_color(const SpectrumSource& source, std::string_view name) {
    const Parameter* const found = source.parameters.find(name);
    if (!found || is_texture(found)) {
        return std::optional<Vec3>();
    }
    base::Result<std::optional<Vec3>> rgb = read_rgb(*found);
    if (!rgb.is_ok() || rgb.value()) {
        return rgb;
    }
    if (found->type == "float" && found->numbers.size() == 1) {
        return std::optional(clamped_color(Vec3(static_cast<float>(found->numbers[0]))));
    }
    const base::Result<Spectrum> spectrum = read_spectrum(*found, source.roots);
    WEFT_TRY(spectrum);
    return std::optional(reflected_color(spectrum.value()));
}

base::Result<std::optional<Vec3>> read_light(const SpectrumSource& source, std::string_view name) {
    const Parameter* const found = source.parameters.find(name);
    if (!found) {
        return std::optional<Vec3>();
    }
    base::Result<std::optional<Vec3>> rgb = read_rgb(*found);
    if (!rgb.is_ok() || rgb.value()) {
        return rgb;
    }
    if (found->type == "blackbody") {
        if (found->numbers.empty() || !(found->numbers[0] > 0)) {
            return error_at(found->place,
                            "\"blackbody " + found->name + "\" is no temperature above 0 K.");
        }
        return std::optional(black_body_color(found->numbers[0]));
    }
    for (const auto& [illuminant, color] : kIlluminants) {
        if (found->strings.size() == 1 && found->strings[0] == illuminant) {
            return std::optional(color);
        }
    }
    const base::Result<Spectrum> spectrum = read_spectrum(*found, source.roots);
    WEFT_TRY(spectrum);
    return std::optional(light_color(spectrum.value()));
}

base::Result<double> read_index(const SpectrumSource& source,
                                std::string_view name,
                                double otherwise) {
    const Parameter* const found = source.parameters.find(name);
    if (!found || is_texture(found)) {
        return otherwise;
    }
    if (found->type == "float" || (found->strings.empty() && found->numbers.size() == 1)) {
        return source.parameters.number(name, otherwise);
    }
    for (const auto& [glass, index] : kGlasses) {
        if (found->strings.size() == 1 && found->strings[0] == glass) {
            return index;
        }
    }
    const base::Result<Spectrum> spectrum = read_spectrum(*found, source.roots);
    WEFT_TRY(spectrum);
    return spectrum.value().at(587.6);
}

base::Result<Vec3> read_conductor(const SpectrumSource& source,
                                  std::string_view eta,
                                  std::string_view k) {
    const Parameter* const index = source.parameters.find(eta);
    const Parameter* const absorption = source.parameters.find(k);
    if (!index && !absorption) {
        return metal_color("Cu").value_or(Vec3(1));
    }
    // A metal by its name, which either of the two says.
    for (const Parameter* const named : {index, absorption}) {
        const std::optional<Vec3> metal = named ? metal_of(*named) : std::nullopt;
        if (metal) {
            return *metal;
        }
    }
    const base::Result<OpticalConstant> n = read_constant(index, copper_index(), source.roots);
    WEFT_TRY(n);
    const base::Result<OpticalConstant> a =
        read_constant(absorption, copper_absorption(), source.roots);
    WEFT_TRY(a);
    return conductor_color(n.value(), a.value());
}

}  // namespace weft::scene::pbrt
