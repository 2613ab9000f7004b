// reference_hit.h — the surface at a hit: position, normals, frames (shaders/bsdf.md section 3).
//
// Pure functions over the scene's tables; any thread.
#pragma once

#include "engine/trace/reference/reference_scene.h"
#include "engine/trace/reference/reference_texture.h"

namespace weft::trace::reference {

struct Surface {
    TriangleName name;
    u32 material = 0;
    Vec position;
    Vec wo;            // to the viewer
    Vec geometric;     // n_g, facing the viewer
    Frame frame;       // z: shading normal with the normal map; x: tangent of anisotropy, if any
    Frame coat_frame;  // z: normal of the coat
    bool is_front = true;
    double offset_m = 0;  // offset of ray origins along ±n_g
    TexturePoint textures;
};

// A lobe of at least this α widens the ray cone to at least this spread.
inline constexpr double kRoughWidth = 0.1;

// A ray cone at a surface.
struct Cone {
    double width_m = 0;  // across the ray
    double spread = 0;   // metres per metre
};

// The surface at a hit of a ray along `direction`.
Surface make_surface(const shaders::SceneView& scene, const RayHit& hit, Vec direction, Cone cone);

// The surface for the tint of a shadow ray: n_g for all normals, textures at level 0.
Surface make_flat_surface(const shaders::SceneView& scene, const RayHit& hit, Vec direction);

// Origin of a ray that leaves the surface along `direction`.
Vec start_point(const Surface& surface, Vec direction);

}  // namespace weft::trace::reference
