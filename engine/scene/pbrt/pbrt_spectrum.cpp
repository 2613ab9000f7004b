#include "engine/scene/pbrt/pbrt_spectrum.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "scheduler/base/input_file.h"
#include "shaders/host/scalar_math.h"
#include "shaders/surface/spectrum.h"

namespace weft::scene::pbrt {

namespace {

using math::DVec3;
using math::Vec3;

constexpr u32 kSteps = 130;  // of 2 nm

// Linear between its points, constant beyond them.
class Spectrum {
public:
    void add(double nm, double value) { points_.emplace_back(nm, value); }

    void finish() {
        std::stable_sort(points_.begin(), points_.end(), [](const auto& one, const auto& other) {
            return one.first < other.first;
        });
    }

    [[nodiscard]] bool is_empty() const { return points_.empty(); }

    [[nodiscard]] double at(double nm) const {
        const auto above = std::lower_bound(
            points_.begin(), points_.end(), nm, [](const auto& point, double wanted) {
                return point.first < wanted;
            });
        if (above == points_.begin() || above == points_.end()) {
            return above == points_.end() ? points_.back().second : above->second;
        }
        const auto& below = above[-1];
        const double t = (nm - below.first) / (above->first - below.first);
        return below.second + t * (above->second - below.second);
    }

private:
    std::vector<std::pair<double, double>> points_;
};

// Sums `value` times the response of each channel over the visible wavelengths.
template <typename Value>
DVec3 weighted(const Value& value) {
    DVec3 sum{};
    for (u32 step = 0; step < kSteps; ++step) {
        const double nm = shaders::kShortestNm +
                          (shaders::kLongestNm - shaders::kShortestNm) * (step + 0.5) / kSteps;
        const std::array<double, 3> response = shaders::color_response(nm);
        sum += value(nm) * DVec3(response[0], response[1], response[2]);
    }
    return sum;
}

// The mean of `value` as each channel sees it; 1 everywhere becomes white.
template <typename Value>
Vec3 mean_color(const Value& value) {
    const DVec3 color = weighted(value) / weighted([](double) { return 1.0; });
    return Vec3(color);
}

Vec3 with_luminance_one(const DVec3& color) {
    const double luminance = 0.2126 * color.x + 0.7152 * color.y + 0.0722 * color.z;
    return luminance > 0 ? Vec3(color / luminance) : Vec3{};
}

// Planck's law, up to a factor.
double black_body(double nm, double kelvin) {
    const double metres = nm * 1e-9;
    const double x = 1.438776877e-2 / (metres * kelvin);
    const double fifth = metres * metres * metres * metres * metres * 1e35;
    return 1 / (fifth * (shaders::exp_of(std::min(x, 600.0)) - 1));
}

base::Result<Spectrum> read_file(const std::string& path, const Place& place) {
    const base::Result<std::vector<u8>> bytes =
        base::read_input_file(path, "a spectrum", base::kMostTextBytes);
    if (!bytes.is_ok()) {
        return error_of_file(place, bytes.error());
    }
    Spectrum spectrum;
    bool has_nm = false;
    double nm = 0;
    std::string_view text = base::as_text(bytes.value());
    while (!text.empty()) {
        // Take a line without its comment, then its words.
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        line = line.substr(0, line.find('#'));
        while (!line.empty()) {
            line.remove_prefix(std::min(line.find_first_not_of(" \t\r,"), line.size()));
            const std::string_view word = line.substr(0, line.find_first_of(" \t\r,"));
            line.remove_prefix(word.size());
            double number = 0;
            const auto [end, problem] =
                std::from_chars(word.data(), word.data() + word.size(), number);
            if (word.empty() || problem != std::errc() || !std::isfinite(number)) {
                continue;
            }
            if (has_nm) {
                spectrum.add(nm, number);
            } else {
                nm = number;
            }
            has_nm = !has_nm;
        }
    }
    if (spectrum.is_empty() || has_nm) {
        return error_at(place, path + " is no spectrum; expected pairs of wavelength and value.");
    }
    spectrum.finish();
    return spectrum;
}

// A spectrum of numbers, or in a file.
base::Result<Spectrum> read_spectrum(const Parameter& parameter, const AssetRoots& roots) {
    if (parameter.strings.size() == 1) {
        const std::optional<std::string> path = roots.find(parameter.strings[0]);
        if (!path) {
            return outside_error(parameter.place.text() + ": a spectrum", parameter.strings[0]);
        }
        return read_file(*path, parameter.place);
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

Vec3 clamped(const Vec3& color) {
    const auto clamp = [](float value) { return value > 0 ? std::min(value, 1e30F) : 0.0F; };
    return {clamp(color.x), clamp(color.y), clamp(color.z)};
}

// pbrt's names of metals, and what they reflect at normal incidence.
struct Metal {
    std::string_view name;
    Vec3 reflectance;
};

constexpr std::array kMetals = {Metal{"metal-Ag", {0.972F, 0.960F, 0.915F}},
                                Metal{"metal-Al", {0.913F, 0.922F, 0.924F}},
                                Metal{"metal-Au", {0.998F, 0.766F, 0.336F}},
                                Metal{"metal-Cu", {0.955F, 0.638F, 0.538F}},
                                Metal{"metal-CuZn", {0.910F, 0.778F, 0.423F}},
                                Metal{"metal-MgO", {0.073F, 0.073F, 0.075F}},
                                Metal{"metal-TiO2", {0.195F, 0.203F, 0.225F}}};

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
    return std::optional(
        clamped(Vec3(DVec3(parameter.numbers[0], parameter.numbers[1], parameter.numbers[2]))));
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
        return std::optional(clamped(Vec3(static_cast<float>(found->numbers[0]))));
    }
    const base::Result<Spectrum> spectrum = read_spectrum(*found, source.roots);
    WEFT_TRY(spectrum);
    return std::optional(clamped(mean_color([&](double nm) { return spectrum.value().at(nm); })));
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
        const double kelvin = found->numbers[0];
        return std::optional(clamped(
            with_luminance_one(weighted([&](double nm) { return black_body(nm, kelvin); }))));
    }
    // pbrt's illuminants are near white.
    if (found->strings.size() == 1 && !found->strings[0].ends_with(".spd")) {
        return std::optional(Vec3(1));
    }
    const base::Result<Spectrum> spectrum = read_spectrum(*found, source.roots);
    WEFT_TRY(spectrum);
    return std::optional(
        clamped(with_luminance_one(weighted([&](double nm) { return spectrum.value().at(nm); }))));
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
        return kMetals[3].reflectance;
    }
    // A metal by its name, which either of the two says.
    for (const Parameter* const named : {index, absorption}) {
        for (const Metal& metal : kMetals) {
            if (named && named->strings.size() == 1 &&
                (named->strings[0] == std::string(metal.name) + "-eta" ||
                 named->strings[0] == std::string(metal.name) + "-k")) {
                return metal.reflectance;
            }
        }
    }
    if (!index || !absorption) {
        return error_at((index ? index : absorption)->place,
                        "is a conductor with only one of \"" + std::string(eta) + "\" and \"" +
                            std::string(k) + "\"; expected both.");
    }
    // Numbers per channel, or spectra.
    const auto reflected = [](double n, double a) {
        const double below = (n + 1) * (n + 1) + a * a;
        return ((n - 1) * (n - 1) + a * a) / below;
    };
    if (index->type == "rgb" && absorption->type == "rgb") {
        const base::Result<std::optional<Vec3>> n = read_rgb(*index);
        WEFT_TRY(n);
        const base::Result<std::optional<Vec3>> a = read_rgb(*absorption);
        WEFT_TRY(a);
        Vec3 color;
        for (glm::length_t c = 0; c < 3; ++c) {
            color[c] = static_cast<float>(reflected(static_cast<double>((*n.value())[c]),
                                                    static_cast<double>((*a.value())[c])));
        }
        return clamped(color);
    }
    const base::Result<Spectrum> n = read_spectrum(*index, source.roots);
    WEFT_TRY(n);
    const base::Result<Spectrum> a = read_spectrum(*absorption, source.roots);
    WEFT_TRY(a);
    return clamped(
        mean_color([&](double nm) { return reflected(n.value().at(nm), a.value().at(nm)); }));
}

}  // namespace weft::scene::pbrt
