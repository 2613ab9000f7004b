// mitsuba_medium.cpp — homogeneous media inside shapes.
//
// The medium outside of a shape is that of the shapes around it (shaders/bsdf.md "Media").
#include <algorithm>

#include "engine/scene/mitsuba/mitsuba_color.h"
#include "engine/scene/mitsuba/mitsuba_scene.h"
#include "engine/scene/parts/spectrum.h"

namespace weft::scene::mitsuba {

using math::Vec3;

namespace {

// A broken number of a medium is one sentence.
base::Status check_coefficients(const Fields& medium, std::string_view name) {
    const Element* const found = medium.find(name);
    const auto numbers = found ? numbers_of(found->attribute("value")) : std::nullopt;
    for (const double number : numbers.value_or(std::vector<double>())) {
        if (const std::string fault = fault_of_coefficient(number); !fault.empty()) {
            return error_at(found->place, found->text() + " " + fault);
        }
    }
    return base::Done{};
}

}  // namespace

// The phase function's: hg has one, and isotropic is that of 0.
base::Result<double> MitsubaScene::mean_cosine(const Fields& medium) {
    const base::Result<const Element*> found = child_of(medium.object(), "phase");
    WEFT_TRY(found);
    if (!found.value() || found.value()->type() == "isotropic") {
        return 0.0;
    }
    if (found.value()->type() != "hg") {
        note(Note::Kind::Replaced,
             "phase functions \"" + found.value()->type() + "\" are isotropic");
        return 0.0;
    }
    const Fields phase(*found.value());
    const base::Result<double> g = phase.number("g", 0.8);
    WEFT_TRY(g);
    if (const std::string fault = fault_of_mean_cosine(g.value()); !fault.empty()) {
        return error_at(phase.find("g")->place, "\"g\" " + fault);
    }
    return g;
}

base::Result<Medium> MitsubaScene::homogeneous(const Fields& fields) {
    for (const std::string_view name : {"sigma_t", "sigma_a", "sigma_s", "albedo", "scale"}) {
        WEFT_TRY(check_coefficients(fields, name));
    }
    const base::Result<TextureInput> extinction = input_of(fields, "sigma_t", Vec3(1));
    WEFT_TRY(extinction);
    const base::Result<TextureInput> albedo = input_of(fields, "albedo", Vec3(0.75F));
    WEFT_TRY(albedo);
    const Vec3 share = glm::min(albedo.value().factor, Vec3(1));
    const base::Result<TextureInput> absorption =
        input_of(fields, "sigma_a", extinction.value().factor * (Vec3(1) - share));
    WEFT_TRY(absorption);
    const bool is_old = fields.find("sigma_a") != nullptr || fields.find("sigma_s") != nullptr;
    const base::Result<TextureInput> scattering =
        input_of(fields, "sigma_s", is_old ? Vec3(0) : extinction.value().factor * share);
    WEFT_TRY(scattering);
    const base::Result<double> scale = fields.number("scale", 1);
    WEFT_TRY(scale);
    const base::Result<double> g = mean_cosine(fields);
    WEFT_TRY(g);
    const float factor = static_cast<float>(std::min(scale.value(), 1e30));
    return Medium{clamped_color(absorption.value().factor * factor),
                  clamped_color(scattering.value().factor * factor),
                  static_cast<float>(g.value())};
}

base::Status MitsubaScene::fill(const Element& shape, u32& material) {
    const Fields fields(shape);
    const base::Result<const Element*> found = field_of(fields, "interior");
    WEFT_TRY(found);
    const bool has_outside = fields.find("exterior") != nullptr;
    Medium inside;
    if (found.value() && found.value()->type() == "homogeneous") {
        const base::Result<Medium> medium = homogeneous(Fields(*found.value()));
        WEFT_TRY(medium);
        inside = medium.value();
    } else if (found.value()) {
        note(Note::Kind::Ignored, "media but homogeneous ones are left out");
    }
    if (material == kNone) {
        const bool is_bound = !inside.is_clear() || has_outside;
        material = is_bound ? filled_.boundary_of(scene_, inside) : kNone;
        return base::Done{};
    }
    const bool is_solid =
        (std::as_const(scene_.materials)[material].record.flags & shaders::kMaterialSolid) != 0;
    if (!inside.is_clear() && is_solid) {
        material = filled_.of(scene_, material, inside);
    } else if (!inside.is_clear()) {
        note(Note::Kind::Ignored, "media behind surfaces that let no light in are left out");
    }
    return base::Done{};
}

}  // namespace weft::scene::mitsuba
