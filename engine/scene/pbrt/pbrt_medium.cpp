// pbrt_medium.cpp — MakeNamedMedium and MediumInterface: homogeneous media inside shapes.
//
// The medium outside of a shape is that of the shapes around it (shaders/bsdf.md "Media").
#include <algorithm>
#include <array>

#include "engine/scene/parts/spectrum.h"
#include "engine/scene/pbrt/pbrt_scene.h"
#include "engine/scene/pbrt/pbrt_spectrum.h"

namespace weft::scene::pbrt {

namespace {

using math::Vec3;

// Measured media, per millimetre as pbrt takes them per unit of the scene.
struct Preset {
    std::string_view name;
    Vec3 scattering;  // as if it were isotropic
    Vec3 absorption;
};

// Jensen, Marschner, Levoy and Hanrahan, "A Practical Model for Subsurface Light Transport", 2001,
// figure 5.
constexpr std::array kPresets = {
    Preset{"Apple", {2.29F, 2.39F, 1.97F}, {0.0030F, 0.0034F, 0.046F}},
    Preset{"Chicken1", {0.15F, 0.21F, 0.38F}, {0.015F, 0.077F, 0.19F}},
    Preset{"Chicken2", {0.19F, 0.25F, 0.32F}, {0.018F, 0.088F, 0.20F}},
    Preset{"Cream", {7.38F, 5.47F, 3.15F}, {0.0002F, 0.0028F, 0.0163F}},
    Preset{"Ketchup", {0.18F, 0.07F, 0.03F}, {0.061F, 0.97F, 1.45F}},
    Preset{"Marble", {2.19F, 2.62F, 3.00F}, {0.0021F, 0.0041F, 0.0071F}},
    Preset{"Potato", {0.68F, 0.70F, 0.55F}, {0.0024F, 0.0090F, 0.12F}},
    Preset{"Skimmilk", {0.70F, 1.22F, 1.90F}, {0.0014F, 0.0025F, 0.0142F}},
    Preset{"Skin1", {0.74F, 0.88F, 1.01F}, {0.032F, 0.17F, 0.48F}},
    Preset{"Skin2", {1.09F, 1.59F, 1.79F}, {0.013F, 0.070F, 0.145F}},
    Preset{"Spectralon", {11.6F, 20.4F, 14.9F}, {0, 0, 0}},
    Preset{"Wholemilk", {2.55F, 3.21F, 3.77F}, {0.0011F, 0.0024F, 0.014F}}};

// A broken number of a medium is one sentence.
base::Status check_coefficients(const Parameters& parameters, std::string_view name) {
    const Parameter* const found = parameters.find(name);
    for (const double number : found ? found->numbers : std::vector<double>()) {
        if (const std::string fault = fault_of_coefficient(number); !fault.empty()) {
            return error_at(found->place, "\"" + found->type + " " + found->name + "\" " + fault);
        }
    }
    return base::Done{};
}

}  // namespace

base::Result<Medium> PbrtScene::homogeneous(const Parameters& parameters) {
    for (const std::string_view name : {"sigma_a", "sigma_s", "scale"}) {
        WEFT_TRY(check_coefficients(parameters, name));
    }
    const base::Result<std::optional<Vec3>> absorption =
        read_color({parameters, roots_}, "sigma_a");
    WEFT_TRY(absorption);
    const base::Result<std::optional<Vec3>> scattering =
        read_color({parameters, roots_}, "sigma_s");
    WEFT_TRY(scattering);
    const base::Result<double> scale = parameters.number("scale", 1);
    WEFT_TRY(scale);
    const base::Result<double> g = parameters.number("g", 0);
    WEFT_TRY(g);
    if (const std::string fault = fault_of_mean_cosine(g.value()); !fault.empty()) {
        return error_at(parameters.find("g")->place, "\"float g\" " + fault);
    }
    const base::Result<std::string> preset = parameters.string("preset", "");
    WEFT_TRY(preset);
    // Without numbers it is whole milk, as pbrt's documentation has it.
    Medium medium = {absorption.value().value_or(Vec3(0.0011F, 0.0024F, 0.014F)),
                     scattering.value().value_or(Vec3(2.55F, 3.21F, 3.77F)),
                     static_cast<float>(g.value())};
    const auto* const known =
        std::find_if(kPresets.begin(), kPresets.end(), [&](const Preset& candidate) {
            return candidate.name == preset.value();
        });
    if (known != kPresets.end()) {
        medium.absorption = known->absorption;
        medium.scattering = known->scattering;
    } else if (!preset.value().empty()) {
        note(Note::Kind::Ignored,
             "the medium \"" + preset.value() +
                 "\" is none of the measured ones that are known here; its sigma_a and sigma_s "
                 "count");
    }
    const float factor = static_cast<float>(std::min(scale.value(), 1e30));
    medium.absorption = clamped_color(medium.absorption * factor);
    medium.scattering = clamped_color(medium.scattering * factor);
    if (parameters.find("Le")) {
        note(Note::Kind::Ignored, "media do not shine");
    }
    return medium;
}

base::Status PbrtScene::make_named_medium(const Token& directive) {
    const base::Result<std::string> name = read_string(directive);
    WEFT_TRY(name);
    const base::Result<Parameters> parameters = read_parameters("medium");
    WEFT_TRY(parameters);
    const base::Result<std::string> type = parameters.value().string("type", "");
    WEFT_TRY(type);
    media_[name.value()] = {};
    if (type.value() != "homogeneous") {
        note(Note::Kind::Ignored, "media but homogeneous ones are left out");
        return base::Done{};
    }
    const base::Result<Medium> medium = homogeneous(parameters.value());
    WEFT_TRY(medium);
    media_[name.value()] = medium.value();
    parameters.value().expect("Lescale");
    note_unused("media", parameters.value());
    return base::Done{};
}

base::Status PbrtScene::medium_interface(const Token& directive) {
    const base::Result<std::string> inside = read_string(directive);
    WEFT_TRY(inside);
    // One name stands for both sides.
    std::string outside = inside.value();
    const base::Result<Token> next = tokens_.peek();
    WEFT_TRY(next);
    if (next.value().kind == Token::Kind::String) {
        outside = next.value().text;
        WEFT_TRY(tokens_.next());
    }
    for (const std::string& name : {inside.value(), outside}) {
        if (!name.empty() && media_.find(name) == media_.end()) {
            return error_at(
                directive.place,
                "MediumInterface names \"" + name + "\"; expected a medium that was made before.");
        }
    }
    state_.inside = inside.value();
    state_.outside = outside;
    return base::Done{};
}

Medium PbrtScene::inside_now() const {
    const auto found = media_.find(state_.inside);
    return found == media_.end() ? Medium() : found->second;
}

Medium PbrtScene::outside_now() const {
    const auto found = media_.find(state_.outside);
    return found == media_.end() ? Medium() : found->second;
}

}  // namespace weft::scene::pbrt
