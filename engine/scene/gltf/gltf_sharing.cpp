#include "engine/scene/gltf/gltf_sharing.h"

#include <algorithm>
#include <bit>

#include "engine/scene/gltf/gltf_accessor.h"
#include "engine/scene/gltf/gltf_check.h"

namespace weft::scene::gltf {

namespace {

const tinygltf::Primitive& primitive_of(const Document& document, const PrimitiveUse& use) {
    return document.model.meshes[use.mesh].primitives[use.primitive];
}

const Json* draco_of(const Document& document, const PrimitiveUse& use) {
    return find_extension(primitive_json(document, use.mesh, use.primitive),
                          "KHR_draco_mesh_compression");
}

u64 triangles_of(int mode, u64 corners) {
    const bool is_row = mode == TINYGLTF_MODE_TRIANGLE_STRIP || mode == TINYGLTF_MODE_TRIANGLE_FAN;
    return is_row ? std::max<u64>(corners, 2) - 2 : corners / 3;
}

std::string names_of(const std::map<std::string, int>& attributes) {
    std::string text;
    for (const auto& [name, accessor] : attributes) {
        text += name + '=' + std::to_string(accessor) + ' ';
    }
    return text;
}

}  // namespace

std::string geometry_key(const Document& document, const PrimitiveUse& use) {
    const tinygltf::Primitive& primitive = primitive_of(document, use);
    std::string key = std::to_string(primitive.mode) + ' ' + std::to_string(primitive.indices) +
                      ' ' + std::to_string(use.skin) + ' ' +
                      (use.tangent_uv_set ? std::to_string(*use.tangent_uv_set) : "-") + ' ' +
                      names_of(primitive.attributes);
    if (const Json* draco = draco_of(document, use)) {
        key += json_to_text(*draco);
    }
    for (std::size_t t = 0; t < primitive.targets.size() && t < use.morph_weights.size(); ++t) {
        key += '+' + std::to_string(std::bit_cast<u64>(use.morph_weights[t])) + ' ' +
               names_of(primitive.targets[t]);
    }
    return key;
}

u64 element_count(const Document& document, int index) {
    const tinygltf::Accessor& accessor = document.model.accessors[static_cast<std::size_t>(index)];
    if (accessor.bufferView < 0) {
        return accessor.count > kMaxImpliedElements ? 0 : accessor.count;
    }
    const View& view = document.views[static_cast<std::size_t>(accessor.bufferView)];
    return std::min<u64>(accessor.count, view.bytes.size());
}

GeometrySize geometry_size(const Document& document, const PrimitiveUse& use) {
    const tinygltf::Primitive& primitive = primitive_of(document, use);
    const auto positions = primitive.attributes.find("POSITION");
    GeometrySize size;
    if (draco_of(document, use) || positions == primitive.attributes.end() ||
        primitive.mode < TINYGLTF_MODE_TRIANGLES || primitive.mode > TINYGLTF_MODE_TRIANGLE_FAN) {
        return size;
    }
    const bool is_indexed = primitive.indices >= 0;
    const u64 there = element_count(document, positions->second);
    const u64 corners = is_indexed ? element_count(document, primitive.indices) : there;
    size.triangles = triangles_of(primitive.mode, corners);
    // clean_shape() drops vertices that no triangle uses; add_tangents() splits some.
    u64 vertices = std::min(there, 3 * size.triangles);
    const auto has = [&](const char* name) { return primitive.attributes.count(name) != 0; };
    const bool adds_tangents = use.tangent_uv_set && !has("TANGENT");
    vertices = adds_tangents ? std::min(2 * vertices, 3 * size.triangles) : vertices;
    const u32 floats = 3U + (has("NORMAL") ? 3U : 0U) + (use.tangent_uv_set ? 4U : 0U) +
                       (has("TEXCOORD_0") ? 2U : 0U) + (has("TEXCOORD_1") ? 2U : 0U) +
                       (has("COLOR_0") ? 4U : 0U);
    size.bytes = vertices * floats * sizeof(float) + size.triangles * 3 * sizeof(u32);
    const u64 target_bytes = primitive.targets.empty() ? 0 : 3 * sizeof(float);
    size.making_bytes = size.bytes + there * (sizeof(u32) + target_bytes);
    return size;
}

}  // namespace weft::scene::gltf
