// mitsuba_bsdf.cpp — materials: which BSDF is built how, those that hold others, and the slots of a
// finished material (mitsuba.md has the table).
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/scene/mitsuba/mitsuba_scene.h"

namespace weft::scene::mitsuba {

namespace {

using math::Vec3;

// BSDFs within each other.
constexpr std::size_t kMostBuilding = 16;

bool has_same_mapping(const PictureUse& one, const PictureUse& other) {
    return std::equal(std::begin(one.transform), std::end(one.transform), other.transform) &&
           one.wrap == other.wrap;
}

}  // namespace

const std::map<std::string_view, MitsubaScene::Build>& MitsubaScene::builds() {
    static const std::map<std::string_view, Build> table = {
        {"diffuse", &MitsubaScene::diffuse},
        {"roughdiffuse", &MitsubaScene::diffuse},
        {"plastic", &MitsubaScene::plastic},
        {"roughplastic", &MitsubaScene::plastic},
        {"pplastic", &MitsubaScene::plastic},
        {"phong", &MitsubaScene::phong},
        {"conductor", &MitsubaScene::conductor},
        {"roughconductor", &MitsubaScene::conductor},
        {"dielectric", &MitsubaScene::dielectric},
        {"roughdielectric", &MitsubaScene::dielectric},
        {"thindielectric", &MitsubaScene::thin_dielectric},
        {"principled", &MitsubaScene::principled},
        {"principledthin", &MitsubaScene::principled},
        {"coating", &MitsubaScene::coating},
        {"roughcoating", &MitsubaScene::coating},
        {"twosided", &MitsubaScene::two_sided},
        {"mask", &MitsubaScene::mask},
        {"blendbsdf", &MitsubaScene::blend},
        {"mixturebsdf", &MitsubaScene::two_sided},
        {"bumpmap", &MitsubaScene::bump_map},
        {"bump", &MitsubaScene::bump_map},
        {"normalmap", &MitsubaScene::normal_map},
        {"null", &MitsubaScene::nothing},
    };
    return table;
}

base::Result<u32> MitsubaScene::material_of(const Element& bsdf) {
    if (const auto found = materials_.find(&bsdf); found != materials_.end()) {
        return found->second;
    }
    Surface surface;
    surface.material = dull_material(
        bsdf.id().empty() ? bsdf.type() + " " + std::to_string(++unnamed_) : bsdf.id());
    WEFT_TRY(build(bsdf, surface));
    const base::Result<u32> made = surface.is_null ? base::Result<u32>(kNone) : finished(surface);
    WEFT_TRY(made);
    materials_[&bsdf] = made.value();
    return made;
}

base::Result<u32> MitsubaScene::default_material() {
    if (default_material_ == kNone) {
        Surface surface;
        surface.material = dull_material("default diffuse");
        surface.base.factor = Vec3(0.5F);
        const base::Result<u32> made = finished(surface);
        WEFT_TRY(made);
        default_material_ = made.value();
    }
    return default_material_;
}

// What light passes as if nothing was there, for emitters without a surface.
u32 MitsubaScene::clear_material() {
    if (clear_material_ == kNone) {
        Material clear = dull_material("null");
        clear.record.ior = 1;
        clear.record.transmission = 1;
        clear.record.roughness = 0;
        clear_material_ = static_cast<u32>(scene_.materials.size());
        scene_.materials.push_back(std::move(clear));
    }
    return clear_material_;
}

base::Status MitsubaScene::build(const Element& bsdf, Surface& surface) {
    if (building_ >= kMostBuilding) {
        return error_at(bsdf.place,
                        bsdf.text() + " lies within more than " + std::to_string(kMostBuilding) +
                            " BSDFs; expected fewer, and none within itself.");
    }
    const Fields fields(bsdf);
    const auto found = builds().find(bsdf.type());
    if (found == builds().end()) {
        note(Note::Kind::Replaced, "BSDFs \"" + bsdf.type() + "\" are dull grey");
        surface.base.factor = Vec3(0.5F);
        return base::Done{};
    }
    ++building_;
    const base::Status built = (this->*found->second)(fields, surface);
    --building_;
    WEFT_TRY(built);
    note_unused("BSDFs \"" + bsdf.type() + "\"", fields);
    return base::Done{};
}

// The BSDF of this place among those that the object holds.
base::Status MitsubaScene::build_nested(const Fields& fields, Surface& surface, std::size_t which) {
    std::size_t count = 0;
    const Element* chosen = nullptr;
    for (const Element& child : fields.object().children) {
        const base::Result<const Element*> found = resolved(child);
        WEFT_TRY(found);
        if (found.value()->tag == "bsdf") {
            child.is_used = true;
            chosen = count <= which ? found.value() : chosen;
            ++count;
        }
    }
    if (!chosen || count <= which) {
        return error_at(fields.object().place,
                        fields.object().text() + " holds " + std::to_string(count) +
                            " BSDFs; expected " + std::to_string(which + 1) + " at least.");
    }
    return build(*chosen, surface);
}

base::Status MitsubaScene::two_sided(const Fields& fields, Surface& surface) {
    std::size_t count = 0;
    for (const Element& child : fields.object().children) {
        const base::Result<const Element*> found = resolved(child);
        WEFT_TRY(found);
        count += found.value()->tag == "bsdf" ? std::size_t{1} : std::size_t{0};
    }
    if (count > 1) {
        note(Note::Kind::Replaced,
             "of the BSDFs in a \"" + fields.object().type() + "\" the first one counts");
    }
    fields.expect("weights");
    return build_nested(fields, surface);
}

base::Status MitsubaScene::mask(const Fields& fields, Surface& surface) {
    const base::Result<TextureInput> opacity = input_of(fields, "opacity", Vec3(0.5F));
    WEFT_TRY(opacity);
    WEFT_TRY(build_nested(fields, surface));
    const TextureInput& input = opacity.value();
    if (input.checkers) {
        note(Note::Kind::Replaced, "checkerboards of opacity are taken as 1");
    }
    const float share = std::clamp(input.factor.x, 0.0F, 1.0F);
    surface.is_null = surface.is_null || share == 0;
    // A mask may lie within another one.
    if (surface.opacity && input.picture) {
        note(Note::Kind::Replaced, "of two pictures of opacity the outer one counts");
    }
    surface.material.record.base_color[3] *= share;
    surface.opacity = input.picture ? input.picture : surface.opacity;
    if (share < 1 || input.picture) {
        surface.material.record.alpha_mode = static_cast<u32>(shaders::AlphaMode::Blend);
    }
    return base::Done{};
}

base::Status MitsubaScene::blend(const Fields& fields, Surface& surface) {
    const base::Result<double> weight = factor(fields, "weight", 0.5);
    WEFT_TRY(weight);
    note(Note::Kind::Replaced, "a blend of BSDFs is taken as the one that counts more");
    return build_nested(fields, surface, weight.value() < 0.5 ? 0 : 1);
}

base::Status MitsubaScene::bump_map(const Fields& fields, Surface& surface) {
    note(Note::Kind::Ignored, "bump maps are ignored");
    for (const Element& child : fields.object().children) {
        child.is_used = true;
    }
    return build_nested(fields, surface);
}

base::Status MitsubaScene::normal_map(const Fields& fields, Surface& surface) {
    WEFT_TRY(build_nested(fields, surface));
    const Element* field = fields.find("normalmap");
    field = field ? field : fields.child("texture");
    if (!field) {
        return error_at(fields.object().place,
                        "is a normal map without a texture \"normalmap\"; expected one.");
    }
    const base::Result<const Element*> texture = resolved(*field);
    WEFT_TRY(texture);
    const base::Result<TextureInput> input = texture_of(*texture.value(), ColorUse::Reflected, 0);
    WEFT_TRY(input);
    if (!input.value().picture) {
        note(Note::Kind::Ignored, "normal maps without a picture are ignored");
    }
    surface.normal = input.value().picture;
    return base::Done{};
}

base::Status MitsubaScene::coating(const Fields& fields, Surface& surface) {
    const base::Result<double> alpha =
        factor(fields, "alpha", fields.object().type() == "coating" ? 0 : 0.1);
    WEFT_TRY(alpha);
    WEFT_TRY(build_nested(fields, surface));
    surface.material.record.coat = 1;
    surface.material.record.coat_roughness =
        static_cast<float>(std::sqrt(std::clamp(alpha.value(), 0.0, 1.0)));
    for (const char* const quiet : {"distribution", "int_ior", "ext_ior"}) {
        fields.expect(quiet);
    }
    return base::Done{};
}

base::Status MitsubaScene::nothing(const Fields& /*fields*/, Surface& surface) {
    surface.is_null = true;
    return base::Done{};
}

// Appends the material with its slots.
base::Result<u32> MitsubaScene::finished(Surface& surface) {
    shaders::MaterialRecord& record = surface.material.record;
    const TextureInput& base = surface.base;
    set_base_color(base.checkers ? Vec3(1) : base.factor, surface.material);
    if (surface.opacity && base.checkers) {
        note(Note::Kind::Replaced, "a checkerboard under a picture of opacity is its mean");
        set_base_color(base.factor * ((*base.checkers)[0] + (*base.checkers)[1]) * 0.5F,
                       surface.material);
    }
    // Colour and opacity share a picture; so do roughness and metalness.
    if (surface.opacity) {
        if (base.picture && !has_same_mapping(*base.picture, *surface.opacity)) {
            note(Note::Kind::Replaced,
                 "pictures of opacity are read where the picture of the colour is");
        }
        const base::Result<u32> texture =
            pictures_.load(base.picture ? std::optional(base.picture->picture) : std::nullopt,
                           {{surface.opacity->picture, 3, Curve::Plain}},
                           TexelMeaning::Color);
        WEFT_TRY(texture);
        record.base_color_slot =
            append_slot(texture.value(), base.picture ? *base.picture : *surface.opacity);
    } else {
        const base::Result<u32> slot = slot_of(base, TexelMeaning::Color);
        WEFT_TRY(slot);
        record.base_color_slot = slot.value();
    }
    std::vector<ChannelUse> channels;
    if (surface.roughness) {
        channels.push_back({surface.roughness->picture, 1, surface.roughness_curve});
    }
    if (surface.metallic) {
        channels.push_back({surface.metallic->picture, 2, Curve::Plain});
    }
    if (!channels.empty()) {
        const base::Result<u32> texture =
            pictures_.load(std::nullopt, channels, TexelMeaning::Linear);
        WEFT_TRY(texture);
        record.metallic_roughness_slot = append_slot(
            texture.value(), surface.roughness ? *surface.roughness : *surface.metallic);
    }
    if (surface.normal) {
        const base::Result<u32> texture =
            pictures_.load(surface.normal->picture, TexelMeaning::Linear);
        WEFT_TRY(texture);
        record.normal_slot = append_slot(texture.value(), *surface.normal);
    }
    scene_.materials.push_back(surface.material);
    return static_cast<u32>(scene_.materials.size() - 1);
}

}  // namespace weft::scene::mitsuba
