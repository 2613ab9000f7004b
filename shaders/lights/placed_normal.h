// placed_normal.h — the geometric normal of a placed triangle, for what shadow rays pass.
//
// Scalar and never fused. Called by traversal for candidate hits, on any thread. Reads only.
#pragma once

#include <array>

#include "shaders/host/scene_view.h"

namespace weft::shaders {

// A vertex in the world, with products and sums in `Real`: tints use float, media double, and
// another type would change the bits of their pictures.
template <typename Real>
std::array<double, 3> world_vertex(const SceneView& scene,
                                   const InstanceRecord& placed,
                                   u64 vertex) {
    const float* const p = scene.positions + 3 * vertex;
    std::array<double, 3> world{};
    for (u32 row = 0; row < 3; ++row) {
        const float* const m = placed.object_to_world + 4 * row;
        const Real sum = static_cast<Real>(m[0]) * static_cast<Real>(p[0]) +
                         static_cast<Real>(m[1]) * static_cast<Real>(p[1]) +
                         static_cast<Real>(m[2]) * static_cast<Real>(p[2]) +
                         static_cast<Real>(m[3]);
        world[row] = static_cast<double>(sum);
    }
    return world;
}

// (b − a) × (c − a) of the triangle's corners in the world, which are computed in `Real`.
template <typename Real>
std::array<double, 3> placed_normal(const SceneView& scene,
                                    const InstanceRecord& placed,
                                    u32 primitive) {
    const MeshRecord& mesh = scene.meshes[placed.mesh];
    const u32* const corner = scene.indices + 3 * (u64{mesh.first_triangle} + primitive);
    const auto a = world_vertex<Real>(scene, placed, u64{mesh.first_position} + corner[0]);
    const auto b = world_vertex<Real>(scene, placed, u64{mesh.first_position} + corner[1]);
    const auto c = world_vertex<Real>(scene, placed, u64{mesh.first_position} + corner[2]);
    std::array<double, 3> normal{};
    for (u32 k = 0; k < 3; ++k) {
        const u32 i = (k + 1) % 3;
        const u32 j = (k + 2) % 3;
        normal[k] = (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
    }
    return normal;
}

}  // namespace weft::shaders
