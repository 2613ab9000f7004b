// trace_stage.h — small scenes for the tests of engine/trace: unit quads in the plane z = 0, two
// triangles each.
#pragma once

#include "engine/scene/model/scene.h"
#include "tests/shaders/tiled_texels.h"

namespace weft::trace::test {

inline u32 add_material(scene::Scene& scene) {
    scene::Material material;
    material.record = scene::default_material();
    scene.materials.push_back(material);
    return static_cast<u32>(scene.materials.size() - 1);
}

// A quad from (0, 0) to (1, 1) with uv = xy.
inline u32 add_quad(scene::Scene& scene) {
    scene::Mesh mesh;
    mesh.record = {static_cast<u32>(scene.indices.size() / 3),
                   2,
                   static_cast<u32>(scene.positions.size() / 3),
                   kNone,
                   kNone,
                   static_cast<u32>(scene.uvs.size() / 2),
                   kNone,
                   kNone};
    for (const u32 index : {0u, 1u, 2u, 0u, 2u, 3u}) {
        scene.indices.push_back(index);
    }
    for (const float value : {0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 1.f, 1.f, 0.f, 0.f, 1.f, 0.f}) {
        scene.positions.push_back(value);
    }
    for (const float value : {0.f, 0.f, 1.f, 0.f, 1.f, 1.f, 0.f, 1.f}) {
        scene.uvs.push_back(value);
    }
    scene.meshes.push_back(mesh);
    return static_cast<u32>(scene.meshes.size() - 1);
}

inline u32 add_instance(scene::Scene& scene,
                        u32 mesh,
                        u32 material,
                        const math::Affine& to_world = math::kIdentity) {
    scene::Instance instance;
    instance.mesh = mesh;
    instance.material = material;
    instance.object_to_world = to_world;
    scene.instances.push_back(instance);
    return static_cast<u32>(scene.instances.size() - 1);
}

inline void set_emissive(scene::Scene& scene, u32 material, float value) {
    for (float& channel : scene.materials[material].record.emissive) {
        channel = value;
    }
}

// An 8-bit linear texture of grey levels and a clamped slot that reads it nearest.
inline u32 add_texture(scene::Scene& scene, u32 width, u32 height, const std::vector<u32>& words) {
    scene::Texture texture;
    texture.record.width = width;
    texture.record.height = height;
    texture.record.mip_count = 1;
    texture.record.mip_offset[0] = static_cast<u32>(scene.texels.size());
    const std::vector<u32> tiles =
        tests::tiled(width, height, shaders::TexelFormat::Linear8, words);
    static_cast<void>(scene.texels.append(tiles));  // in memory it cannot fail
    scene.textures.push_back(texture);
    scene.slots.push_back(
        {static_cast<u32>(scene.textures.size() - 1), 0, {1, 0, 0, 0, 1, 0}, 1, 1, 1, {}});
    return static_cast<u32>(scene.slots.size() - 1);
}

}  // namespace weft::trace::test
