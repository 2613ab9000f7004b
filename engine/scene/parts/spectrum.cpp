#include "engine/scene/parts/spectrum.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "shaders/host/scalar_math.h"
#include "shaders/surface/spectrum.h"

namespace weft::scene {

namespace {

using math::DVec3;
using math::Vec3;

// The wavelengths that have a colour, in nanometres.
constexpr double kFirstNm = 360;
constexpr double kLastNm = 830;
constexpr u32 kSteps = 235;  // of 2 nm

// Sums `value` times the colour of its wavelength: linear Rec. 709.
template <typename Value>
DVec3 weighted(const Value& value) {
    DVec3 sum{};
    for (u32 step = 0; step < kSteps; ++step) {
        const double nm = kFirstNm + (kLastNm - kFirstNm) * (step + 0.5) / kSteps;
        const std::array<double, 3> color = shaders::spectral_color(nm);
        sum += value(nm) * DVec3(color[0], color[1], color[2]);
    }
    return sum;
}

// The mean of `value` as each channel sees it; 1 everywhere becomes white.
template <typename Value>
Vec3 mean_color(const Value& value) {
    const DVec3 color = weighted(value) / weighted([](double) { return 1.0; });
    return Vec3(color);
}

double luminance(const DVec3& color) {
    return 0.2126 * color.x + 0.7152 * color.y + 0.0722 * color.z;
}

Vec3 with_luminance_one(const DVec3& color) {
    const double size = luminance(color);
    return size > 0 ? Vec3(color / size) : Vec3{};
}

// Planck's law, up to a factor.
double black_body(double nm, double kelvin) {
    const double metres = nm * 1e-9;
    const double x = 1.438776877e-2 / (metres * kelvin);
    const double fifth = metres * metres * metres * metres * metres * 1e35;
    return 1 / (fifth * (shaders::exp_of(std::min(x, 600.0)) - 1));
}

double reflectance(double n, double k) {
    const double below = (n + 1) * (n + 1) + k * k;
    return ((n - 1) * (n - 1) + k * k) / below;
}

struct Metal {
    std::string_view name;
    Vec3 color;
};

constexpr std::array kMetals = {Metal{"Ag", {0.972F, 0.960F, 0.915F}},
                                Metal{"Al", {0.913F, 0.922F, 0.924F}},
                                Metal{"Au", {0.998F, 0.766F, 0.336F}},
                                Metal{"Cu", {0.955F, 0.638F, 0.538F}},
                                Metal{"CuZn", {0.910F, 0.778F, 0.423F}},
                                Metal{"Cr", {0.549F, 0.556F, 0.554F}},
                                Metal{"Hg", {0.781F, 0.780F, 0.778F}},
                                Metal{"Ni_palik", {0.660F, 0.609F, 0.526F}},
                                Metal{"W", {0.504F, 0.498F, 0.478F}},
                                Metal{"MgO", {0.073F, 0.073F, 0.075F}},
                                Metal{"TiO2", {0.195F, 0.203F, 0.225F}}};

// Copper at steps of about 0.1 eV: wavelength in nanometres, index and absorption (Palik, "Handbook
// of Optical Constants of Solids", 1985).
struct Constants {
    double nm;
    double index;
    double absorption;
};

constexpr std::array kCopper = {Constants{399.9, 1.175, 2.130},
                                Constants{413.3, 1.180, 2.210},
                                Constants{427.5, 1.175, 2.289},
                                Constants{442.8, 1.170, 2.362},
                                Constants{459.2, 1.160, 2.433},
                                Constants{476.9, 1.150, 2.504},
                                Constants{495.9, 1.135, 2.564},
                                Constants{516.6, 1.120, 2.605},
                                Constants{539.1, 1.040, 2.583},
                                Constants{563.6, 0.826, 2.599},
                                Constants{576.7, 0.646, 2.678},
                                Constants{590.4, 0.468, 2.809},
                                Constants{604.8, 0.351, 3.011},
                                Constants{619.9, 0.272, 3.240},
                                Constants{652.5, 0.214, 3.670},
                                Constants{688.8, 0.213, 4.050},
                                Constants{729.3, 0.223, 4.430}};

}  // namespace

void Spectrum::finish() {
    std::stable_sort(points_.begin(), points_.end(), [](const auto& one, const auto& other) {
        return one.first < other.first;
    });
}

double Spectrum::at(double nm) const {
    const auto above =
        std::lower_bound(points_.begin(), points_.end(), nm, [](const auto& point, double wanted) {
            return point.first < wanted;
        });
    if (above == points_.begin() || above == points_.end()) {
        return above == points_.end() ? points_.back().second : above->second;
    }
    const auto& below = above[-1];
    const double t = (nm - below.first) / (above->first - below.first);
    return below.second + t * (above->second - below.second);
}

std::optional<Spectrum> parse_spectrum(std::string_view text) {
    Spectrum spectrum;
    bool has_nm = false;
    double nm = 0;
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
        return std::nullopt;
    }
    spectrum.finish();
    return spectrum;
}

Vec3 clamped_color(const Vec3& color) {
    const auto clamp = [](float value) { return value > 0 ? std::min(value, 1e30F) : 0.0F; };
    return {clamp(color.x), clamp(color.y), clamp(color.z)};
}

Vec3 reflected_color(const Spectrum& spectrum) {
    return clamped_color(mean_color([&](double nm) { return spectrum.at(nm); }));
}

Vec3 light_color(const Spectrum& spectrum) {
    return clamped_color(with_luminance_one(weighted([&](double nm) { return spectrum.at(nm); })));
}

Vec3 black_body_color(double kelvin) {
    return clamped_color(
        with_luminance_one(weighted([&](double nm) { return black_body(nm, kelvin); })));
}

double luminance_of(const Spectrum& spectrum) {
    return luminance(weighted([&](double nm) { return spectrum.at(nm); })) /
           luminance(weighted([](double) { return 1.0; }));
}

Vec3 conductor_color(const OpticalConstant& index, const OpticalConstant& absorption) {
    if (!index.per_channel && !absorption.per_channel) {
        return clamped_color(mean_color([&](double nm) {
            return reflectance(index.spectrum.at(nm), absorption.spectrum.at(nm));
        }));
    }
    const auto of_channels = [](const OpticalConstant& constant) {
        return constant.per_channel ? *constant.per_channel : reflected_color(constant.spectrum);
    };
    const Vec3 n = of_channels(index);
    const Vec3 k = of_channels(absorption);
    Vec3 color;
    for (glm::length_t c = 0; c < 3; ++c) {
        color[c] =
            static_cast<float>(reflectance(static_cast<double>(n[c]), static_cast<double>(k[c])));
    }
    return clamped_color(color);
}

OpticalConstant copper_index() {
    OpticalConstant copper;
    for (const Constants& at : kCopper) {
        copper.spectrum.add(at.nm, at.index);
    }
    return copper;
}

OpticalConstant copper_absorption() {
    OpticalConstant copper;
    for (const Constants& at : kCopper) {
        copper.spectrum.add(at.nm, at.absorption);
    }
    return copper;
}

std::optional<Vec3> metal_color(std::string_view name) {
    const auto* const found = std::find_if(
        kMetals.begin(), kMetals.end(), [&](const Metal& metal) { return metal.name == name; });
    return found == kMetals.end() ? std::nullopt : std::optional(found->color);
}

}  // namespace weft::scene
