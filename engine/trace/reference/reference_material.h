// reference_material.h — a material's parameters at one point, textures applied (shaders/bsdf.md
// section 4).
//
// Pure; any thread.
#pragma once

#include "engine/trace/reference/reference_hit.h"

namespace weft::trace::reference {

struct MaterialPoint {
    Rgb base;
    Rgb albedo;    // the AOV: base colour, of glossy records with the specular colour over it
    Rgb emission;  // cd/m², already base colour for unlit materials
    double metallic = 0;
    double roughness = 0;
    double alpha_x = 0;  // GGX widths along and across the tangent
    double alpha_y = 0;
    double anisotropy = 0;  // strength
    Rgb f0_dielectric;      // of the dielectric part, thin film included
    Rgb f0_metal;           // of the metal, whose F90 is 1
    double f90_dielectric = 1;
    double transmission = 0;
    double coat = 0;
    double coat_roughness = 0;
    Rgb sheen_color;
    double sheen_roughness = 0;
    bool is_anisotropic = false;
    bool is_unlit = false;
    bool is_solid = false;
    bool is_boundary = false;       // of a medium, without a surface
    bool is_thin_straight = false;  // light passes straight, and shadow rays with it
};

// All parameters at a surface.
MaterialPoint read_material(const shaders::SceneView& scene, const Surface& surface);

// Raises α of the facets of base and coat to at least `least`, in [0, 1], where light does not pass
// straight through a wall ("Regularisation"). Returns whether that changes any.
bool widen_facets(MaterialPoint& material, double least);

// The emission alone, of any point of a triangle.
Rgb read_emission(const shaders::SceneView& scene, TriangleName name, const TexturePoint& point);

// GGX width of a perceptual roughness.
inline double ggx_alpha(double roughness) {
    return std::max(square(roughness), 0.001);
}

}  // namespace weft::trace::reference
