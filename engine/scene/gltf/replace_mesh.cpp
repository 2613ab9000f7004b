#include "engine/scene/gltf/replace_mesh.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/scene/gltf/gltf_geometry.h"
#include "scheduler/base/memory_limit.h"

namespace weft::scene {

namespace {

// A scene's triangles and vertices, and its meshes over them.
struct Geometry {
    explicit Geometry(const Scene& scene)
        : indices(scene.indices.allocator()),
          positions(scene.positions.allocator()),
          normals(scene.normals.allocator()),
          tangents(scene.tangents.allocator()),
          uvs(scene.uvs.allocator()),
          colors(scene.colors.allocator()) {}

    void swap_with(Scene& scene) {
        std::swap(scene.indices, indices);
        std::swap(scene.positions, positions);
        std::swap(scene.normals, normals);
        std::swap(scene.tangents, tangents);
        std::swap(scene.uvs, uvs);
        std::swap(scene.colors, colors);
        std::swap(scene.meshes, meshes);
    }

    GeometryArena<u32> indices;
    GeometryArena<float> positions;
    GeometryArena<float> normals;
    GeometryArena<float> tangents;
    GeometryArena<float> uvs;
    GeometryArena<float> colors;
    Arena<Mesh> meshes;
};

std::vector<u32> meshes_of(const Scene& scene, const std::string& name) {
    std::vector<u32> found;
    for (u32 mesh = 0; mesh < scene.meshes.size(); ++mesh) {
        if (std::as_const(scene.meshes)[mesh].name == name) {
            found.push_back(mesh);
        }
    }
    return found;
}

u64 bytes_of(const Scene& scene) {
    return sizeof(float) * (scene.indices.size() + scene.positions.size() + scene.normals.size() +
                            scene.tangents.size() + scene.uvs.size() + scene.colors.size());
}

// Appends all meshes of `before` to `scene`, which has none, but parts instead of those `replaced`.
base::Status append_all(Scene& scene,
                        const Scene& before,
                        const std::vector<u32>& replaced,
                        const Scene& parts) {
    std::unordered_map<u32, u32> mesh_at;  // of `scene`, by the first triangle in `before`
    std::size_t part = 0;
    for (u32 mesh = 0; mesh < before.meshes.size(); ++mesh) {
        const Mesh& old = std::as_const(before.meshes)[mesh];
        const bool is_replaced = part < replaced.size() && replaced[part] == mesh;
        const auto same = mesh_at.find(old.record.first_triangle);
        if (!is_replaced && same != mesh_at.end()) {
            Mesh sharing = old;
            sharing.record = std::as_const(scene.meshes)[same->second].record;
            scene.meshes.push_back(std::move(sharing));
            continue;
        }
        gltf::Shape shape = is_replaced ? gltf::shape_of(parts, static_cast<u32>(part))
                                        : gltf::shape_of(before, mesh);
        if (is_replaced) {
            gltf::give_tangents(shape, scene, old.material);
            ++part;
        } else {
            mesh_at.try_emplace(old.record.first_triangle, mesh);
        }
        WEFT_TRY(gltf::append_shape(scene, shape, old.name, old.material));
    }
    return base::Done{};
}

}  // namespace

base::Status replace_mesh(Scene& scene,
                          const std::string& name,
                          const std::string& path,
                          const ImportConfig& config) {
    const std::vector<u32> replaced = meshes_of(scene, name);
    if (replaced.empty()) {
        return base::Error{base::ErrorKind::Scene,
                           "mesh \"" + name + "\": the scene has none of this name"};
    }
    Scene parts;
    WEFT_TRY(import_gltf(path, config, parts));
    if (parts.meshes.size() != replaced.size()) {
        return base::Error{base::ErrorKind::Scene,
                           path + ": has " + std::to_string(parts.meshes.size()) +
                               " parts with triangles, expected " +
                               std::to_string(replaced.size()) + " as the mesh \"" + name +
                               "\" of the scene"};
    }
    const base::Result<base::MemoryClaim> claim =
        base::claim_memory(bytes_of(scene) + bytes_of(parts), "mesh \"" + name + "\"");
    WEFT_TRY(claim);
    const Scene before = scene;
    Geometry geometry(scene);
    geometry.swap_with(scene);
    const base::Status appended = append_all(scene, before, replaced, parts);
    if (!appended.is_ok()) {
        geometry.swap_with(scene);
    }
    return appended;
}

}  // namespace weft::scene
