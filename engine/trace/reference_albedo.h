// reference_albedo.h — directional albedos from the tables of shaders/scene_view.h, and what they
// do to the base layer.
//
// Pure; any thread.
#pragma once

#include "engine/trace/reference_material.h"

namespace weft::trace::reference {

// Bilinear entry of a kAlbedoSize² table; cosine in (0, 1], roughness in [0, 1].
double read_albedo(const float* table, double cosine, double roughness);

// Albedo of the specular lobe and its parts, with multiple scattering made up for (Turquin 2019).
struct SpecularAlbedo {
    double single = 1;  // E_ss
    Rgb compensation;   // factor on the lobe
    Rgb specular;       // E_spec
    Rgb dielectric;     // E_d
};

SpecularAlbedo specular_albedo(const shaders::SceneView& scene,
                               const MaterialPoint& material,
                               double cosine);

}  // namespace weft::trace::reference
