// reference_hit.h — what a ray finds where it meets a triangle: place, normals, frames
// (shaders/bsdf.md section 3).
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
    Vec wo;         // towards the viewer
    Vec geometric;  // n_g turned to the viewer
    Frame frame;  // z: shading normal with the normal map; x: tangent of anisotropy, where there is
                  // one
    Frame coat_frame;  // z: normal of the coat
    bool is_front = true;
    double offset_m = 0;  // how far along ±n_g rays start
    TexturePoint textures;
};

// Lobes from this α on widen the ray cone to at least this spread.
inline constexpr double kRoughWidth = 0.1;

// A ray cone where it meets a surface.
struct Cone {
    double width_m = 0;  // across the ray
    double spread = 0;   // metres per metre
};

// The surface at a hit of a ray along `direction`.
Surface make_surface(const shaders::SceneView& scene, const RayHit& hit, Vec direction, Cone cone);

// The same as a shadow ray sees it: the geometric normal for all normals, textures at level 0.
Surface make_flat_surface(const shaders::SceneView& scene, const RayHit& hit, Vec direction);

// Where a ray along `direction` starts on the surface.
Vec start_point(const Surface& surface, Vec direction);

}  // namespace weft::trace::reference
