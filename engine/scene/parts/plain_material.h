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

// The colour with each channel between 0 and 1.
math::Vec3 within_one(const math::Vec3& color);

// Widths α of a microfacet distribution along u and v, within [0, 1], as roughness and anisotropy.
// α is the square of roughness here, and anisotropy s widens it along its direction to
// α + (1 − α) s².
void set_widths(double along_u, double along_v, shaders::MaterialRecord& record);

// The colour that a diffuse base below a smooth boundary of this index has where light that
// the boundary holds back scatters again, from that of the base alone: (1 − f) ρ / (1 − f ρ), f
// being what the boundary reflects of diffuse light from inside (Egan and Hilgeman 1973).
math::Vec3 below_boundary(const math::Vec3& color, double index);

// The index whose one boundary reflects at normal incidence what both boundaries of a thin pane of
// this index do, with all light between them: 2 R / (1 + R).
double thin_pane_index(double index);

// What fills the inside of a solid, per metre.
struct Medium {
    math::Vec3 absorption{};
    math::Vec3 scattering{};
    float g = 0;  // mean cosine of what it scatters, within (−1, 1)

    [[nodiscard]] bool is_clear() const;
};

// What is wrong with the numbers of a medium, which a file gives: a coefficient below 0 or that is
// no finite number, or a `g` outside of (−1, 1). Empty: nothing.
std::string fault_of_coefficient(double value);
std::string fault_of_mean_cosine(double g);

// Copies of materials with a medium inside, once for each medium, and boundaries of media without a
// surface. One import; one thread.
class FilledMaterials {
public:
    // The material of the scene with this medium inside.
    u32 of(Scene& scene, u32 material, const Medium& medium);
    // The boundary of a medium without a surface.
    u32 boundary_of(Scene& scene, const Medium& medium);

private:
    std::map<std::pair<u32, std::vector<float>>, u32> made_;
    u32 boundary_ = kNone;
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
