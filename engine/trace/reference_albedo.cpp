// reference_albedo.cpp — see reference_albedo.h.
#include "engine/trace/reference_albedo.h"

namespace weft::trace::reference {

namespace {

constexpr double kLast = shaders::kAlbedoSize - 1;

}  // namespace

double read_albedo(const float* table, double cosine, double roughness) {
    const double column = std::clamp(cosine * shaders::kAlbedoSize - 0.5, 0.0, kLast);
    const double row = std::clamp(roughness * kLast, 0.0, kLast);
    const auto left = static_cast<u32>(std::min(std::floor(column), kLast - 1));
    const auto top = static_cast<u32>(std::min(std::floor(row), kLast - 1));
    const auto entry = [table](u32 i, u32 j) {
        return static_cast<double>(table[j * shaders::kAlbedoSize + i]);
    };
    const double across = column - left;
    return mix(mix(entry(left, top), entry(left + 1, top), across),
               mix(entry(left, top + 1), entry(left + 1, top + 1), across),
               row - top);
}

SpecularAlbedo specular_albedo(const shaders::SceneView& scene,
                               const MaterialPoint& material,
                               double cosine) {
    const bool is_isotropic = material.alpha_x == material.alpha_y;
    const double roughness =
        is_isotropic ? material.roughness : std::pow(material.alpha_x * material.alpha_y, 0.25);
    const double a = read_albedo(scene.ggx_albedo_a, cosine, roughness);
    const double b = read_albedo(scene.ggx_albedo_b, cosine, roughness);
    SpecularAlbedo result;
    result.single = a + b;
    const auto compensation = [&](Rgb f0) {
        return gray(1) + f0 * ((1 - result.single) / result.single);
    };
    result.compensation = compensation(material.f0);
    result.specular = at_most((material.f0 * a + gray(material.f90 * b)) * result.compensation, 1);
    const Rgb dielectric = material.f0_dielectric * a + gray(material.f90_dielectric * b);
    result.dielectric = at_most(dielectric * compensation(material.f0_dielectric), 1);
    return result;
}

}  // namespace weft::trace::reference
