#include "engine/scene/parts/plain_material.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft::scene {

Material dull_material(const std::string& name) {
    Material material{name, default_material()};
    material.record.flags &= ~shaders::kMaterialSingleSided;
    material.record.metallic = 0;
    material.record.specular = 0;
    return material;
}

void set_base_color(const math::Vec3& color, Material& material) {
    const math::Vec3 base = within_one(color);
    for (glm::length_t c = 0; c < 3; ++c) {
        material.record.base_color[c] = base[c];
    }
}

math::Vec3 within_one(const math::Vec3& color) {
    return {std::clamp(color.x, 0.0F, 1.0F),
            std::clamp(color.y, 0.0F, 1.0F),
            std::clamp(color.z, 0.0F, 1.0F)};
}

void set_widths(double along_u, double along_v, shaders::MaterialRecord& record) {
    const double u = std::clamp(along_u, 0.0, 1.0);
    const double v = std::clamp(along_v, 0.0, 1.0);
    const double narrow = std::min(u, v);
    record.roughness = static_cast<float>(std::sqrt(narrow));
    record.anisotropy =
        u == v ? 0.0F : static_cast<float>(std::sqrt((std::max(u, v) - narrow) / (1 - narrow)));
    // The wide direction is the tangent, u, or a quarter turn from it.
    record.anisotropy_cos = u >= v ? 1.0F : 0.0F;
    record.anisotropy_sin = u >= v ? 0.0F : 1.0F;
}

math::Vec3 below_boundary(const math::Vec3& color, double index) {
    const double inverse = 1 / std::max(index, 1.0);
    const auto held = static_cast<float>(std::clamp(
        -1.4399 * inverse * inverse + 0.7099 * inverse + 0.6681 + 0.0636 / inverse, 0.0, 0.99));
    math::Vec3 seen;
    for (glm::length_t c = 0; c < 3; ++c) {
        const float base = std::clamp(color[c], 0.0F, 1.0F);
        seen[c] = (1 - held) * base / (1 - held * base);
    }
    return seen;
}

double thin_pane_index(double index) {
    const double root = (index - 1) / (index + 1);
    const double both = std::sqrt(2 * root * root / (1 + root * root));
    return (1 + both) / (1 - both);
}

bool Medium::is_clear() const {
    return absorption == math::Vec3(0) && scattering == math::Vec3(0);
}

std::string fault_of_coefficient(double value) {
    return std::isfinite(value) && value >= 0 ? ""
                                              : "is no coefficient of a medium; expected numbers "
                                                "that are finite and not below 0.";
}

std::string fault_of_mean_cosine(double g) {
    return g > -1 && g < 1 ? "" : "is no mean cosine; expected a number above -1 and below 1.";
}

u32 FilledMaterials::of(Scene& scene, u32 material, const Medium& medium) {
    const math::Vec3& a = medium.absorption;
    const math::Vec3& s = medium.scattering;
    const auto [entry, is_new] =
        made_.try_emplace({material, {a.x, a.y, a.z, s.x, s.y, s.z, medium.g}}, kNone);
    if (is_new) {
        Material filled = std::as_const(scene.materials)[material];
        filled.name += " filled";
        for (glm::length_t c = 0; c < 3; ++c) {
            filled.record.sigma_a[c] = a[c];
            filled.record.sigma_s[c] = s[c];
        }
        filled.record.phase_g = std::clamp(medium.g, -shaders::kMostG, shaders::kMostG);
        entry->second = static_cast<u32>(scene.materials.size());
        scene.materials.push_back(std::move(filled));
    }
    return entry->second;
}

u32 FilledMaterials::boundary_of(Scene& scene, const Medium& medium) {
    if (boundary_ == kNone) {
        Material boundary = dull_material("boundary");
        boundary.record.flags |= shaders::kMaterialSolid | shaders::kMaterialBoundary;
        boundary.record.ior = 1;
        boundary_ = static_cast<u32>(scene.materials.size());
        scene.materials.push_back(std::move(boundary));
    }
    return of(scene, boundary_, medium);
}

u32 ShiningMaterials::of(Scene& scene, u32 material, const Radiance& radiance) {
    const math::Vec3& color = radiance.color;
    const float sides = radiance.is_two_sided ? 2.0F : 1.0F;
    const auto [entry, is_new] =
        made_.try_emplace({{material, radiance.slot}, {color.x, color.y, color.z, sides}}, kNone);
    if (is_new) {
        Material shining = std::as_const(scene.materials)[material];
        shining.name += " light";
        shining.is_lamp = true;
        for (glm::length_t c = 0; c < 3; ++c) {
            shining.record.emissive[c] = color[c];
        }
        shining.record.emissive_slot = radiance.slot;
        shining.record.flags |= radiance.is_two_sided ? 0 : shaders::kMaterialFrontEmission;
        entry->second = static_cast<u32>(scene.materials.size());
        scene.materials.push_back(std::move(shining));
    }
    return entry->second;
}

}  // namespace weft::scene
