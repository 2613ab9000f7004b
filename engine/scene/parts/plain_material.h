// plain_material.h — materials that importers of other renderers begin with, and what their
// roughness and layers become here.
//
// Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/math/vector.h"
#include "engine/scene/model/scene.h"

namespace weft::scene {

// A two-sided surface that only scatters: white, no highlight.
Material dull_material(const std::string& name);

// Each channel within [0, 1].
void set_base_color(const math::Vec3& color, Material& material);

// Widths α of a microfacet distribution along u and v, within [0, 1], as roughness and anisotropy.
// α is the square of roughness here, and anisotropy s widens it along its direction to
// α + (1 − α) s².
void set_widths(double along_u, double along_v, shaders::MaterialRecord& record);

// The colour that a diffuse base below a smooth boundary of this index has where light that
// the boundary holds back scatters again, from that of the base alone: (1 − f) ρ / (1 − f ρ), f
// being what the boundary reflects of diffuse light from inside (Egan and Hilgeman 1973).
math::Vec3 below_boundary(const math::Vec3& color, double index);

// Copies of materials whose inside absorbs light, once for each absorption. One import; one thread.
class FilledMaterials {
public:
    // The material of the scene with this absorption per metre.
    u32 of(Scene& scene, u32 material, const math::Vec3& absorption);

private:
    std::map<std::pair<u32, std::vector<float>>, u32> made_;
};

// What an area light gives off.
struct Radiance {
    math::Vec3 color{};  // cd/m²
    u32 slot = kNone;    // of a picture that it multiplies
    bool is_two_sided = false;
};

// Copies of materials that shine, once for each radiance. One import; one thread.
class ShiningMaterials {
public:
    // The material of the scene with this radiance.
    u32 of(Scene& scene, u32 material, const Radiance& radiance);

private:
    std::map<std::pair<std::pair<u32, u32>, std::vector<float>>, u32> made_;
};

}  // namespace weft::scene
