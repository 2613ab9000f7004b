// reference_texture.h — texture lookups of shaders/bsdf.md section 3 in double precision.
//
// Reads the scene's texel arena through a material's slots, filtered by a ray cone (Akenine-Möller
// et al. 2019, 2021), nearest, or at level 0. Pure; any thread.
#pragma once

#include <array>

#include "engine/trace/reference/reference_math.h"
#include "shaders/host/scene_view.h"

namespace weft::trace::reference {

using Rgba = std::array<double, 4>;

// A point on a triangle, and the footprint of the ray cone there.
struct TexturePoint {
    std::array<std::array<Vec, 3>, 2> uv{};  // [set][vertex], z unused
    double b1 = 0;                           // barycentrics of vertices 1 and 2
    double b2 = 0;
    double width_m = 0;    // of the cone; 0: level 0 of every texture
    double stretch = 1;    // the footprint's long axis over the width
    bool is_wide = false;  // the cone left a rough lobe
    double long_b1 = 0;    // the long axis, as differences of b1 and b2
    double long_b2 = 0;
    double world_area_cross = 0;  // |cross| of the world edges, m²
};

// The point with the uvs of the triangle's corners; (0, 0) for missing sets. Reads level 0.
TexturePoint texture_point(
    const shaders::SceneView& scene, u32 instance, u32 primitive, double b1, double b2);

// The point for reading normal maps: with a footprint no longer than wide.
TexturePoint normal_point(const TexturePoint& point);

// RGBA (linear, straight alpha) of a slot; all 1 for kNone.
Rgba read_slot(const shaders::SceneView& scene, u32 slot, const TexturePoint& point);

// Interpolated vertex colour; all 1 where the mesh has none.
Rgba read_vertex_color(
    const shaders::SceneView& scene, u32 instance, u32 primitive, double b1, double b2);

// Alpha of a point of a triangle: 1 where opaque, 0 or 1 for MASK, the blend alpha for BLEND (level
// 0).
double read_alpha(
    const shaders::SceneView& scene, u32 instance, u32 primitive, double b1, double b2);

}  // namespace weft::trace::reference
