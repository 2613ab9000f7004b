#include "app/serve/same_lists.h"

#include <algorithm>
#include <cstring>

#include "engine/scene/edit/edit_effect.h"

namespace weft::app::serve {

namespace {

// Shares a list that is equal. False: it differs.
template <typename List>
bool share(const List& before, List& read) {
    if (!(before == read)) {
        return false;
    }
    read = before;
    return true;
}

// The same by a comparison of items.
template <typename List, typename Same>
bool share_if(const List& before, List& read, const Same& same) {
    const List& found = read;
    if (!std::equal(before.begin(), before.end(), found.begin(), found.end(), same)) {
        return false;
    }
    read = before;
    return true;
}

// Compares bits: records are plain words without padding.
template <typename Record>
bool has_same_bits(const Record& a, const Record& b) {
    return std::memcmp(&a, &b, sizeof(Record)) == 0;
}

bool is_same_mesh(const scene::Mesh& a, const scene::Mesh& b) {
    return a.name == b.name && a.material == b.material && has_same_bits(a.record, b.record);
}

bool is_same_material(const scene::Material& a, const scene::Material& b) {
    return a.name == b.name && has_same_bits(a.record, b.record);
}

bool is_same_texture(const scene::Texture& a, const scene::Texture& b) {
    return a.name == b.name && a.label == b.label && a.meaning == b.meaning &&
           has_same_bits(a.record, b.record);
}

// Instances of the same meshes and materials; their places may differ.
bool has_same_objects(const scene::Scene& before, const scene::Scene& read) {
    const auto& a = std::as_const(before.instances);
    const auto& b = std::as_const(read.instances);
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.mesh == y.mesh && x.material == y.material && x.node == y.node &&
               x.clip_planes == y.clip_planes && x.group == y.group;
    });
}

bool has_same_places(const scene::Scene& before, const scene::Scene& read) {
    const auto& a = std::as_const(before.instances);
    const auto& b = std::as_const(read.instances);
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.object_to_world == y.object_to_world && x.place == y.place && x.hold == y.hold;
    });
}

bool has_same_lights(const scene::Scene& before, const scene::Scene& read) {
    return std::equal(before.lights.begin(),
                      before.lights.end(),
                      read.lights.begin(),
                      read.lights.end(),
                      [](const scene::Light& a, const scene::Light& b) {
                          return a.name == b.name && a.kind == b.kind && a.position == b.position &&
                                 a.direction == b.direction && a.intensity == b.intensity &&
                                 a.cos_inner == b.cos_inner && a.cos_outer == b.cos_outer &&
                                 a.radius_m == b.radius_m && a.angle_deg == b.angle_deg;
                      });
}

// Not const: shares the pixels of an equal map.
bool share_environment(const scene::Environment& before, scene::Environment& read) {
    const bool has_same_pixels = before.width == read.width && before.height == read.height &&
                                 share(before.pixels, read.pixels);
    return has_same_pixels && before.strength == read.strength &&
           before.rotation_rad == read.rotation_rad;
}

// Each list by itself: one that differs keeps no other from being shared.
bool share_shapes(const scene::Scene& before, scene::Scene& read) {
    bool is_same = share(before.indices, read.indices);
    is_same = share(before.positions, read.positions) && is_same;
    is_same = share(before.normals, read.normals) && is_same;
    is_same = share(before.tangents, read.tangents) && is_same;
    is_same = share(before.uvs, read.uvs) && is_same;
    is_same = share(before.colors, read.colors) && is_same;
    return share_if(before.meshes, read.meshes, is_same_mesh) && is_same;
}

}  // namespace

u32 share_same_lists(const scene::Scene& before, scene::Scene& read) {
    const bool has_shapes = share_shapes(before, read);
    bool has_textures = share(before.texels, read.texels);
    has_textures = share_if(before.textures, read.textures, is_same_texture) && has_textures;
    bool has_shading = share_if(before.materials, read.materials, is_same_material);
    has_shading =
        share_if(before.slots, read.slots, has_same_bits<shaders::TextureSlot>) && has_shading;
    has_shading = has_same_lights(before, read) && has_shading;
    const bool has_environment = share_environment(before.environment, read.environment);

    u32 same = has_textures ? u32{scene::kEffectTextures} : 0U;
    same |= has_environment ? u32{scene::kEffectEnvironment} : 0U;
    if (!has_shapes || !has_same_objects(before, read)) {
        return scene::kEffectAll & ~same;
    }
    same |= has_same_places(before, read) ? u32{scene::kEffectPlacement} : 0U;
    same |= has_shading ? u32{scene::kEffectShading} : 0U;
    constexpr u32 kLists = scene::kEffectTextures | scene::kEffectEnvironment |
                           scene::kEffectPlacement | scene::kEffectShading;
    return kLists & ~same;
}

}  // namespace weft::app::serve
