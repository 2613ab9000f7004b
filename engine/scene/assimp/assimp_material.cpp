// assimp_material.cpp — maps the material keys of assimp's formats to the scene's materials;
// mtl_material.cpp maps those of MTL libraries.
//
// assimp.md has the table. One thread.
#include <assimp/material.h>
#include <assimp/scene.h>
#include <cmath>
#include <optional>

#include "engine/scene/assimp/assimp_maps.h"
#include "engine/scene/assimp/assimp_parts.h"
#include "engine/scene/assimp/mtl_material.h"
#include "engine/scene/assimp/phong_material.h"
#include "engine/scene/model/texture.h"

namespace weft::scene {
namespace {

std::optional<float> find_number(const aiMaterial& material,
                                 const char* key,
                                 unsigned type,
                                 unsigned index) {
    float value = 0;
    unsigned most = 1;  // without it assimp writes as many numbers as the property has
    if (aiGetMaterialFloatArray(&material, key, type, index, &value, &most) == aiReturn_SUCCESS &&
        std::isfinite(value)) {
        return value;
    }
    return std::nullopt;
}

std::optional<aiColor3D> find_color(const aiMaterial& material,
                                    const char* key,
                                    unsigned type,
                                    unsigned index) {
    aiColor3D color;
    if (material.Get(key, type, index, color) == aiReturn_SUCCESS && std::isfinite(color.r) &&
        std::isfinite(color.g) && std::isfinite(color.b)) {
        return color;
    }
    return std::nullopt;
}

Rgb positive(const aiColor3D& color) {
    return {std::fmax(color.r, 0.0f), std::fmax(color.g, 0.0f), std::fmax(color.b, 0.0f)};
}

SurfaceColor surface_color(const AssimpImport& import,
                           const aiMaterial& source,
                           bool is_vertex_colored) {
    auto color = find_color(source, AI_MATKEY_BASE_COLOR);
    color = color ? color : find_color(source, AI_MATKEY_COLOR_DIFFUSE);
    if (color && import.extension == "3mf") {  // colours of a display
        color =
            aiColor3D(srgb_to_linear(color->r), srgb_to_linear(color->g), srgb_to_linear(color->b));
    }
    return {color ? std::optional<Rgb>(positive(*color)) : std::nullopt,
            find_map(source, {aiTextureType_BASE_COLOR, aiTextureType_DIFFUSE}),
            find_map(source, {aiTextureType_OPACITY}),
            find_number(source, AI_MATKEY_OPACITY).value_or(1),
            is_vertex_colored};
}

// Whether the colour of highlights counts: in the models of Phong and Blinn, without a key of
// another workflow.
bool has_highlights(const aiMaterial& source) {
    int model = 0;
    unsigned most = 1;
    const bool is_phong =
        aiGetMaterialIntegerArray(&source, AI_MATKEY_SHADING_MODEL, &model, &most) ==
            aiReturn_SUCCESS &&
        (model == aiShadingMode_Phong || model == aiShadingMode_Blinn);
    return is_phong && !find_number(source, AI_MATKEY_ROUGHNESS_FACTOR) &&
           !find_number(source, AI_MATKEY_METALLIC_FACTOR);
}

void map_surface(const aiMaterial& source, MaterialMaps& maps, Material& material) {
    shaders::MaterialRecord& record = material.record;
    const auto roughness_map = find_map(source, {aiTextureType_DIFFUSE_ROUGHNESS});
    const auto metalness_map =
        maps.joinable(roughness_map, find_map(source, {aiTextureType_METALNESS}));
    const auto exponent = find_number(source, AI_MATKEY_SHININESS);
    const auto roughness = find_number(source, AI_MATKEY_ROUGHNESS_FACTOR);
    const float from_exponent = exponent ? roughness_of_exponent(*exponent) : 0.6f;
    record.roughness = clamped(roughness.value_or(roughness_map ? 1.0f : from_exponent));
    record.metallic = clamped(
        find_number(source, AI_MATKEY_METALLIC_FACTOR).value_or(metalness_map ? 1.0f : 0.0f));
    record.metallic_roughness_slot = maps.metallic_roughness_slot(roughness_map, metalness_map);
    const float ior = find_number(source, AI_MATKEY_REFRACTI).value_or(1.5f);
    record.ior = ior > 1 ? ior : 1.5f;  // exporters write 1 for an unknown index
    const auto specular = find_color(source, AI_MATKEY_COLOR_SPECULAR);
    if (specular && has_highlights(source)) {
        scale_specular(positive(*specular), material);
    }
    record.coat = clamped(find_number(source, AI_MATKEY_CLEARCOAT_FACTOR).value_or(0));
    record.coat_roughness =
        clamped(find_number(source, AI_MATKEY_CLEARCOAT_ROUGHNESS_FACTOR).value_or(0));
    record.normal_slot = maps.normal_slot(find_map(
        source, {aiTextureType_NORMAL_CAMERA, aiTextureType_NORMALS, aiTextureType_HEIGHT}));
}

// The material with the names by which its pictures are found.
MtlMaterial with_pictures(const AssimpImport& import, MtlMaterial material) {
    for (MtlMap& map : material.maps) {
        if (!map.file.empty()) {
            map.file = library_picture(import, material.folder, map.file);
        }
    }
    return material;
}

void map_assimp_material(AssimpImport& import,
                         const aiMaterial& from,
                         bool is_vertex_colored,
                         MaterialMaps& maps,
                         Material& material) {
    map_base_color(import, surface_color(import, from, is_vertex_colored), maps, material);
    map_surface(from, maps, material);
    const aiColor3D emitted =
        find_color(from, AI_MATKEY_COLOR_EMISSIVE).value_or(aiColor3D(0, 0, 0));
    map_emission(positive(emitted),
                 find_map(from, {aiTextureType_EMISSION_COLOR, aiTextureType_EMISSIVE}),
                 maps,
                 material);
    for (float& value : material.record.emissive) {
        value *= std::fmax(find_number(from, AI_MATKEY_EMISSIVE_INTENSITY).value_or(1), 0.0f);
    }
}

}  // namespace

base::Status append_assimp_materials(AssimpImport& import, const aiScene& source) {
    for (u32 index = 0; index < source.mNumMaterials; ++index) {
        const aiMaterial& from = *source.mMaterials[index];
        Material material{"", default_material()};
        material.record.flags &= ~shaders::kMaterialSingleSided;  // these formats have no culling
        aiString name;
        from.Get(AI_MATKEY_NAME, name);
        material.name = import.name_or_file(name.C_Str());
        MaterialMaps maps(import, source, material.name);
        const bool is_vertex_colored =
            index < import.is_vertex_colored.size() && import.is_vertex_colored[index];
        if (const MtlMaterial* mtl = import.libraries.find(name.C_Str()); mtl != nullptr) {
            map_mtl_material(
                import, with_pictures(import, *mtl), is_vertex_colored, maps, material);
        } else {
            map_assimp_material(import, from, is_vertex_colored, maps, material);
        }
        if (maps.error()) {
            return *maps.error();
        }
        import.materials.push_back(static_cast<u32>(import.scene.materials.size()));
        import.scene.materials.push_back(std::move(material));
    }
    return base::Done{};
}

}  // namespace weft::scene
