// assimp_append.cpp — appends packed meshes to the scene.
//
// One thread.
#include <cmath>

#include "engine/scene/assimp/assimp_parts.h"
#include "engine/scene/parts/mesh_data.h"

namespace weft::scene {
namespace {

// Vertex colours of these formats are display-coded (8 bits in PLY); this makes them linear.
std::vector<float> linear_colors(std::span<const float> colors) {
    std::vector<float> linear(colors.begin(), colors.end());
    for (std::size_t k = 0; k < linear.size(); ++k) {
        const float value = k % 4 == 3 ? linear[k] : srgb_to_linear(linear[k]);
        linear[k] = std::isfinite(value) ? value : 0.0f;
    }
    return linear;
}

}  // namespace

base::Result<u32> append_packed_mesh(AssimpImport& import, const PackedMesh& mesh) {
    if (mesh.corners.empty()) {
        return kNone;
    }
    const u32 material =
        mesh.material < import.materials.size() ? import.materials[mesh.material] : 0;
    const std::vector<float> colors = linear_colors(mesh.colors);
    return append_mesh(
        import.scene,
        import.path,
        mesh.name,
        {mesh.corners, mesh.positions, mesh.normals, {mesh.uvs[0], mesh.uvs[1]}, colors, false},
        material);
}

}  // namespace weft::scene
