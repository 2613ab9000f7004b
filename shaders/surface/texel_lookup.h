// texel_lookup.h — scalar texture lookups at mip level 0, for single triangles: alpha decisions and
// the tint of shadow rays during traversal, and the mean emission of a triangle when light tables
// are built.
//
// Never fused, so that every instruction set gives the same bits. Any thread; through local memory
// the thread of its cluster.
#pragma once

#include <array>

#include "shaders/host/scene_view.h"

namespace weft::shaders {

// Where lookups read texels.
enum class TexelPlace : u32 {
    Arena,  // SceneView::texels
    Local,  // SceneView::local_texels, or the arena where it is null: for the emulated GPU
};

// RGBA (linear, straight alpha) of `slot` at (u, v) before the slot's transform; bilinear or
// nearest, by the slot. White where `slot` is kNone.
template <TexelPlace kPlace = TexelPlace::Arena>
std::array<float, 4> lookup_level0(const SceneView& scene, u32 slot, float u, float v);

// Interpolated uv of `set` (0 or 1) at barycentrics (u, v) of a triangle; (0, 0) where the mesh has
// none.
std::array<float, 2> interpolate_uv(
    const SceneView& scene, const MeshRecord& mesh, u32 primitive, u32 set, float u, float v);

// Vertex colour (linear RGBA) at barycentrics (u, v); white where the mesh has none.
std::array<float, 4> interpolate_color(
    const SceneView& scene, const MeshRecord& mesh, u32 primitive, float u, float v);

// lookup_level0() at barycentrics (u, v), in the slot's uv set; white where `slot` is kNone.
template <TexelPlace kPlace = TexelPlace::Arena>
std::array<float, 4> lookup_hit(
    const SceneView& scene, u32 slot, const MeshRecord& mesh, u32 primitive, float u, float v);

// Alpha of a hit: 1 for opaque, 0 or 1 for MASK, the blend alpha for BLEND (shaders/bsdf.md section
// 1).
template <TexelPlace kPlace = TexelPlace::Arena>
float hit_alpha(const SceneView& scene, u32 instance, u32 primitive, float u, float v);

// True if alpha lets the ray hit the triangle (a hash compared with alpha).
template <TexelPlace kPlace = TexelPlace::Arena>
bool is_present(const SceneView& scene,
                u32 alpha_key,
                bool is_shadow,
                u32 instance,
                u32 primitive,
                float u,
                float v);

// The tint of a shadow ray by a triangle that is_present(): false if the triangle blocks the ray;
// else adds round(−log2(W) · 2²⁰) per channel.
template <TexelPlace kPlace = TexelPlace::Arena>
bool tint_shadow(const SceneView& scene,
                 u32 instance,
                 u32 primitive,
                 float u,
                 float v,
                 const float direction[3],
                 u32 tint[3]);

}  // namespace weft::shaders
