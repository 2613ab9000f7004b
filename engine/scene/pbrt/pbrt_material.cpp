// pbrt_material.cpp — materials of pbrt as those of the scene (pbrt.md has the table).
#include <algorithm>
#include <cmath>
#include <tuple>

#include "engine/scene/pbrt/pbrt_scene.h"
#include "engine/scene/pbrt/pbrt_spectrum.h"

namespace weft::scene::pbrt {

using math::Vec3;

namespace {

// Its colours as they look below a boundary.
void put_below(NamedTexture& texture, double index) {
    if (texture.picture) {
        texture.picture->picture.boundary_index = index;
    } else if (texture.checkers) {
        for (Vec3& color : texture.checkers->colors) {
            color = below_boundary(color, index);
        }
    } else {
        texture.factor = below_boundary(texture.factor, index);
    }
}

// Pictures with equal keys look the same; without the picture, mappings do.
std::string key_of(const PictureUse& use, bool has_picture = true) {
    std::string key = std::to_string(static_cast<u32>(use.wrap));
    for (const double number : {use.scale[0], use.scale[1], use.shift[0], use.shift[1]}) {
        key += " " + std::to_string(number);
    }
    if (has_picture) {
        const PictureName& picture = use.picture;
        key += " " + picture.path + " " + std::to_string(picture.factor.x) +
               (picture.is_inverted ? " inverted" : "") + (picture.is_linear ? " linear" : "");
    }
    return key;
}

}  // namespace

base::Status PbrtScene::set_color(const Parameters& parameters,
                                  std::string_view name,
                                  Vec3 otherwise,
                                  Material& material,
                                  double boundary_index) {
    base::Result<NamedTexture> texture =
        texture_input(parameters, name, otherwise, TextureKind::Spectrum);
    WEFT_TRY(texture);
    if (boundary_index > 0) {
        put_below(texture.value(), boundary_index);
    }
    const bool is_in_texels = texture.value().checkers || is_in_picture(texture.value());
    set_base_color(is_in_texels ? Vec3(1) : texture.value().factor, material);
    const base::Result<u32> slot = slot_of(texture.value());
    WEFT_TRY(slot);
    material.record.base_color_slot = slot.value();
    // The material comes next.
    colors_[static_cast<u32>(scene_.materials.size())] = texture.value();
    return base::Done{};
}

base::Result<PbrtScene::Roughness> PbrtScene::read_roughness(const Parameters& parameters,
                                                             const std::string& prefix,
                                                             double otherwise) {
    Roughness roughness;
    const base::Result<bool> remaps = parameters.boolean("remaproughness", true);
    WEFT_TRY(remaps);
    roughness.is_remapped = remaps.value();
    for (std::size_t k = 0; k < 2; ++k) {
        const std::string own = prefix + (k == 0 ? "uroughness" : "vroughness");
        const base::Result<NamedTexture> read =
            texture_input(parameters,
                          parameters.find(own) ? own : prefix + "roughness",
                          Vec3(static_cast<float>(otherwise)),
                          TextureKind::Float);
        WEFT_TRY(read);
        const NamedTexture& texture = read.value();
        if (texture.checkers || (texture.picture && parameters.find(own))) {
            note(Note::Kind::Replaced,
                 "checkerboards of roughness, and pictures along u or v, are taken as their "
                 "factors");
        } else if (texture.picture) {
            roughness.picture = texture.picture;
        }
        const double number = static_cast<double>(std::clamp(texture.factor.x, 0.0F, 1.0F));
        // The width α is the root of a remapped roughness.
        roughness.widths[k] = roughness.is_remapped ? std::sqrt(number) : number;
    }
    return roughness;
}

base::Status PbrtScene::set_roughness(const Parameters& parameters,
                                      const std::string& prefix,
                                      Material& material) {
    const base::Result<Roughness> read = read_roughness(parameters, prefix, 0);
    WEFT_TRY(read);
    const Roughness& roughness = read.value();
    set_widths(roughness.widths[0], roughness.widths[1], material.record);
    if (roughness.picture) {
        const base::Result<u32> texture =
            pictures_.load(std::nullopt,
                           {{roughness.picture->picture,
                             1,
                             roughness.is_remapped ? Curve::FourthRoot : Curve::Root}},
                           TexelMeaning::Linear);
        WEFT_TRY(texture);
        material.record.metallic_roughness_slot = append_slot(texture.value(), *roughness.picture);
    }
    return base::Done{};
}

base::Status PbrtScene::set_normal_map(const Parameters& parameters, Material& material) {
    const Parameter* const file = parameters.find("normalmap");
    if (!file || file->strings.size() != 1) {
        return base::Done{};
    }
    PictureUse use;
    use.picture = {file->strings[0], file->place.text()};
    const base::Result<u32> texture = pictures_.load(use.picture, TexelMeaning::Linear);
    WEFT_TRY(texture);
    material.record.normal_slot = append_slot(texture.value(), use);
    return base::Done{};
}

base::Status PbrtScene::make_material(const std::string& type,
                                      const std::string& name,
                                      const Parameters& parameters,
                                      const Place& place) {
    Material material = dull_material(name);
    shaders::MaterialRecord& record = material.record;
    const auto conductor_color = [&](const std::string& prefix) -> base::Status {
        if (parameters.find(prefix + "eta") || parameters.find(prefix + "k") ||
            !parameters.find("reflectance")) {
            const base::Result<Vec3> color =
                read_conductor({parameters, roots_}, prefix + "eta", prefix + "k");
            WEFT_TRY(color);
            set_base_color(color.value(), material);
            return base::Done{};
        }
        return set_color(parameters, "reflectance", Vec3(1), material);
    };
    const auto set_index = [&](const char* parameter) -> base::Status {
        const base::Result<double> index = read_index({parameters, roots_}, parameter, 1.5);
        WEFT_TRY(index);
        record.ior = static_cast<float>(std::clamp(index.value(), 1.0, 10.0));
        return base::Done{};
    };
    if (type == "diffuse" || type == "diffusetransmission") {
        WEFT_TRY(
            set_color(parameters, "reflectance", Vec3(type == "diffuse" ? 0.5F : 0.25F), material));
        if (type != "diffuse") {
            parameters.expect("transmittance");
            note(Note::Kind::Replaced, "\"diffusetransmission\" scatters to the front alone");
        }
    } else if (type == "coateddiffuse" || type == "subsurface") {
        record.specular = 1;
        WEFT_TRY(set_index("eta"));
        WEFT_TRY(set_color(parameters,
                           "reflectance",
                           Vec3(0.5F),
                           material,
                           type == "coateddiffuse" ? static_cast<double>(record.ior) : 0));
        WEFT_TRY(set_roughness(parameters, "", material));
        if (type == "subsurface") {
            note(Note::Kind::Replaced, "\"subsurface\" scatters at its surface");
        }
    } else if (type == "conductor") {
        record.metallic = 1;
        record.specular = 1;
        WEFT_TRY(conductor_color(""));
        WEFT_TRY(set_roughness(parameters, "", material));
    } else if (type == "coatedconductor") {
        record.metallic = 1;
        record.specular = 1;
        record.coat = 1;
        WEFT_TRY(conductor_color("conductor."));
        WEFT_TRY(set_roughness(parameters, "conductor.", material));
        const base::Result<Roughness> coat = read_roughness(parameters, "interface.", 0);
        WEFT_TRY(coat);
        record.coat_roughness =
            static_cast<float>(std::sqrt((coat.value().widths[0] + coat.value().widths[1]) / 2));
    } else if (type == "dielectric" || type == "thindielectric") {
        record.specular = 1;
        record.transmission = 1;
        record.flags |= type == "dielectric" ? shaders::kMaterialSolid : 0;
        WEFT_TRY(set_index("eta"));
        record.roughness = 0;
        if (type == "dielectric") {
            WEFT_TRY(set_roughness(parameters, "", material));
        } else {
            record.ior = static_cast<float>(thin_pane_index(static_cast<double>(record.ior)));
        }
    } else if (type == "mix") {
        const Parameter* const names = parameters.find("materials");
        const base::Result<NamedTexture> amount =
            texture_input(parameters, "amount", Vec3(0.5F), TextureKind::Float);
        WEFT_TRY(amount);
        if (!names || names->strings.size() != 2) {
            return error_at(place, "is a mix without two \"materials\"; expected their names.");
        }
        const std::string& chosen = names->strings[amount.value().factor.x < 0.5F ? 0 : 1];
        const base::Result<bool> is_there = find_material(chosen, names->place);
        WEFT_TRY(is_there);
        if (!is_there.value()) {
            return error_at(names->place,
                            "mixes materials that are not there; expected names of materials of "
                            "the scene.");
        }
        note(Note::Kind::Replaced, "a mix of materials is taken as the one that counts more");
        materials_[name] = materials_.at(chosen);
        return base::Done{};
    } else if (type == "interface" || type.empty() || type == "none") {
        materials_[name] = {kNone, false};
        return base::Done{};
    } else {
        note(Note::Kind::Replaced, "materials \"" + type + "\" are dull grey");
        WEFT_TRY(set_color(parameters, "reflectance", Vec3(0.5F), material));
        parameters.expect_all();
    }
    WEFT_TRY(set_normal_map(parameters, material));
    note_unused("materials \"" + type + "\"", parameters);
    materials_[name] = {static_cast<u32>(scene_.materials.size()), true};
    scene_.materials.push_back(std::move(material));
    return base::Done{};
}

base::Status PbrtScene::material(const Token& directive) {
    const base::Result<std::string> type = read_string(directive);
    WEFT_TRY(type);
    const base::Result<Parameters> parameters = read_parameters("material");
    WEFT_TRY(parameters);
    const std::string name = type.value() + " " + std::to_string(++unnamed_);
    WEFT_TRY(make_material(type.value(), name, parameters.value(), directive.place));
    const auto made = materials_.extract(name);
    state_.material = made.mapped().first;
    state_.has_surface = made.mapped().second;
    return base::Done{};
}

base::Status PbrtScene::make_named_material(const Token& directive) {
    const base::Result<std::string> name = read_string(directive);
    WEFT_TRY(name);
    const base::Result<Parameters> parameters = read_parameters("material");
    WEFT_TRY(parameters);
    return early_materials_.erase(name.value()) > 0
               ? base::Done{}
               : make_of_type(name.value(), parameters.value(), directive.place);
}

base::Status PbrtScene::make_of_type(const std::string& name,
                                     const Parameters& parameters,
                                     const Place& place) {
    const base::Result<std::string> type = parameters.string("type", "");
    WEFT_TRY(type);
    if (type.value().empty()) {
        return error_at(place,
                        "MakeNamedMaterial \"" + name +
                            "\" has no \"string type\"; expected one, such as diffuse.");
    }
    return make_material(type.value(), name, parameters, place);
}

base::Status PbrtScene::named_material(const Token& directive) {
    const base::Result<std::string> name = read_string(directive);
    WEFT_TRY(name);
    const base::Result<bool> is_there = find_material(name.value(), directive.place);
    WEFT_TRY(is_there);
    if (!is_there.value()) {
        return error_at(directive.place,
                        "NamedMaterial names \"" + name.value() +
                            "\"; expected a material that the scene makes.");
    }
    std::tie(state_.material, state_.has_surface) = materials_.at(name.value());
    return base::Done{};
}

base::Result<u32> PbrtScene::material_with_alpha(u32 material, const NamedTexture& alpha) {
    const float share = std::clamp(alpha.factor.x, 0.0F, 1.0F);
    if (alpha.checkers) {
        note(Note::Kind::Replaced, "checkerboards of alpha are taken as 1");
    }
    if (share == 0) {
        return kNone;
    }
    if (share == 1 && !alpha.picture) {
        return material;
    }
    const std::string key =
        std::to_string(share) + (alpha.picture ? " " + key_of(*alpha.picture) : "");
    const auto [entry, is_new] = transparent_.try_emplace({material, key}, kNone);
    if (!is_new) {
        return entry->second;
    }
    Material made = std::as_const(scene_.materials)[material];
    made.name += " cut out";
    made.record.base_color[3] = share;
    made.record.alpha_mode = static_cast<u32>(shaders::AlphaMode::Blend);
    if (alpha.picture) {
        const auto color = colors_.find(material);
        const std::optional<PictureUse> base =
            color == colors_.end() ? std::nullopt : color->second.picture;
        if (color != colors_.end() && color->second.checkers) {
            note(Note::Kind::Replaced, "a checkerboard under a picture of alpha is its mean");
            set_base_color(mean_of(color->second), made);
        }
        if (base && key_of(*base, false) != key_of(*alpha.picture, false)) {
            note(Note::Kind::Replaced, "pictures of alpha are read where the colour's picture is");
        }
        const base::Result<u32> texture =
            pictures_.load(base ? std::optional(picture_of(color->second)) : std::nullopt,
                           {{alpha.picture->picture, 3, Curve::Plain}},
                           TexelMeaning::Color);
        WEFT_TRY(texture);
        made.record.base_color_slot = append_slot(texture.value(), base ? *base : *alpha.picture);
    }
    entry->second = static_cast<u32>(scene_.materials.size());
    scene_.materials.push_back(std::move(made));
    return entry->second;
}

base::Result<u32> PbrtScene::material_now(const NamedTexture& alpha) {
    if (!state_.has_surface) {
        return filled_.boundary_of(scene_, inside_now());
    }
    u32 plain = state_.material;
    if (plain == kNone) {
        if (default_material_ == kNone) {
            Material grey = dull_material("default diffuse");
            set_base_color(Vec3(0.5F), grey);
            default_material_ = static_cast<u32>(scene_.materials.size());
            scene_.materials.push_back(std::move(grey));
        }
        plain = default_material_;
    }
    const base::Result<u32> cut_out = material_with_alpha(plain, alpha);
    WEFT_TRY(cut_out);
    u32 material = cut_out.value();
    if (material == kNone) {
        return kNone;
    }
    const Medium inside = inside_now();
    const bool is_solid =
        (std::as_const(scene_.materials)[material].record.flags & shaders::kMaterialSolid) != 0;
    if (is_solid && !inside.is_clear()) {
        material = filled_.of(scene_, material, inside);
    } else if (!inside.is_clear()) {
        note(Note::Kind::Ignored, "media behind surfaces that let no light in are left out");
    }
    return state_.radiance
               ? shining_.of(scene_, material, {*state_.radiance, kNone, state_.is_two_sided})
               : material;
}

}  // namespace weft::scene::pbrt
