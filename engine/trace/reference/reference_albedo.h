// reference_albedo.h — directional albedos from the tables of shaders/host/scene_view.h, and what
// they do to the base layer.
//
// Pure; any thread.
#pragma once

#include "engine/trace/reference/reference_material.h"

namespace weft::trace::reference {

// Bilinear entry of a kAlbedoSize² table; cosine in (0, 1], roughness in [0, 1].
double read_albedo(const float* table, double cosine, double roughness);

// A and B of a specular lobe.
struct LobeAlbedo {
    double a;
    double b;
};

// Of the GGX lobe, from the table of both parts.
LobeAlbedo read_ggx_albedo(const float* table, double cosine, double roughness);

// Albedo of the specular lobe and its parts, with multiple scattering made up for (Turquin 2019).
struct SpecularAlbedo {
    double single = 1;            // E_ss
    Rgb dielectric_compensation;  // factors on the lobes of both parts
    Rgb metal_compensation;
    Rgb specular;    // E_spec, of both
    Rgb dielectric;  // E_d
};

// As seen from wo, in the frame of the specular lobe.
SpecularAlbedo specular_albedo(const shaders::SceneView& scene,
                               const MaterialPoint& material,
                               Vec wo);

// Of the mean roughness, where no tangent is known.
SpecularAlbedo mean_specular_albedo(const shaders::SceneView& scene,
                                    const MaterialPoint& material,
                                    double cosine);

// What facets of rough glass keep from each other, given back on both sides (Kulla and Conty 2017).
class GlassFill {
public:
    GlassFill() = default;
    GlassFill(const shaders::SceneView& scene, const MaterialPoint& material, Vec wo, double eta);

    // Share of the glass lobe that goes here.
    [[nodiscard]] double lost() const { return lost_; }

    // Share of that which is reflected.
    [[nodiscard]] double reflected() const { return reflected_; }

    // f without the colour; wi in the frame.
    [[nodiscard]] double value(Vec wi) const;

private:
    const shaders::SceneView* scene_ = nullptr;
    double roughness_ = 0;
    double eta_ = 1;
    double lost_ = 0;
    double reflected_ = 0;
    double normaliser_ = 1;
};

}  // namespace weft::trace::reference
