#include "engine/scene/edit/scene_changes.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace weft::scene {

namespace {

template <typename Record>
bool has_same_bytes(const Record& a, const Record& b) {
    static_assert(std::has_unique_object_representations_v<Record> ||
                  std::is_trivially_copyable_v<Record>);
    return std::memcmp(&a, &b, sizeof(Record)) == 0;
}

bool is_same(float a, float b) {
    return has_same_bytes(a, b);
}

bool is_same(u32 a, u32 b) {
    return a == b;
}

bool is_same(const shaders::TextureSlot& a, const shaders::TextureSlot& b) {
    return has_same_bytes(a, b);
}

bool is_same(const Mesh& a, const Mesh& b) {
    return a.name == b.name && a.material == b.material && has_same_bytes(a.record, b.record);
}

bool is_same(const Material& a, const Material& b) {
    return a.name == b.name && a.is_lamp == b.is_lamp && has_same_bytes(a.record, b.record);
}

bool is_same(const Texture& a, const Texture& b) {
    return a.name == b.name && a.label == b.label && a.meaning == b.meaning &&
           has_same_bytes(a.record, b.record);
}

// All but the transform.
bool is_same_part(const Instance& a, const Instance& b) {
    return a.mesh == b.mesh && a.material == b.material && a.node == b.node &&
           a.clip_planes == b.clip_planes && a.place == b.place && a.group == b.group;
}

bool is_same(const Instance& a, const Instance& b) {
    return is_same_part(a, b) && a.object_to_world == b.object_to_world && a.hold == b.hold &&
           a.source == b.source;
}

bool is_same(const Light& a, const Light& b) {
    return a.name == b.name && a.kind == b.kind && a.position == b.position &&
           a.direction == b.direction && a.intensity == b.intensity && a.cos_inner == b.cos_inner &&
           a.cos_outer == b.cos_outer && a.radius_m == b.radius_m && a.angle_deg == b.angle_deg;
}

// Shares the array where its items are the same. Returns whether it is shared now.
template <typename Items>
bool share(Items& items, const Items& former) {
    if (items.shares_with(former)) {
        return true;
    }
    using Item = typename Items::value_type;
    const auto& mine = std::as_const(items).items();
    const bool is_equal = std::equal(mine.begin(),
                                     mine.end(),
                                     former.items().begin(),
                                     former.items().end(),
                                     [](const Item& a, const Item& b) { return is_same(a, b); });
    if (is_equal) {
        items = former;
    }
    return is_equal;
}

u32 instance_changes(Scene& scene, const Scene& former) {
    if (share(scene.instances, former.instances)) {
        return kEffectNone;
    }
    const std::vector<Instance>& mine = std::as_const(scene.instances).items();
    const std::vector<Instance>& others = former.instances.items();
    return std::equal(mine.begin(), mine.end(), others.begin(), others.end(), is_same_part)
               ? u32{kEffectPlacement}
               : u32{kEffectAll};
}

u32 geometry_changes(Scene& scene, const Scene& former) {
    // Compare the triangles.
    const bool has_indices = share(scene.indices, former.indices);
    const bool has_triangles = share(scene.meshes, former.meshes) && has_indices;
    // Compare the vertices. Skins and morph targets change their values, not their number.
    bool is_shared = true;
    bool is_alike = true;
    const auto compare = [&](GeometryArena<float>& mine, const GeometryArena<float>& others) {
        is_alike = is_alike && mine.size() == others.size();
        is_shared = share(mine, others) && is_shared;
    };
    compare(scene.positions, former.positions);
    compare(scene.normals, former.normals);
    compare(scene.tangents, former.tangents);
    compare(scene.uvs, former.uvs);
    compare(scene.colors, former.colors);
    if (!has_triangles || !is_alike) {
        return kEffectAll;
    }
    return is_shared ? kEffectNone : kEffectVertices;
}

bool share_shading(Scene& scene, const Scene& former) {
    const bool has_materials = share(scene.materials, former.materials);
    const bool has_slots = share(scene.slots, former.slots);
    return has_materials && has_slots &&
           std::equal(scene.lights.begin(),
                      scene.lights.end(),
                      former.lights.begin(),
                      former.lights.end(),
                      [](const Light& a, const Light& b) { return is_same(a, b); });
}

bool share_textures(Scene& scene, const Scene& former) {
    const bool has_texels = scene.texels == former.texels;
    if (has_texels) {
        scene.texels = former.texels;
    }
    return share(scene.textures, former.textures) && has_texels;
}

bool share_environment(Environment& environment, const Environment& former) {
    return share(environment.pixels, former.pixels) && environment.width == former.width &&
           environment.height == former.height && environment.strength == former.strength &&
           environment.rotation_rad == former.rotation_rad;
}

}  // namespace

u32 share_unchanged(Scene& scene, const Scene& former) {
    u32 effect = kEffectCamera;
    effect |= geometry_changes(scene, former);
    effect |= instance_changes(scene, former);
    effect |= share_shading(scene, former) ? kEffectNone : kEffectShading;
    effect |= share_textures(scene, former) ? kEffectNone : kEffectTextures;
    effect |=
        share_environment(scene.environment, former.environment) ? kEffectNone : kEffectEnvironment;
    return effect;
}

}  // namespace weft::scene
