// assimp_append.cpp — appends packed meshes to the arenas.
//
// Makes tangents here, because the material decides whether a mesh needs them. One thread.
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/scene/assimp/assimp_parts.h"
#include "engine/scene/model/tangents.h"

namespace weft::scene {
namespace {

// A large mesh reserves exactly its size; many small ones grow the arena by half each time.
void append_to(GeometryArena<float>& arena, std::span<const float> values) {
    auto& items = arena.own();
    const std::size_t needed = items.size() + values.size();
    if (needed > items.capacity()) {
        items.reserve(std::max(needed, items.capacity() + items.capacity() / 2));
    }
    items.insert(items.end(), values.begin(), values.end());
}

// The row of the first element; kNone where the mesh has none.
u32 append_attribute(GeometryArena<float>& arena, std::span<const float> values, u32 per_vertex) {
    if (values.empty()) {
        return kNone;
    }
    const u32 first = static_cast<u32>(arena.size() / per_vertex);
    append_to(arena, values);
    return first;
}

// Vertex v of the result is vertex source[v].
std::vector<float> gathered(std::span<const float> values,
                            u32 per_vertex,
                            const std::vector<u32>& source) {
    std::vector<float> picked;
    if (!values.empty()) {
        picked.reserve(std::size_t{per_vertex} * source.size());
        for (const u32 vertex : source) {
            const float* const from = values.data() + std::size_t{per_vertex} * vertex;
            picked.insert(picked.end(), from, from + per_vertex);
        }
    }
    return picked;
}

// A mesh with tangents, in which vertices that need two of them are doubled.
struct Doubled {
    std::vector<u32> corners;
    std::vector<float> positions;
    std::vector<float> normals;
    std::vector<float> uvs[2];
    std::vector<float> colors;
    std::vector<float> tangents;
};

Doubled with_tangents(const PackedMesh& mesh, u32 uv_set) {
    TangentMesh made = make_tangents(mesh.corners, mesh.positions, mesh.normals, mesh.uvs[uv_set]);
    Doubled doubled;
    doubled.corners = std::move(made.indices);
    doubled.positions = gathered(mesh.positions, 3, made.source);
    doubled.normals = gathered(mesh.normals, 3, made.source);
    doubled.uvs[0] = gathered(mesh.uvs[0], 2, made.source);
    doubled.uvs[1] = gathered(mesh.uvs[1], 2, made.source);
    doubled.colors = gathered(mesh.colors, 4, made.source);
    doubled.tangents = std::move(made.tangents);
    return doubled;
}

// Vertex colours of these formats are display-coded (8 bits in PLY); this makes them linear.
u32 append_colors(Scene& scene, std::span<const float> colors) {
    const u32 first = append_attribute(scene.colors, colors, 4);
    if (first != kNone) {
        auto& items = scene.colors.own();
        for (std::size_t k = std::size_t{4} * first; k < items.size(); ++k) {
            const float linear = k % 4 == 3 ? items[k] : srgb_to_linear(items[k]);
            items[k] = std::isfinite(linear) ? linear : 0.0f;
        }
    }
    return first;
}

u32 append(Scene& scene, const PackedMesh& mesh, std::span<const float> tangents, u32 material) {
    shaders::MeshRecord record{};
    record.first_triangle = static_cast<u32>(scene.indices.size() / 3);
    record.triangle_count = static_cast<u32>(mesh.corners.size() / 3);
    scene.indices.insert(scene.indices.end(), mesh.corners.begin(), mesh.corners.end());
    record.first_position = append_attribute(scene.positions, mesh.positions, 3);
    record.first_normal = append_attribute(scene.normals, mesh.normals, 3);
    record.first_tangent = append_attribute(scene.tangents, tangents, 4);
    record.first_uv0 = append_attribute(scene.uvs, mesh.uvs[0], 2);
    record.first_uv1 = append_attribute(scene.uvs, mesh.uvs[1], 2);
    record.first_color = append_colors(scene, mesh.colors);
    scene.meshes.push_back({mesh.name, record, material});
    return static_cast<u32>(scene.meshes.size() - 1);
}

}  // namespace

u32 append_packed_mesh(AssimpImport& import, const PackedMesh& mesh) {
    if (mesh.corners.empty()) {
        return kNone;
    }
    Scene& scene = import.scene;
    const u32 material =
        mesh.material < import.materials.size() ? import.materials[mesh.material] : 0;
    const shaders::MaterialRecord& record = std::as_const(scene.materials)[material].record;
    const bool has_map = record.normal_slot != kNone;
    const u32 uv_set = has_map ? std::as_const(scene.slots)[record.normal_slot].uv_set : 0;
    const bool needs_tangents = has_map || record.anisotropy > 0;
    if (!needs_tangents || mesh.uvs[uv_set].empty()) {
        return append(scene, mesh, {}, material);
    }
    const Doubled doubled = with_tangents(mesh, uv_set);
    PackedMesh both = mesh;
    both.corners = doubled.corners;
    both.positions = doubled.positions;
    both.normals = doubled.normals;
    both.uvs[0] = doubled.uvs[0];
    both.uvs[1] = doubled.uvs[1];
    both.colors = doubled.colors;
    return append(scene, both, doubled.tangents, material);
}

}  // namespace weft::scene
