// gltf_material_extensions.cpp — one function per material extension, each filling its part of the
// record.
#include <algorithm>

#include "engine/scene/gltf/gltf_check.h"
#include "engine/scene/gltf/gltf_material.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene::gltf {

namespace {

constexpr double kHugeFactor = 1e30;
constexpr double kMostDispersion = 1000;

// The input and output of the reader of one extension: its object with the JSON pointer, and the
// record, slots and notes that it fills.
struct Extension {
    const Json& object;
    std::string pointer;
    TextureSlots& slots;
    shaders::MaterialRecord& record;
    Notes& notes;

    [[nodiscard]] float factor(const char* key, float stand_in, double low, double high) const {
        return read_factor(object, key, stand_in, low, high, pointer, notes);
    }

    void color(const char* key, std::span<float> values, double high) const {
        read_color(object, key, values, high, pointer, notes);
    }

    [[nodiscard]] u32 slot(const char* key, SlotUse use) const {
        return read_slot(object, key, use, pointer, slots);
    }
};

void read_unlit(const Extension& extension) {
    extension.record.flags |= shaders::kMaterialUnlit;
}

void read_emissive_strength(const Extension& extension) {
    const float strength = extension.factor("emissiveStrength", 1, 0, kHugeFactor);
    for (float& value : extension.record.emissive) {
        value = std::min(value * strength, 1e30f);
    }
}

void read_ior(const Extension& extension) {
    // In this extension 0 means a mirror (Fresnel 1); values between 0 and 1 mean nothing.
    const float ior = extension.factor("ior", 1.5f, 0, 1000);
    extension.record.ior = ior != 0 && ior < 1 ? 1.0f : ior;
    if (extension.record.ior != ior) {
        extension.notes.add(Note::Kind::Repaired,
                            extension.pointer + "/ior lies between 0 and 1, taken as 1");
    }
}

void read_specular(const Extension& extension) {
    extension.record.specular = extension.factor("specularFactor", 1, 0, 1);
    extension.color("specularColorFactor", extension.record.specular_color, kHugeFactor);
    extension.record.specular_slot = extension.slot("specularTexture", SlotUse::Linear);
    extension.record.specular_color_slot = extension.slot("specularColorTexture", SlotUse::Color);
}

void read_transmission(const Extension& extension) {
    extension.record.transmission = extension.factor("transmissionFactor", 0, 0, 1);
    extension.record.transmission_slot = extension.slot("transmissionTexture", SlotUse::Linear);
}

// Runs after read_ior and read_transmission: light reaches no inside of a volume without
// transmission, nor of one that the index 0 makes a mirror.
void read_volume(const Extension& extension) {
    const float thickness = extension.factor("thicknessFactor", 0, 0, kHugeFactor);
    if (find(extension.object, "thicknessTexture") != nullptr) {
        extension.notes.add(Note::Kind::Ignored,
                            "thickness textures are ignored, the true thickness is traced");
    }
    if (thickness == 0 || extension.record.transmission == 0 || extension.record.ior == 0) {
        return;
    }
    extension.record.flags |= shaders::kMaterialSolid;
    float color[3] = {1, 1, 1};
    extension.color("attenuationColor", color, 1);
    // No distance means an infinite one: nothing is absorbed.
    const float distance = extension.factor("attenuationDistance", 0, 0, kHugeFactor);
    for (std::size_t c = 0; distance > 0 && c < 3; ++c) {
        const double kept = std::max(static_cast<double>(color[c]), 1e-6);
        const double sigma = -shaders::log_of(kept) / static_cast<double>(distance);
        extension.record.sigma_a[c] = static_cast<float>(std::clamp(sigma, 0.0, kHugeFactor));
    }
}

void read_clearcoat(const Extension& extension) {
    shaders::MaterialRecord& record = extension.record;
    record.coat = extension.factor("clearcoatFactor", 0, 0, 1);
    record.coat_roughness = extension.factor("clearcoatRoughnessFactor", 0, 0, 1);
    record.coat_slot = extension.slot("clearcoatTexture", SlotUse::Linear);
    record.coat_roughness_slot = extension.slot("clearcoatRoughnessTexture", SlotUse::Linear);
    record.coat_normal_slot = extension.slot("clearcoatNormalTexture", SlotUse::Normal);
    if (const Json* normal = find(extension.object, "clearcoatNormalTexture"); normal != nullptr) {
        record.coat_normal_scale = read_factor(*normal,
                                               "scale",
                                               1,
                                               -kHugeFactor,
                                               kHugeFactor,
                                               extension.pointer + "/clearcoatNormalTexture",
                                               extension.notes);
    }
}

void read_sheen(const Extension& extension) {
    extension.color("sheenColorFactor", extension.record.sheen_color, 1);
    extension.record.sheen_roughness = extension.factor("sheenRoughnessFactor", 0, 0, 1);
    extension.record.sheen_color_slot = extension.slot("sheenColorTexture", SlotUse::Color);
    extension.record.sheen_roughness_slot =
        extension.slot("sheenRoughnessTexture", SlotUse::Linear);
}

void read_iridescence(const Extension& extension) {
    shaders::MaterialRecord& record = extension.record;
    record.iridescence = extension.factor("iridescenceFactor", 0, 0, 1);
    record.iridescence_ior = extension.factor("iridescenceIor", 1.3f, 1, 1000);
    record.iridescence_min_nm =
        extension.factor("iridescenceThicknessMinimum", 100, 0, kHugeFactor);
    record.iridescence_max_nm =
        extension.factor("iridescenceThicknessMaximum", 400, 0, kHugeFactor);
    record.iridescence_slot = extension.slot("iridescenceTexture", SlotUse::Linear);
    record.iridescence_thickness_slot =
        extension.slot("iridescenceThicknessTexture", SlotUse::Linear);
}

void read_anisotropy(const Extension& extension) {
    extension.record.anisotropy = extension.factor("anisotropyStrength", 0, 0, 1);
    const auto rotation =
        static_cast<double>(extension.factor("anisotropyRotation", 0, -kMaxAngle, kMaxAngle));
    extension.record.anisotropy_cos = static_cast<float>(shaders::cos_of(rotation));
    extension.record.anisotropy_sin = static_cast<float>(shaders::sin_of(rotation));
    extension.record.anisotropy_slot = extension.slot("anisotropyTexture", SlotUse::Linear);
}

void read_dispersion(const Extension& extension) {
    // Exaggerated dispersion is allowed up to where no meaningful index of refraction is left.
    extension.record.dispersion = extension.factor("dispersion", 0, 0, kMostDispersion);
}

// Replaces the core: base colour is the diffuse colour, specular_color is F0, roughness is 1 −
// glossiness.
void read_specular_glossiness(const Extension& extension) {
    shaders::MaterialRecord& record = extension.record;
    record.flags |= shaders::kMaterialSpecGloss;
    std::fill(std::begin(record.base_color), std::end(record.base_color), 1.0f);
    std::fill(std::begin(record.specular_color), std::end(record.specular_color), 1.0f);
    extension.color("diffuseFactor", record.base_color, 1);
    extension.color("specularFactor", record.specular_color, 1);
    record.roughness = 1.0f - extension.factor("glossinessFactor", 1, 0, 1);
    record.metallic = 0.0f;
    record.metallic_roughness_slot = kNone;
    record.base_color_slot = extension.slot("diffuseTexture", SlotUse::Color);
    record.specular_color_slot = extension.slot("specularGlossinessTexture", SlotUse::Color);
}

struct Reader {
    const char* name;
    void (*read)(const Extension&);
};

// In this order; the specular-glossiness workflow last, since it replaces the core.
constexpr Reader kReaders[] = {
    {"KHR_materials_unlit", read_unlit},
    {"KHR_materials_emissive_strength", read_emissive_strength},
    {"KHR_materials_ior", read_ior},
    {"KHR_materials_specular", read_specular},
    {"KHR_materials_transmission", read_transmission},
    {"KHR_materials_volume", read_volume},
    {"KHR_materials_clearcoat", read_clearcoat},
    {"KHR_materials_sheen", read_sheen},
    {"KHR_materials_iridescence", read_iridescence},
    {"KHR_materials_anisotropy", read_anisotropy},
    {"KHR_materials_dispersion", read_dispersion},
    {"KHR_materials_pbrSpecularGlossiness", read_specular_glossiness},
};

}  // namespace

void read_material_extensions(const Json& material,
                              const std::string& pointer,
                              TextureSlots& slots,
                              shaders::MaterialRecord& record,
                              Notes& notes) {
    for (const Reader& reader : kReaders) {
        if (const Json* object = find_extension(material, reader.name); object != nullptr) {
            reader.read({*object, pointer + "/extensions/" + reader.name, slots, record, notes});
        }
    }
}

}  // namespace weft::scene::gltf
