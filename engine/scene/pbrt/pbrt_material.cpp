// pbrt_material.cpp — materials of pbrt as those of the scene (pbrt.md has the table).
#include <algorithm>
#include <cmath>

#include "engine/scene/pbrt/pbrt_scene.h"
#include "engine/scene/pbrt/pbrt_spectrum.h"

namespace weft::scene::pbrt {

namespace {

using math::Vec3;

void set_base_color(const Vec3& color, Material& material) {
    for (glm::length_t c = 0; c < 3; ++c) {
        material.record.base_color[c] = std::clamp(color[c], 0.0F, 1.0F);
    }
}

// A surface that only scatters: no highlight.
Material dull_material(const std::string& name) {
    Material material{name, default_material()};
    material.record.flags &= ~shaders::kMaterialSingleSided;
    material.record.metallic = 0;
    material.record.specular = 0;
    return material;
}

}  // namespace

base::Status PbrtScene::set_color(const Parameters& parameters,
                                  std::string_view name,
                                  Vec3 otherwise,
                                  Material& material) {
    const base::Result<NamedTexture> texture = texture_input(parameters, name, otherwise);
    WEFT_TRY(texture);
    set_base_color(texture.value().checkers ? Vec3(1) : texture.value().factor, material);
    const base::Result<u32> slot = slot_of(texture.value());
    WEFT_TRY(slot);
    material.record.base_color_slot = slot.value();
    return base::Done{};
}

base::Status PbrtScene::set_roughness(const Parameters& parameters,
                                      const std::string& prefix,
                                      double otherwise,
                                      float& roughness) {
    const base::Result<bool> remaps = parameters.boolean("remaproughness", true);
    WEFT_TRY(remaps);
    // The mean of both directions; a picture counts as its factor.
    double sum = 0;
    for (const char* const name : {"uroughness", "vroughness"}) {
        const bool has_own = parameters.find(prefix + name) != nullptr;
        const base::Result<NamedTexture> value =
            texture_input(parameters,
                          has_own ? prefix + name : prefix + "roughness",
                          Vec3(static_cast<float>(otherwise)));
        WEFT_TRY(value);
        if (value.value().picture || value.value().checkers) {
            note(Note::Kind::Replaced, "pictures of roughness are taken as their factors");
        }
        sum += static_cast<double>(std::clamp(value.value().factor.x, 0.0F, 1.0F)) / 2;
    }
    // The width α is the root of a remapped roughness; here it is the square of one.
    const double alpha = remaps.value() ? std::sqrt(sum) : sum;
    roughness = static_cast<float>(std::sqrt(alpha));
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
        WEFT_TRY(set_color(parameters, "reflectance", Vec3(0.5F), material));
        WEFT_TRY(set_roughness(parameters, "", 0, record.roughness));
        WEFT_TRY(set_index("eta"));
        if (type == "subsurface") {
            note(Note::Kind::Replaced, "\"subsurface\" scatters at its surface");
        }
    } else if (type == "conductor") {
        record.metallic = 1;
        record.specular = 1;
        WEFT_TRY(conductor_color(""));
        WEFT_TRY(set_roughness(parameters, "", 0, record.roughness));
    } else if (type == "coatedconductor") {
        record.metallic = 1;
        record.specular = 1;
        record.coat = 1;
        WEFT_TRY(conductor_color("conductor."));
        WEFT_TRY(set_roughness(parameters, "conductor.", 0, record.roughness));
        WEFT_TRY(set_roughness(parameters, "interface.", 0, record.coat_roughness));
    } else if (type == "dielectric" || type == "thindielectric") {
        record.specular = 1;
        record.transmission = 1;
        record.flags |= type == "dielectric" ? shaders::kMaterialSolid : 0;
        WEFT_TRY(set_index("eta"));
        record.roughness = 0;
        if (type == "dielectric") {
            WEFT_TRY(set_roughness(parameters, "", 0, record.roughness));
        }
    } else if (type == "mix") {
        const Parameter* const names = parameters.find("materials");
        const base::Result<NamedTexture> amount = texture_input(parameters, "amount", Vec3(0.5F));
        WEFT_TRY(amount);
        if (!names || names->strings.size() != 2) {
            return error_at(place, "is a mix without two \"materials\"; expected their names.");
        }
        const auto chosen = materials_.find(names->strings[amount.value().factor.x < 0.5F ? 0 : 1]);
        if (chosen == materials_.end()) {
            return error_at(names->place,
                            "mixes materials that are not there; expected names of materials "
                            "before it.");
        }
        note(Note::Kind::Replaced, "a mix of materials is taken as the one that counts more");
        materials_[name] = chosen->second;
        return base::Done{};
    } else if (type == "interface" || type.empty() || type == "none") {
        materials_[name] = {kNone, false};
        return base::Done{};
    } else {
        note(Note::Kind::Replaced, "materials \"" + type + "\" are dull grey");
        WEFT_TRY(set_color(parameters, "reflectance", Vec3(0.5F), material));
        parameters.expect_all();
    }
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
    const base::Result<std::string> type = parameters.value().string("type", "");
    WEFT_TRY(type);
    if (type.value().empty()) {
        return error_at(directive.place,
                        "MakeNamedMaterial \"" + name.value() +
                            "\" has no \"string type\"; expected one, such as diffuse.");
    }
    return make_material(type.value(), name.value(), parameters.value(), directive.place);
}

base::Status PbrtScene::named_material(const Token& directive) {
    const base::Result<std::string> name = read_string(directive);
    WEFT_TRY(name);
    const auto found = materials_.find(name.value());
    if (found == materials_.end()) {
        return error_at(directive.place,
                        "NamedMaterial names \"" + name.value() +
                            "\"; expected a material that was made before.");
    }
    state_.material = found->second.first;
    state_.has_surface = found->second.second;
    return base::Done{};
}

// The material of shapes from here on, with the radiance of the state's area light.
u32 PbrtScene::material_now() {
    u32 material = state_.material;
    if (material == kNone) {
        if (default_material_ == kNone) {
            Material grey = dull_material("default diffuse");
            set_base_color(Vec3(0.5F), grey);
            default_material_ = static_cast<u32>(scene_.materials.size());
            scene_.materials.push_back(std::move(grey));
        }
        material = default_material_;
    }
    if (!state_.radiance) {
        return material;
    }
    const Vec3 radiance = *state_.radiance;
    const auto [entry, is_new] = shining_.try_emplace(
        {material, {radiance.x, radiance.y, radiance.z, state_.is_two_sided ? 2.0F : 1.0F}}, kNone);
    if (is_new) {
        Material shining = std::as_const(scene_.materials)[material];
        shining.name += " light";
        for (glm::length_t c = 0; c < 3; ++c) {
            shining.record.emissive[c] = radiance[c];
        }
        shining.record.flags |= state_.is_two_sided ? 0 : shaders::kMaterialFrontEmission;
        entry->second = static_cast<u32>(scene_.materials.size());
        scene_.materials.push_back(std::move(shining));
    }
    return entry->second;
}

}  // namespace weft::scene::pbrt
