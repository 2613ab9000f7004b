// mitsuba_surfaces.cpp — the numbers of Mitsuba's BSDFs as those of the scene's one BSDF
// (shaders/bsdf.md).
//
// A width α of a microfacet distribution is the square of a roughness here; Beckmann distributions
// are shown as GGX of the same width.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/scene/mitsuba/mitsuba_scene.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene::mitsuba {

namespace {

using math::Vec3;

// What a dielectric of index 1.5 reflects at normal incidence.
constexpr float kPlainReflectance = 0.04F;

void expect_all_of(const Fields& fields, std::initializer_list<const char*> names) {
    for (const char* const name : names) {
        fields.expect(name);
    }
}

float as_share(double number) {
    return static_cast<float>(std::clamp(number, 0.0, 1.0));
}

base::Result<OpticalConstant> constant_of(const Element* maybe_given,
                                          const OpticalConstant& otherwise,
                                          const Document& document) {
    if (!maybe_given) {
        return otherwise;
    }
    const base::Result<std::optional<Spectrum>> spectrum = spectrum_of(*maybe_given, document);
    WEFT_TRY(spectrum);
    if (spectrum.value()) {
        return OpticalConstant{{}, *spectrum.value()};
    }
    const base::Result<Vec3> rgb = color_of(*maybe_given, ColorUse::Reflected, document);
    WEFT_TRY(rgb);
    return OpticalConstant{rgb.value()};
}

}  // namespace

base::Result<double> MitsubaScene::factor(const Fields& fields,
                                          std::string_view name,
                                          double otherwise) {
    const base::Result<TextureInput> input =
        input_of(fields, name, Vec3(static_cast<float>(otherwise)));
    WEFT_TRY(input);
    if (!input.value().is_plain()) {
        note(Note::Kind::Replaced,
             "pictures of \"" + std::string(name) + "\" are taken as their factors");
    }
    return static_cast<double>(input.value().factor.x);
}

base::Status MitsubaScene::set_base(const Fields& fields,
                                    std::string_view name,
                                    double otherwise,
                                    Surface& surface) {
    const base::Result<TextureInput> input =
        input_of(fields, name, Vec3(static_cast<float>(otherwise)));
    WEFT_TRY(input);
    surface.base = input.value();
    return base::Done{};
}

// Multiplies the base colour by a field, whose picture replaces that of the base.
base::Status MitsubaScene::tint_base(const Fields& fields,
                                     std::string_view name,
                                     Surface& surface) {
    const base::Result<TextureInput> input = input_of(fields, name, Vec3(1));
    WEFT_TRY(input);
    const Vec3 color = surface.base.factor;
    surface.base = input.value();
    surface.base.factor *= color;
    return base::Done{};
}

// The tint of the highlight from specular_reflectance, in units of `whole`, with its picture.
base::Status MitsubaScene::set_specular_color(const Fields& fields,
                                              float otherwise,
                                              float whole,
                                              Surface& surface) {
    const base::Result<TextureInput> input =
        input_of(fields, "specular_reflectance", Vec3(otherwise));
    WEFT_TRY(input);
    const base::Result<u32> slot = slot_of(input.value(), TexelMeaning::Color);
    WEFT_TRY(slot);
    // Checkers hold their factor.
    const Vec3 color = within_one(input.value().checkers ? Vec3(1) : input.value().factor);
    for (glm::length_t c = 0; c < 3; ++c) {
        surface.material.record.specular_color[c] = color[c] / whole;
    }
    surface.material.record.specular_color_slot = slot.value();
    return base::Done{};
}

// alpha, or alpha_u and alpha_v; a picture of both.
base::Status MitsubaScene::set_alpha(const Fields& fields, double otherwise, Surface& surface) {
    fields.expect("distribution");
    fields.expect("sample_visible");
    shaders::MaterialRecord& record = surface.material.record;
    if (fields.find("alpha_u") || fields.find("alpha_v")) {
        const base::Result<double> along_u = factor(fields, "alpha_u", otherwise);
        WEFT_TRY(along_u);
        const base::Result<double> along_v = factor(fields, "alpha_v", otherwise);
        WEFT_TRY(along_v);
        set_widths(along_u.value(), along_v.value(), record);
        return base::Done{};
    }
    const base::Result<TextureInput> alpha =
        input_of(fields, "alpha", Vec3(static_cast<float>(otherwise)));
    WEFT_TRY(alpha);
    surface.roughness = alpha.value().picture;
    const auto width = static_cast<double>(alpha.value().factor.x);
    set_widths(width, width, record);
    return base::Done{};
}

// The media around an object are those that it lies in, whatever its ext_ior says.
base::Status MitsubaScene::set_indices(const Fields& fields, double inside, Surface& surface) {
    const base::Result<double> in = index_of(fields, "int_ior", inside, document_);
    WEFT_TRY(in);
    const base::Result<double> out = index_of(fields, "ext_ior", 1.000277, document_);
    WEFT_TRY(out);
    if (out.value() > 1.01) {
        note(Note::Kind::Replaced,
             "ext_ior is not read: the medium outside is that of the object around");
    }
    surface.material.record.ior = static_cast<float>(std::clamp(in.value(), 1.0, 10.0));
    surface.material.record.specular = 1;
    return base::Done{};
}

base::Status MitsubaScene::diffuse(const Fields& fields, Surface& surface) {
    expect_all_of(fields, {"alpha", "use_fast_approx"});
    const bool is_old = fields.find("diffuse_reflectance") != nullptr;
    return set_base(fields, is_old ? "diffuse_reflectance" : "reflectance", 0.5, surface);
}

base::Status MitsubaScene::plastic(const Fields& fields, Surface& surface) {
    shaders::MaterialRecord& record = surface.material.record;
    WEFT_TRY(set_base(fields, "diffuse_reflectance", 0.5, surface));
    WEFT_TRY(set_indices(fields, 1.49, surface));
    if (fields.object().type() == "roughplastic") {
        WEFT_TRY(set_alpha(fields, 0.1, surface));
    } else {
        set_widths(0, 0, record);
    }
    WEFT_TRY(set_specular_color(fields, 1, 1, surface));
    // Linear plastic keeps white white; the other kind darkens and saturates.
    const base::Result<bool> is_nonlinear = fields.boolean("nonlinear", false);
    WEFT_TRY(is_nonlinear);
    if (is_nonlinear.value()) {
        const auto index = static_cast<double>(record.ior);
        TextureInput& base = surface.base;
        if (base.picture) {
            base.picture->picture.boundary_index = index;
        } else if (base.checkers) {
            for (Vec3& color : *base.checkers) {
                color = below_boundary(color, index);
            }
        } else {
            base.factor = below_boundary(base.factor, index);
        }
    }
    return base::Done{};
}

base::Status MitsubaScene::phong(const Fields& fields, Surface& surface) {
    shaders::MaterialRecord& record = surface.material.record;
    WEFT_TRY(set_base(fields, "diffuse_reflectance", 0.5, surface));
    WEFT_TRY(set_specular_color(fields, 0.2F, kPlainReflectance, surface));
    const base::Result<double> exponent = factor(fields, "exponent", 30);
    WEFT_TRY(exponent);
    // Phong's lobe is about the reflected ray, which turns twice as far as the half vector: an
    // exponent of n there is one of 4 n here.
    const double width = std::sqrt(2 / (4 * std::max(exponent.value(), 0.0) + 2));
    set_widths(width, width, record);
    record.specular = 1;
    record.ior = 1.5F;
    return base::Done{};
}

// The colour at normal incidence: of a metal by its name, or from index and absorption. Where only
// one of these is given, the other is copper's with that name, else 0 or 1. Without any it reflects
// all.
base::Status MitsubaScene::set_conductor(const Fields& fields, Surface& surface) {
    const base::Result<std::string> metal = fields.string("material", "none");
    WEFT_TRY(metal);
    const base::Result<const Element*> eta = field_of(fields, "eta");
    WEFT_TRY(eta);
    const base::Result<const Element*> k = field_of(fields, "k");
    WEFT_TRY(k);
    if (!eta.value() && !k.value()) {
        const std::optional<Vec3> color = metal_color(metal.value());
        if (!color && metal.value() != "none") {
            note(Note::Kind::Replaced,
                 "the conductor \"" + metal.value() + "\" is shown as one that reflects all");
        }
        surface.base.factor = color.value_or(Vec3(1));
        return base::Done{};
    }
    const bool is_copper = metal.value() == "Cu";
    const base::Result<OpticalConstant> n =
        constant_of(eta.value(), is_copper ? copper_index() : OpticalConstant{Vec3(0)}, document_);
    WEFT_TRY(n);
    const base::Result<OpticalConstant> a = constant_of(
        k.value(), is_copper ? copper_absorption() : OpticalConstant{Vec3(1)}, document_);
    WEFT_TRY(a);
    surface.base.factor = conductor_color(n.value(), a.value());
    return base::Done{};
}

base::Status MitsubaScene::conductor(const Fields& fields, Surface& surface) {
    surface.material.record.metallic = 1;
    surface.material.record.specular = 1;
    WEFT_TRY(set_conductor(fields, surface));
    WEFT_TRY(tint_base(fields, "specular_reflectance", surface));
    fields.expect("ext_eta");
    if (fields.object().type() == "roughconductor") {
        return set_alpha(fields, 0.1, surface);
    }
    set_widths(0, 0, surface.material.record);
    return base::Done{};
}

base::Status MitsubaScene::dielectric(const Fields& fields, Surface& surface) {
    shaders::MaterialRecord& record = surface.material.record;
    record.transmission = 1;
    record.flags |= shaders::kMaterialSolid;
    WEFT_TRY(set_base(fields, "specular_transmittance", 1, surface));
    WEFT_TRY(set_indices(fields, 1.5046, surface));
    if (fields.object().type() == "roughdielectric") {
        return set_alpha(fields, 0.1, surface);
    }
    set_widths(0, 0, record);
    return base::Done{};
}

base::Status MitsubaScene::thin_dielectric(const Fields& fields, Surface& surface) {
    shaders::MaterialRecord& record = surface.material.record;
    record.transmission = 1;
    set_widths(0, 0, record);
    WEFT_TRY(set_base(fields, "specular_transmittance", 1, surface));
    WEFT_TRY(set_indices(fields, 1.5046, surface));
    record.ior = static_cast<float>(thin_pane_index(static_cast<double>(record.ior)));
    return base::Done{};
}

// Burley's model has the same parameters; his coat reflects a quarter of a full one, and his
// anisotropy a makes widths r² / √(1 − 0.9 a) and r² √(1 − 0.9 a).
base::Status MitsubaScene::principled(const Fields& fields, Surface& surface) {
    shaders::MaterialRecord& record = surface.material.record;
    const bool is_thin = fields.object().type() == "principledthin";
    WEFT_TRY(set_base(fields, "base_color", 0.5, surface));
    const base::Result<TextureInput> roughness = input_of(fields, "roughness", Vec3(0.5F));
    WEFT_TRY(roughness);
    const base::Result<TextureInput> metallic = input_of(fields, "metallic", Vec3(0));
    WEFT_TRY(metallic);
    const std::array<const char*, 8> names = {"anisotropic",
                                              "spec_trans",
                                              "spec_tint",
                                              "sheen",
                                              "sheen_tint",
                                              "clearcoat",
                                              "clearcoat_gloss",
                                              "diff_trans"};
    std::array<double, 8> values{};
    for (std::size_t k = 0; k < names.size(); ++k) {
        const base::Result<double> value = factor(fields, names[k], 0);
        WEFT_TRY(value);
        values[k] = std::clamp(value.value(), 0.0, 1.0);
    }
    const auto [anisotropic, spec_trans, spec_tint, sheen, sheen_tint, coat, gloss, diff_trans] =
        values;
    const double width = static_cast<double>(roughness.value().factor.x) *
                         static_cast<double>(roughness.value().factor.x);
    const double aspect = std::sqrt(1 - 0.9 * anisotropic);
    set_widths(width / aspect, width * aspect, record);
    surface.roughness = roughness.value().picture;
    surface.roughness_curve = Curve::Plain;
    surface.metallic = metallic.value().picture;
    record.metallic = is_thin ? 0.0F : as_share(static_cast<double>(metallic.value().factor.x));
    // The index, or how much is reflected at normal incidence, in units of 0.08.
    const base::Result<double> specular = factor(fields, "specular", 0.5);
    WEFT_TRY(specular);
    const double root = std::sqrt(0.08 * std::clamp(specular.value(), 0.0, 1.0));
    const base::Result<double> index =
        index_of(fields, "eta", is_thin ? 1.5 : 2 / (1 - root) - 1, document_);
    WEFT_TRY(index);
    record.ior = static_cast<float>(std::clamp(index.value(), 1.0, 10.0));
    record.specular = 1;
    record.transmission = static_cast<float>(spec_trans);
    record.flags |= spec_trans > 0 && !is_thin ? shaders::kMaterialSolid : 0;
    const Vec3& base = surface.base.factor;
    const float luminance = 0.2126F * base.x + 0.7152F * base.y + 0.0722F * base.z;
    for (glm::length_t c = 0; c < 3; ++c) {
        const double tint = luminance > 0 ? static_cast<double>(base[c] / luminance) : 1.0;
        record.specular_color[c] = static_cast<float>(1 + spec_tint * (tint - 1));
        record.sheen_color[c] = as_share(sheen * (1 + sheen_tint * (tint - 1)));
    }
    record.sheen_roughness = 0.5F;
    record.coat = static_cast<float>(0.25 * coat);
    record.coat_roughness = static_cast<float>(std::sqrt(0.1 + gloss * (0.001 - 0.1)));
    if (diff_trans > 0) {
        note(Note::Kind::Ignored, "\"diff_trans\" is ignored, no light scatters to the back");
    }
    expect_all_of(fields,
                  {"main_specular_sampling_rate",
                   "clearcoat_sampling_rate",
                   "diffuse_reflectance_sampling_rate"});
    return base::Done{};
}

}  // namespace weft::scene::mitsuba
