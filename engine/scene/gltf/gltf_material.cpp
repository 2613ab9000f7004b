// gltf_material.cpp — the core of a material (metallic-roughness, normal, emission, alpha, sides),
// and the readers of factors and slots.
#include "engine/scene/gltf/gltf_material.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "engine/scene/gltf/gltf_check.h"

namespace weft::scene::gltf {

namespace {

constexpr double kHuge = 1e30;  // a bound for emission and the like, well within a float

float clamp_with_note(
    double value, double low, double high, const std::string& place, Notes& notes) {
    const double clamped = std::clamp(value, low, high);
    if (clamped != value) {
        notes.add(Note::Kind::Repaired,
                  place + " is " + number_to_text(value) + ", taken as " + number_to_text(clamped));
    }
    return static_cast<float>(clamped);
}

void read_core(const Json& material,
               const std::string& pointer,
               TextureSlots& slots,
               shaders::MaterialRecord& record,
               Notes& notes) {
    const Json* pbr = find(material, "pbrMetallicRoughness");
    // The specular-glossiness workflow replaces all of it.
    if (pbr != nullptr &&
        find_extension(material, "KHR_materials_pbrSpecularGlossiness") == nullptr) {
        const std::string at = pointer + "/pbrMetallicRoughness";
        read_color(*pbr, "baseColorFactor", record.base_color, 1, at, notes);
        record.metallic = read_factor(*pbr, "metallicFactor", 1, 0, 1, at, notes);
        record.roughness = read_factor(*pbr, "roughnessFactor", 1, 0, 1, at, notes);
        record.base_color_slot = read_slot(*pbr, "baseColorTexture", SlotUse::Color, at, slots);
        record.metallic_roughness_slot =
            read_slot(*pbr, "metallicRoughnessTexture", SlotUse::Linear, at, slots);
    }
    record.normal_slot = read_slot(material, "normalTexture", SlotUse::Normal, pointer, slots);
    if (const Json* normal = find(material, "normalTexture"); normal != nullptr) {
        record.normal_scale =
            read_factor(*normal, "scale", 1, -kHuge, kHuge, pointer + "/normalTexture", notes);
    }
    read_color(material, "emissiveFactor", record.emissive, kHuge, pointer, notes);
    record.emissive_slot = read_slot(material, "emissiveTexture", SlotUse::Color, pointer, slots);
    if (find(material, "occlusionTexture") != nullptr) {
        notes.add(Note::Kind::Ignored, "occlusion textures are ignored, light is traced");
    }
}

void read_alpha_and_sides(const Json& material,
                          const std::string& pointer,
                          shaders::MaterialRecord& record,
                          Notes& notes) {
    const Json* mode = find(material, "alphaMode");
    const std::string name = mode == nullptr ? "OPAQUE" : text_of(*mode);
    if (name == "MASK") {
        record.alpha_mode = static_cast<u32>(shaders::AlphaMode::Mask);
    } else if (name == "BLEND") {
        record.alpha_mode = static_cast<u32>(shaders::AlphaMode::Blend);
    } else if (name != "OPAQUE") {
        notes.add(Note::Kind::Repaired,
                  pointer + "/alphaMode is \"" + name + "\", taken as OPAQUE");
    }
    record.alpha_cutoff = read_factor(material, "alphaCutoff", 0.5f, 0, kHuge, pointer, notes);
    const Json* sides = find(material, "doubleSided");
    if (sides != nullptr && flag_of(*sides)) {
        record.flags &= ~shaders::kMaterialSingleSided;
    }
}

// "extras" of our own: "weft_medium_priority": 2 tells which of two overlapping media counts, and
// "weft_lamp": 1 makes a lamp, which emits from its front only and which camera rays pass.
void read_extras(const Json& material,
                 const std::string& pointer,
                 shaders::MaterialRecord& record,
                 Notes& notes) {
    record.medium_priority =
        read_extra(material, "weft_medium_priority", 0, -kHuge, kHuge, pointer, notes);
    if (read_extra(material, "weft_lamp", 0, 0, 1, pointer, notes) > 0) {
        record.flags |= shaders::kMaterialFrontEmission | shaders::kMaterialUnseen;
    }
}

}  // namespace

float read_factor(const Json& object,
                  const char* key,
                  float stand_in,
                  double low,
                  double high,
                  const std::string& pointer,
                  Notes& notes) {
    const Json* value = find(object, key);
    return value == nullptr
               ? stand_in
               : clamp_with_note(number_of(*value), low, high, pointer + "/" + key, notes);
}

float read_extra(const Json& object,
                 const char* key,
                 float stand_in,
                 double low,
                 double high,
                 const std::string& pointer,
                 Notes& notes) {
    const Json* extras = find(object, "extras");
    const Json* value = extras == nullptr ? nullptr : find(*extras, key);
    return value == nullptr || !is_number(*value)
               ? stand_in
               : clamp_with_note(number_of(*value), low, high, pointer + "/extras/" + key, notes);
}

void read_color(const Json& object,
                const char* key,
                std::span<float> color,
                double high,
                const std::string& pointer,
                Notes& notes) {
    const Json* value = find(object, key);
    for (std::size_t i = 0; value != nullptr && i < color.size(); ++i) {
        color[i] = clamp_with_note(number_of(item(*value, i)),
                                   0,
                                   high,
                                   pointer + "/" + key + "/" + std::to_string(i),
                                   notes);
    }
}

u32 read_slot(const Json& object,
              const char* key,
              SlotUse use,
              const std::string& pointer,
              TextureSlots& slots) {
    const Json* info = find(object, key);
    return info == nullptr ? kNone : slots.add(*info, use, pointer + "/" + key);
}

std::optional<u32> tangent_uv_set(const Scene& scene, const shaders::MaterialRecord& record) {
    for (const u32 slot : {record.normal_slot, record.coat_normal_slot, record.anisotropy_slot}) {
        if (slot != kNone) {
            return scene.slots[slot].uv_set;
        }
    }
    return record.anisotropy > 0 ? std::optional<u32>(0) : std::nullopt;
}

namespace {

// The index alone says what glass with a volume reflects (shaders/bsdf.md "Glass").
void note_plain_glass(const shaders::MaterialRecord& record,
                      const std::string& pointer,
                      Notes& notes) {
    if ((record.flags & shaders::kMaterialSolid) == 0) {
        return;
    }
    const bool has_specular = record.specular != 1 || record.specular_slot != kNone ||
                              record.specular_color_slot != kNone ||
                              std::any_of(std::begin(record.specular_color),
                                          std::end(record.specular_color),
                                          [](float channel) { return channel != 1; });
    if (has_specular) {
        notes.add(Note::Kind::Ignored,
                  pointer +
                      " has a volume: its glass reflects by its ior alone, "
                      "KHR_materials_specular does not change it");
    }
    if (record.iridescence > 0) {
        notes.add(Note::Kind::Ignored,
                  pointer + " has a volume: KHR_materials_iridescence does not change its glass");
    }
}

// A mesh has one tangent per vertex, along u of the set that tangent_uv_set() names.
void note_other_tangents(const Scene& scene,
                         const shaders::MaterialRecord& record,
                         const std::string& pointer,
                         Notes& notes) {
    const std::optional<u32> set = tangent_uv_set(scene, record);
    for (const u32 slot : {record.coat_normal_slot, record.anisotropy_slot}) {
        if (set && slot != kNone && scene.slots[slot].uv_set != *set) {
            notes.add(Note::Kind::Replaced,
                      pointer + (slot == record.anisotropy_slot ? "'s anisotropy" : "'s coat") +
                          " has a texture by TEXCOORD_" + std::to_string(scene.slots[slot].uv_set) +
                          ", and its tangents are those of TEXCOORD_" + std::to_string(*set));
        }
    }
}

}  // namespace

std::vector<u32> append_materials(const Document& document,
                                  TextureSlots& slots,
                                  Scene& scene,
                                  Notes& notes) {
    std::vector<u32> indices;
    const Json* materials = find(document.json(), "materials");
    for (std::size_t i = 0; materials != nullptr && i < size_of(*materials); ++i) {
        const Json& from = item(*materials, i);
        const std::string pointer = "/materials/" + std::to_string(i);
        Material material;
        const Json* name = find(from, "name");
        material.name = name == nullptr ? "material " + std::to_string(i) : text_of(*name);
        material.record = default_material();
        read_core(from, pointer, slots, material.record, notes);
        read_alpha_and_sides(from, pointer, material.record, notes);
        read_extras(from, pointer, material.record, notes);
        read_material_extensions(from, pointer, slots, material.record, notes);
        note_plain_glass(material.record, pointer, notes);
        note_other_tangents(scene, material.record, pointer, notes);
        indices.push_back(static_cast<u32>(scene.materials.size()));
        scene.materials.push_back(std::move(material));
    }
    return indices;
}

}  // namespace weft::scene::gltf
