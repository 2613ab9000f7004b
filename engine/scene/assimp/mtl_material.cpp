// mtl_material.cpp — see mtl_material.h.
//
// Three kinds of materials: with keys of the PBR extension (Pr, Pm), which then decide; by Blender,
// whose exporter writes the numbers of its principled BSDF into the old keys; and all others, where
// `illum` selects the terms of Phong's formula.
#include "engine/scene/assimp/mtl_material.h"

#include <algorithm>
#include <cmath>

#include "engine/scene/assimp/phong_material.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene {
namespace {

constexpr float kPlainKs = 0.5f;         // a dielectric with the Fresnel reflectance of its index
constexpr float kSheenRoughness = 0.5f;  // Ps has none

bool has_map(const MtlMaterial& from, MtlMapKind kind) {
    return !from.map(kind).file.empty();
}

std::optional<MapUse> use_of(const MtlMaterial& from, MtlMapKind kind) {
    const MtlMap& map = from.map(kind);
    if (map.file.empty()) {
        return std::nullopt;
    }
    MapUse use;
    use.name = map.file;
    shaders::TextureSlot& slot = use.slot;
    slot.wrap_u = slot.wrap_v =
        static_cast<u32>(map.is_clamped ? shaders::Wrap::Clamp : shaders::Wrap::Repeat);
    // The file's v' = s v + o counts v from the bottom; slots count it from the top.
    slot.uv_transform[0] = map.scale[0];
    slot.uv_transform[2] = map.offset[0];
    slot.uv_transform[4] = map.scale[1];
    slot.uv_transform[5] = 1 - map.scale[1] - map.offset[1];
    use.channel = map.channel;
    return use;
}

bool is_pbr(const MtlMaterial& from) {
    return from.roughness || from.metallic || has_map(from, MtlMapKind::Roughness) ||
           has_map(from, MtlMapKind::Metallic);
}

// The `illum` of an old material that is not Blender's; 2 for all others.
u32 illumination_of(const MtlMaterial& from) {
    const float number = from.illumination.value_or(2);
    return is_pbr(from) || from.is_from_blender || !(number >= 0 && number <= 10)
               ? 2
               : static_cast<u32>(number);
}

bool is_mirror(u32 illumination) {
    return illumination == 3 || illumination == 5 || illumination == 8;
}

bool refracts(u32 illumination) {
    return illumination == 6 || illumination == 7;
}

Rgb ks_of(const MtlMaterial& from, u32 illumination) {
    if (illumination < 2) {
        return {0, 0, 0};
    }
    if (has_map(from, MtlMapKind::Specular) && is_black(from.specular.value_or(Rgb{0, 0, 0}))) {
        return {1, 1, 1};
    }
    const bool is_shiny = is_pbr(from) || (from.illumination && illumination == 2);
    const float plain = is_shiny ? kPlainKs : 0.0f;
    return from.specular.value_or(Rgb{plain, plain, plain});
}

// A mirror with the reflectance Ks: at every angle, or with `illum` 5 at normal incidence.
void make_mirror(const Rgb& ks, bool has_fresnel, Material& material) {
    shaders::MaterialRecord& record = material.record;
    const float step = (record.ior - 1) / (record.ior + 1);
    const float highest = std::max({ks[0], ks[1], ks[2]});
    record.specular = has_fresnel ? (highest > 0 ? 1.0f : 0.0f) : clamped(highest);
    for (std::size_t channel = 0; channel < 3 && highest > 0; ++channel) {
        record.specular_color[channel] = ks[channel] / record.specular / (step * step);
    }
}

void map_specular(const MtlMaterial& from,
                  u32 illumination,
                  MaterialMaps& maps,
                  Material& material) {
    shaders::MaterialRecord& record = material.record;
    const Rgb ks = ks_of(from, illumination);
    if (is_mirror(illumination)) {
        make_mirror(ks, illumination == 5, material);
    } else {
        scale_specular(ks, material);
    }
    const std::optional<MapUse> map = use_of(from, MtlMapKind::Specular);
    if (map && record.specular > 0) {
        record.specular_slot = record.specular_color_slot = maps.specular_slot(*map);
    }
}

// Blender writes Ns = 1000 (1 − roughness)².
float roughness_of(const MtlMaterial& from, u32 illumination) {
    if (!from.exponent) {
        return is_mirror(illumination) || refracts(illumination) ? 0.0f : 0.6f;
    }
    return from.is_from_blender ? 1 - std::sqrt(clamped(*from.exponent / 1000))
                                : roughness_of_exponent(*from.exponent);
}

// The picture of the roughness: map_Pr, or map_Ns with the exponent that it scales.
std::optional<MapUse> roughness_map_of(const MtlMaterial& from) {
    std::optional<MapUse> map = use_of(from, MtlMapKind::Roughness);
    if (!map && !from.roughness) {
        map = use_of(from, MtlMapKind::Exponent);
        if (map && !from.is_from_blender) {
            map->exponent = from.exponent.value_or(1000);
        }
    }
    return map;
}

void map_roughness_and_metalness(const MtlMaterial& from,
                                 u32 illumination,
                                 MaterialMaps& maps,
                                 Material& material) {
    shaders::MaterialRecord& record = material.record;
    const std::optional<MapUse> rough = roughness_map_of(from);
    const std::optional<MapUse> metal = maps.joinable(rough, use_of(from, MtlMapKind::Metallic));
    const float plain = rough ? 1.0f : roughness_of(from, illumination);
    record.roughness = clamped(from.roughness.value_or(plain));
    // Blender's old metals: illum 3 (6: with alpha), and the metalness in Ka.
    const bool has_old_metal = from.is_from_blender && !is_pbr(from) && from.ambient &&
                               (from.illumination == 3.0f || from.illumination == 6.0f);
    const float old_metal = has_old_metal ? (*from.ambient)[0] : 0.0f;
    record.metallic = clamped(from.metallic.value_or(metal ? 1.0f : old_metal));
    record.metallic_roughness_slot = maps.metallic_roughness_slot(rough, metal);
}

void map_layers(const MtlMaterial& from, MaterialMaps& maps, Material& material) {
    shaders::MaterialRecord& record = material.record;
    const auto slot = [&](MtlMapKind kind, TexelMeaning meaning) {
        const std::optional<MapUse> use = use_of(from, kind);
        return use ? maps.number_slot(*use, meaning) : kNone;
    };
    const auto factor = [&](const std::optional<float>& number, MtlMapKind kind) {
        return clamped(number.value_or(has_map(from, kind) ? 1.0f : 0.0f));
    };
    record.coat = factor(from.coat, MtlMapKind::Coat);
    record.coat_slot = slot(MtlMapKind::Coat, TexelMeaning::Linear);
    record.coat_roughness = factor(from.coat_roughness, MtlMapKind::CoatRoughness);
    record.coat_roughness_slot = slot(MtlMapKind::CoatRoughness, TexelMeaning::Linear);
    std::fill_n(record.sheen_color, 3, factor(from.sheen, MtlMapKind::Sheen));
    record.sheen_color_slot = slot(MtlMapKind::Sheen, TexelMeaning::Color);
    record.sheen_roughness = kSheenRoughness;
    record.anisotropy = clamped(from.anisotropy.value_or(0));
    const double turns = static_cast<double>(from.anisotropy_turns.value_or(0));
    const double angle = 6.283185307179586 * (turns - std::floor(turns));
    record.anisotropy_cos = static_cast<float>(shaders::cos_of(angle));
    record.anisotropy_sin = static_cast<float>(shaders::sin_of(angle));
    record.normal_slot = maps.normal_slot(use_of(from, MtlMapKind::Bump));
    record.normal_scale = from.map(MtlMapKind::Bump).bump;
}

// Glass: `illum` 6 and 7, or Blender's Tf. Black glass lets all light through and colours it by Tf:
// what it did not let through, it would scatter.
void map_transmission(const MtlMaterial& from, u32 illumination, Material& material) {
    shaders::MaterialRecord& record = material.record;
    const bool is_glass = refracts(illumination);
    if (!is_glass && !(from.is_from_blender && from.filter)) {
        return;
    }
    const Rgb filter = from.filter.value_or(Rgb{1, 1, 1});
    record.transmission = clamped(std::max({filter[0], filter[1], filter[2]}));
    if (record.transmission <= 0) {
        return;
    }
    record.flags |= shaders::kMaterialSolid;
    if (is_glass) {
        record.ior = std::fmax(from.ior.value_or(1.5f), 1.0f);  // here 1 is intended
        if (!has_map(from, MtlMapKind::Diffuse) && is_black(from.diffuse.value_or(Rgb{0, 0, 0}))) {
            record.transmission = 1;
            std::transform(filter.begin(), filter.end(), record.base_color, clamped);
        }
    }
}

}  // namespace

void map_mtl_material(AssimpImport& import,
                      const MtlMaterial& from,
                      bool is_vertex_colored,
                      MaterialMaps& maps,
                      Material& material) {
    const u32 illumination = illumination_of(from);
    const float ior = from.ior.value_or(1.5f);
    material.record.ior = ior > 1 ? ior : 1.5f;  // exporters write 1 for an unknown index
    map_base_color(import,
                   {from.diffuse,
                    use_of(from, MtlMapKind::Diffuse),
                    use_of(from, MtlMapKind::Opacity),
                    from.opacity.value_or(1),
                    is_vertex_colored},
                   maps,
                   material);
    map_specular(from, illumination, maps, material);
    map_roughness_and_metalness(from, illumination, maps, material);
    map_layers(from, maps, material);
    map_emission(
        from.emissive.value_or(Rgb{0, 0, 0}), use_of(from, MtlMapKind::Emissive), maps, material);
    map_transmission(from, illumination, material);
    for (const std::string& key : from.unused) {
        import.note(Note::Kind::Ignored,
                    "material " + material.name + ": its " + key + " is not used.");
    }
}

}  // namespace weft::scene
