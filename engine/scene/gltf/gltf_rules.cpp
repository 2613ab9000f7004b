// gltf_rules.cpp — the table of glTF properties that the importer reads and what each must be.
//
// From the glTF 2.0 schema and those of the extensions named here. Properties that the importer
// does not read (names of accessors, animations, asset generator, ...) are not checked.
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "engine/scene/gltf/gltf_check.h"

namespace weft::scene::gltf {

namespace {

constexpr u64 kAnyCount = u64{1} << 53;          // integers that JSON numbers hold exactly
constexpr u64 kSmallCount = (u64{1} << 31) - 1;  // where tinygltf stores an int

constexpr std::array<std::string_view, 24> kKnownExtensions = {
    "EXT_mesh_gpu_instancing",
    "EXT_meshopt_compression",
    "EXT_texture_webp",
    "KHR_animation_pointer",
    "KHR_draco_mesh_compression",
    "KHR_lights_punctual",
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_dispersion",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_iridescence",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_unlit",
    "KHR_materials_variants",
    "KHR_materials_volume",
    "KHR_mesh_quantization",
    "KHR_node_visibility",
    "KHR_texture_transform",
    "KHR_xmp",
    "KHR_xmp_json_ld",
};

constexpr Rule kStructureRules[] = {
    {"/asset", Kind::Object, true},
    {"/asset/version", Kind::Text, true},
    {"/asset/minVersion", Kind::Text},
    {"/extensionsUsed", Kind::Texts},
    {"/extensionsRequired", Kind::Texts},
    {"/extensions", Kind::Object},
    // Bytes.
    {"/buffers", Kind::Objects},
    {"/buffers/*/uri", Kind::Text},
    {"/buffers/*/byteLength", Kind::Count, true, kAnyCount},
    {"/bufferViews", Kind::Objects},
    {"/bufferViews/*/buffer", Kind::Index, true, 0, "/buffers"},
    {"/bufferViews/*/byteOffset", Kind::Count, false, kAnyCount},
    {"/bufferViews/*/byteLength", Kind::Count, true, kAnyCount},
    {"/bufferViews/*/byteStride", Kind::Count, false, kSmallCount},
    {"/bufferViews/*/target", Kind::Count, false, kSmallCount},
    {"/bufferViews/*/extensions", Kind::Object},
    {"/bufferViews/*/extensions/EXT_meshopt_compression", Kind::Object},
    {"/bufferViews/*/extensions/EXT_meshopt_compression/buffer", Kind::Index, true, 0, "/buffers"},
    {"/bufferViews/*/extensions/EXT_meshopt_compression/byteOffset", Kind::Count, false, kAnyCount},
    {"/bufferViews/*/extensions/EXT_meshopt_compression/byteLength", Kind::Count, true, kAnyCount},
    {"/bufferViews/*/extensions/EXT_meshopt_compression/byteStride",
     Kind::Count,
     true,
     kSmallCount},
    {"/bufferViews/*/extensions/EXT_meshopt_compression/count", Kind::Count, true, kAnyCount},
    {"/bufferViews/*/extensions/EXT_meshopt_compression/mode", Kind::Text, true},
    {"/bufferViews/*/extensions/EXT_meshopt_compression/filter", Kind::Text},
    {"/accessors", Kind::Objects},
    {"/accessors/*/bufferView", Kind::Index, false, 0, "/bufferViews"},
    {"/accessors/*/byteOffset", Kind::Count, false, kAnyCount},
    {"/accessors/*/componentType", Kind::Count, true, kSmallCount},
    {"/accessors/*/normalized", Kind::Flag},
    {"/accessors/*/count", Kind::Count, true, kAnyCount},
    {"/accessors/*/type", Kind::Text, true},
    {"/accessors/*/min", Kind::Numbers},
    {"/accessors/*/max", Kind::Numbers},
    {"/accessors/*/sparse", Kind::Object},
    {"/accessors/*/sparse/count", Kind::Count, true, kSmallCount},
    {"/accessors/*/sparse/indices", Kind::Object, true},
    {"/accessors/*/sparse/indices/bufferView", Kind::Index, true, 0, "/bufferViews"},
    {"/accessors/*/sparse/indices/byteOffset", Kind::Count, false, kSmallCount},
    {"/accessors/*/sparse/indices/componentType", Kind::Count, true, kSmallCount},
    {"/accessors/*/sparse/values", Kind::Object, true},
    {"/accessors/*/sparse/values/bufferView", Kind::Index, true, 0, "/bufferViews"},
    {"/accessors/*/sparse/values/byteOffset", Kind::Count, false, kSmallCount},
    // Shapes.
    {"/meshes", Kind::Objects},
    {"/meshes/*/name", Kind::Text},
    {"/meshes/*/weights", Kind::Numbers},
    {"/meshes/*/weights/*", Kind::Number},
    {"/meshes/*/primitives", Kind::Objects, true},
    {"/meshes/*/primitives/*/attributes", Kind::IndexMap, true, 0, "/accessors"},
    {"/meshes/*/primitives/*/indices", Kind::Index, false, 0, "/accessors"},
    {"/meshes/*/primitives/*/material", Kind::Index, false, 0, "/materials"},
    {"/meshes/*/primitives/*/mode", Kind::Count, false, kSmallCount},
    {"/meshes/*/primitives/*/targets", Kind::Objects},
    {"/meshes/*/primitives/*/targets/*", Kind::IndexMap, false, 0, "/accessors"},
    {"/meshes/*/primitives/*/extensions", Kind::Object},
    {"/meshes/*/primitives/*/extensions/KHR_draco_mesh_compression", Kind::Object},
    {"/meshes/*/primitives/*/extensions/KHR_draco_mesh_compression/bufferView",
     Kind::Index,
     true,
     0,
     "/bufferViews"},
    {"/meshes/*/primitives/*/extensions/KHR_draco_mesh_compression/attributes", Kind::Object, true},
    // Pictures.
    {"/samplers", Kind::Objects},
    {"/samplers/*/magFilter", Kind::Count, false, kSmallCount},
    {"/samplers/*/minFilter", Kind::Count, false, kSmallCount},
    {"/samplers/*/wrapS", Kind::Count, false, kSmallCount},
    {"/samplers/*/wrapT", Kind::Count, false, kSmallCount},
    {"/images", Kind::Objects},
    {"/images/*/name", Kind::Text},
    {"/images/*/uri", Kind::Text},
    {"/images/*/mimeType", Kind::Text},
    {"/images/*/bufferView", Kind::Index, false, 0, "/bufferViews"},
    {"/textures", Kind::Objects},
    {"/textures/*/sampler", Kind::Index, false, 0, "/samplers"},
    {"/textures/*/source", Kind::Index, false, 0, "/images"},
    {"/textures/*/extensions", Kind::Object},
    {"/textures/*/extensions/EXT_texture_webp", Kind::Object},
    {"/textures/*/extensions/EXT_texture_webp/source", Kind::Index, false, 0, "/images"},
    // Nodes and scenes.
    {"/scene", Kind::Index, false, 0, "/scenes"},
    {"/scenes", Kind::Objects},
    {"/scenes/*/name", Kind::Text},
    {"/scenes/*/nodes", Kind::Indices, false, 0, "/nodes"},
    {"/nodes", Kind::Objects},
    {"/nodes/*/name", Kind::Text},
    {"/nodes/*/children", Kind::Indices, false, 0, "/nodes"},
    {"/nodes/*/mesh", Kind::Index, false, 0, "/meshes"},
    {"/nodes/*/skin", Kind::Index, false, 0, "/skins"},
    {"/nodes/*/camera", Kind::Index, false, 0, "/cameras"},
    {"/nodes/*/matrix", Kind::Numbers, false, 16},
    {"/nodes/*/translation", Kind::Numbers, false, 3},
    {"/nodes/*/rotation", Kind::Numbers, false, 4},
    {"/nodes/*/scale", Kind::Numbers, false, 3},
    {"/nodes/*/weights", Kind::Numbers},
    {"/nodes/*/weights/*", Kind::Number},
    {"/nodes/*/extensions", Kind::Object},
    {"/nodes/*/extensions/EXT_mesh_gpu_instancing", Kind::Object},
    {"/nodes/*/extensions/EXT_mesh_gpu_instancing/attributes",
     Kind::IndexMap,
     true,
     0,
     "/accessors"},
    {"/nodes/*/extensions/KHR_node_visibility", Kind::Object},
    {"/nodes/*/extensions/KHR_node_visibility/visible", Kind::Flag},
    {"/extensions/KHR_lights_punctual", Kind::Object},
    {"/extensions/KHR_lights_punctual/lights", Kind::Objects},
    {"/extensions/KHR_lights_punctual/lights/*/name", Kind::Text},
    {"/extensions/KHR_lights_punctual/lights/*/type", Kind::Text, true},
    {"/extensions/KHR_lights_punctual/lights/*/color", Kind::Numbers, false, 3},
    {"/extensions/KHR_lights_punctual/lights/*/intensity", Kind::Number},
    {"/extensions/KHR_lights_punctual/lights/*/range", Kind::Number},
    {"/extensions/KHR_lights_punctual/lights/*/spot", Kind::Object},
    {"/extensions/KHR_lights_punctual/lights/*/spot/innerConeAngle", Kind::Number},
    {"/extensions/KHR_lights_punctual/lights/*/spot/outerConeAngle", Kind::Number},
    {"/nodes/*/extensions/KHR_lights_punctual", Kind::Object},
    {"/nodes/*/extensions/KHR_lights_punctual/light",
     Kind::Index,
     true,
     0,
     "/extensions/KHR_lights_punctual/lights"},
    {"/skins", Kind::Objects},
    {"/skins/*/joints", Kind::Indices, true, 0, "/nodes"},
    {"/skins/*/inverseBindMatrices", Kind::Index, false, 0, "/accessors"},
    {"/skins/*/skeleton", Kind::Index, false, 0, "/nodes"},
    {"/cameras", Kind::Objects},
    {"/cameras/*/name", Kind::Text},
    {"/cameras/*/type", Kind::Text, true},
    {"/cameras/*/perspective", Kind::Object},
    {"/cameras/*/perspective/yfov", Kind::Number, true},
    {"/cameras/*/perspective/znear", Kind::Number, true},
    {"/cameras/*/perspective/zfar", Kind::Number},
    {"/cameras/*/perspective/aspectRatio", Kind::Number},
    {"/cameras/*/orthographic", Kind::Object},
    {"/cameras/*/orthographic/xmag", Kind::Number, true},
    {"/cameras/*/orthographic/ymag", Kind::Number, true},
    {"/cameras/*/orthographic/znear", Kind::Number, true},
    {"/cameras/*/orthographic/zfar", Kind::Number, true},
};

constexpr Rule kMaterialRules[] = {
    {"/materials", Kind::Objects},
    {"/materials/*/name", Kind::Text},
    {"/materials/*/pbrMetallicRoughness", Kind::Object},
    {"/materials/*/pbrMetallicRoughness/baseColorFactor", Kind::Numbers, false, 4},
    {"/materials/*/pbrMetallicRoughness/metallicFactor", Kind::Number},
    {"/materials/*/pbrMetallicRoughness/roughnessFactor", Kind::Number},
    {"/materials/*/emissiveFactor", Kind::Numbers, false, 3},
    {"/materials/*/alphaMode", Kind::Text},
    {"/materials/*/alphaCutoff", Kind::Number},
    {"/materials/*/doubleSided", Kind::Flag},
    {"/materials/*/normalTexture", Kind::Object},
    {"/materials/*/normalTexture/scale", Kind::Number},
    {"/materials/*/extensions", Kind::Object},
    {"/materials/*/extensions/KHR_materials_unlit", Kind::Object},
    {"/materials/*/extensions/KHR_materials_emissive_strength", Kind::Object},
    {"/materials/*/extensions/KHR_materials_emissive_strength/emissiveStrength", Kind::Number},
    {"/materials/*/extensions/KHR_materials_ior", Kind::Object},
    {"/materials/*/extensions/KHR_materials_ior/ior", Kind::Number},
    {"/materials/*/extensions/KHR_materials_specular", Kind::Object},
    {"/materials/*/extensions/KHR_materials_specular/specularFactor", Kind::Number},
    {"/materials/*/extensions/KHR_materials_specular/specularColorFactor", Kind::Numbers, false, 3},
    {"/materials/*/extensions/KHR_materials_transmission", Kind::Object},
    {"/materials/*/extensions/KHR_materials_transmission/transmissionFactor", Kind::Number},
    {"/materials/*/extensions/KHR_materials_volume", Kind::Object},
    {"/materials/*/extensions/KHR_materials_volume/thicknessFactor", Kind::Number},
    {"/materials/*/extensions/KHR_materials_volume/attenuationDistance", Kind::Number},
    {"/materials/*/extensions/KHR_materials_volume/attenuationColor", Kind::Numbers, false, 3},
    {"/materials/*/extensions/KHR_materials_clearcoat", Kind::Object},
    {"/materials/*/extensions/KHR_materials_clearcoat/clearcoatFactor", Kind::Number},
    {"/materials/*/extensions/KHR_materials_clearcoat/clearcoatRoughnessFactor", Kind::Number},
    {"/materials/*/extensions/KHR_materials_sheen", Kind::Object},
    {"/materials/*/extensions/KHR_materials_sheen/sheenColorFactor", Kind::Numbers, false, 3},
    {"/materials/*/extensions/KHR_materials_sheen/sheenRoughnessFactor", Kind::Number},
    {"/materials/*/extensions/KHR_materials_iridescence", Kind::Object},
    {"/materials/*/extensions/KHR_materials_iridescence/iridescenceFactor", Kind::Number},
    {"/materials/*/extensions/KHR_materials_iridescence/iridescenceIor", Kind::Number},
    {"/materials/*/extensions/KHR_materials_iridescence/iridescenceThicknessMinimum", Kind::Number},
    {"/materials/*/extensions/KHR_materials_iridescence/iridescenceThicknessMaximum", Kind::Number},
    {"/materials/*/extensions/KHR_materials_anisotropy", Kind::Object},
    {"/materials/*/extensions/KHR_materials_anisotropy/anisotropyStrength", Kind::Number},
    {"/materials/*/extensions/KHR_materials_anisotropy/anisotropyRotation", Kind::Number},
    {"/materials/*/extensions/KHR_materials_dispersion", Kind::Object},
    {"/materials/*/extensions/KHR_materials_dispersion/dispersion", Kind::Number},
    {"/materials/*/extensions/KHR_materials_pbrSpecularGlossiness", Kind::Object},
    {"/materials/*/extensions/KHR_materials_pbrSpecularGlossiness/diffuseFactor",
     Kind::Numbers,
     false,
     4},
    {"/materials/*/extensions/KHR_materials_pbrSpecularGlossiness/specularFactor",
     Kind::Numbers,
     false,
     3},
    {"/materials/*/extensions/KHR_materials_pbrSpecularGlossiness/glossinessFactor", Kind::Number},
};

// The places of textures; each gets the rules of textureInfo.
constexpr const char* kTexturePlaces[] = {
    "/materials/*/pbrMetallicRoughness/baseColorTexture",
    "/materials/*/pbrMetallicRoughness/metallicRoughnessTexture",
    "/materials/*/normalTexture",
    "/materials/*/occlusionTexture",
    "/materials/*/emissiveTexture",
    "/materials/*/extensions/KHR_materials_specular/specularTexture",
    "/materials/*/extensions/KHR_materials_specular/specularColorTexture",
    "/materials/*/extensions/KHR_materials_transmission/transmissionTexture",
    "/materials/*/extensions/KHR_materials_volume/thicknessTexture",
    "/materials/*/extensions/KHR_materials_clearcoat/clearcoatTexture",
    "/materials/*/extensions/KHR_materials_clearcoat/clearcoatRoughnessTexture",
    "/materials/*/extensions/KHR_materials_clearcoat/clearcoatNormalTexture",
    "/materials/*/extensions/KHR_materials_sheen/sheenColorTexture",
    "/materials/*/extensions/KHR_materials_sheen/sheenRoughnessTexture",
    "/materials/*/extensions/KHR_materials_iridescence/iridescenceTexture",
    "/materials/*/extensions/KHR_materials_iridescence/iridescenceThicknessTexture",
    "/materials/*/extensions/KHR_materials_anisotropy/anisotropyTexture",
    "/materials/*/extensions/KHR_materials_pbrSpecularGlossiness/diffuseTexture",
    "/materials/*/extensions/KHR_materials_pbrSpecularGlossiness/specularGlossinessTexture",
};

constexpr Rule kTextureRules[] = {
    {"", Kind::Object},
    {"/index", Kind::Index, true, 0, "/textures"},
    {"/texCoord", Kind::Count, false, kSmallCount},
    {"/scale", Kind::Number},
    {"/strength", Kind::Number},
    {"/extensions", Kind::Object},
    {"/extensions/KHR_texture_transform", Kind::Object},
    {"/extensions/KHR_texture_transform/offset", Kind::Numbers, false, 2},
    {"/extensions/KHR_texture_transform/rotation", Kind::Number},
    {"/extensions/KHR_texture_transform/scale", Kind::Numbers, false, 2},
    {"/extensions/KHR_texture_transform/texCoord", Kind::Count, false, kSmallCount},
};

struct RuleTable {
    std::vector<std::string> paths;  // of the texture rules: place and property joined
    std::vector<Rule> rows;
};

RuleTable make_table() {
    RuleTable table;
    table.rows.assign(std::begin(kStructureRules), std::end(kStructureRules));
    table.rows.insert(table.rows.end(), std::begin(kMaterialRules), std::end(kMaterialRules));
    table.paths.reserve(std::size(kTexturePlaces) * std::size(kTextureRules));
    for (const char* place : kTexturePlaces) {
        for (Rule rule : kTextureRules) {
            table.paths.push_back(std::string(place) + rule.path);
            rule.path = table.paths.back().c_str();
            table.rows.push_back(rule);
        }
    }
    return table;
}

}  // namespace

std::span<const Rule> rules() {
    static const RuleTable table = make_table();
    return table.rows;
}

bool is_known_extension(const std::string& name) {
    return std::find(kKnownExtensions.begin(), kKnownExtensions.end(), name) !=
           kKnownExtensions.end();
}

}  // namespace weft::scene::gltf
