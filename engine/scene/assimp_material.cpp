// assimp_material.cpp — material keys of OBJ's MTL and of assimp's other formats as glTF-like
// materials.
//
// The mapping is a table in README.md. Pictures that share one of our slots (roughness and
// metalness, colour and opacity) are put together into one. One thread.
#include <algorithm>
#include <assimp/material.h>
#include <assimp/mesh.h>
#include <assimp/scene.h>
#include <cmath>
#include <optional>

#include "engine/scene/assimp_maps.h"
#include "engine/scene/assimp_parts.h"

namespace weft::scene {
namespace {

std::optional<float> find_number(const aiMaterial& material,
                                 const char* key,
                                 unsigned type,
                                 unsigned index) {
    float value = 0;
    if (material.Get(key, type, index, value) == aiReturn_SUCCESS && std::isfinite(value)) {
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

float clamped(float value) {
    return std::fmin(std::fmax(value, 0.0f), 1.0f);
}

bool is_black(const aiColor3D& color) {
    return color.r <= 0 && color.g <= 0 && color.b <= 0;
}

void put_color(float* to, const aiColor3D& color) {
    to[0] = std::fmax(color.r, 0.0f);
    to[1] = std::fmax(color.g, 0.0f);
    to[2] = std::fmax(color.b, 0.0f);
}

// Roughness from a Phong exponent: the GGX width with the same highlight is α = √(2 / (Ns + 2)),
// and roughness is √α.
float roughness_of_exponent(float exponent) {
    return std::sqrt(std::sqrt(2.0f / (std::fmax(exponent, 0.0f) + 2.0f)));
}

// Whether a mesh of material `index` brings its own colours.
bool has_vertex_colors(const aiScene& source, u32 index) {
    return std::any_of(source.mMeshes, source.mMeshes + source.mNumMeshes, [&](const aiMesh* mesh) {
        return mesh->mMaterialIndex == index && mesh->HasVertexColors(0);
    });
}

void map_base_color(AssimpImport& import,
                    const aiMaterial& source,
                    bool is_vertex_colored,
                    MaterialMaps& maps,
                    Material& material) {
    shaders::MaterialRecord& record = material.record;
    const auto map = find_map(source, {aiTextureType_BASE_COLOR, aiTextureType_DIFFUSE});
    const auto opacity_map = find_map(source, {aiTextureType_OPACITY});
    auto color = find_color(source, AI_MATKEY_BASE_COLOR);
    color = color ? color : find_color(source, AI_MATKEY_COLOR_DIFFUSE);
    if (color && map && is_black(*color)) {
        import.note(
            Note::Kind::Repaired,
            "material " + material.name + ": its colour is black under a texture; taken as white.");
        color = aiColor3D(1, 1, 1);
    }
    // Vertex colours say it all; without any colour the surface is a light grey.
    if (is_vertex_colored && !map) {
        color = aiColor3D(1, 1, 1);
    }
    const float plain = map ? 1.0f : 0.6f;
    put_color(record.base_color, color.value_or(aiColor3D(plain, plain, plain)));
    record.base_color_slot = maps.color_slot(map, opacity_map);
    float opacity = clamped(find_number(source, AI_MATKEY_OPACITY).value_or(1));
    if (opacity <= 0) {
        import.note(
            Note::Kind::Repaired,
            "material " + material.name + ": its opacity is 0, which would hide it; taken as 1.");
        opacity = 1;
    }
    record.base_color[3] = opacity;
    if (opacity < 1 || opacity_map) {
        record.alpha_mode = static_cast<u32>(shaders::AlphaMode::Blend);
    }
}

void map_surface(const aiMaterial& source, MaterialMaps& maps, Material& material) {
    shaders::MaterialRecord& record = material.record;
    const auto roughness_map = find_map(source, {aiTextureType_DIFFUSE_ROUGHNESS});
    const auto metalness_map = find_map(source, {aiTextureType_METALNESS});
    const auto exponent = find_number(source, AI_MATKEY_SHININESS);
    const auto roughness = find_number(source, AI_MATKEY_ROUGHNESS_FACTOR);
    const float from_exponent = exponent ? roughness_of_exponent(*exponent) : 0.6f;
    record.roughness = clamped(roughness.value_or(roughness_map ? 1.0f : from_exponent));
    record.metallic = clamped(
        find_number(source, AI_MATKEY_METALLIC_FACTOR).value_or(metalness_map ? 1.0f : 0.0f));
    record.metallic_roughness_slot = maps.metallic_roughness_slot(roughness_map, metalness_map);
    const float ior = find_number(source, AI_MATKEY_REFRACTI).value_or(1.5f);
    record.ior = ior > 1 ? ior : 1.5f;  // 1 is what exporters write who do not know
    record.coat = clamped(find_number(source, AI_MATKEY_CLEARCOAT_FACTOR).value_or(0));
    record.coat_roughness =
        clamped(find_number(source, AI_MATKEY_CLEARCOAT_ROUGHNESS_FACTOR).value_or(0));
    record.normal_slot = maps.normal_slot(find_map(
        source, {aiTextureType_NORMAL_CAMERA, aiTextureType_NORMALS, aiTextureType_HEIGHT}));
}

void map_emission(const aiMaterial& source, MaterialMaps& maps, Material& material) {
    const auto map = find_map(source, {aiTextureType_EMISSION_COLOR, aiTextureType_EMISSIVE});
    aiColor3D color = find_color(source, AI_MATKEY_COLOR_EMISSIVE).value_or(aiColor3D(0, 0, 0));
    if (map && is_black(color)) {
        color = aiColor3D(1, 1, 1);
    }
    put_color(material.record.emissive,
              color * find_number(source, AI_MATKEY_EMISSIVE_INTENSITY).value_or(1));
    material.record.emissive_slot = map ? maps.plain_slot(*map, TexelMeaning::Color) : kNone;
}

}  // namespace

base::Status append_assimp_materials(AssimpImport& import, const aiScene& source) {
    for (u32 index = 0; index < source.mNumMaterials; ++index) {
        const aiMaterial& from = *source.mMaterials[index];
        Material material{"", default_material()};
        material.record.flags &= ~shaders::kMaterialSingleSided;  // these formats know no culling
        aiString name;
        from.Get(AI_MATKEY_NAME, name);
        material.name = import.name_or_file(name.C_Str());
        MaterialMaps maps(import, source, material.name);
        map_base_color(import, from, has_vertex_colors(source, index), maps, material);
        map_surface(from, maps, material);
        map_emission(from, maps, material);
        if (maps.error()) {
            return *maps.error();
        }
        import.materials.push_back(static_cast<u32>(import.scene.materials.size()));
        import.scene.materials.push_back(std::move(material));
    }
    return base::Done{};
}

}  // namespace weft::scene
