// reference_albedo.cpp — see reference_albedo.h.
#include "engine/trace/reference/reference_albedo.h"

#include <array>

namespace weft::trace::reference {

namespace {

constexpr double kLast = shaders::kAlbedoSize - 1;
constexpr double kSmooth = 0.001;  // α: the floor

// A coordinate in entries of a table, and what lies around it.
struct Between {
    u32 low;
    double share;  // of the next entry

    Between(double x, u32 size) {
        const double inside = std::clamp(x, 0.0, size - 1.0);
        low = static_cast<u32>(std::min(std::floor(inside), size - 2.0));
        share = inside - low;
    }
};

// Of an isotropic lobe in place of this one.
double mean_roughness(const MaterialPoint& material) {
    const bool is_isotropic = material.alpha_x == material.alpha_y;
    return is_isotropic ? material.roughness : std::pow(material.alpha_x * material.alpha_y, 0.25);
}

// The one that losses of glass are looked up by.
double loss_roughness(const MaterialPoint& material) {
    const double sum = square(material.alpha_x) + square(material.alpha_y);
    return material.is_anisotropic ? std::pow(sum / 2, 0.25) : material.roughness;
}

// α in the plane of incidence.
double seen_alpha(const MaterialPoint& material, Vec wo) {
    const double flat = std::hypot(wo.x, wo.y);
    const double seen = std::hypot(material.alpha_x * wo.x, material.alpha_y * wo.y);
    return flat > 0 ? seen / flat : material.alpha_y;
}

// Coordinates of tables in [0, 1].
double roughness_coordinate(double roughness) {
    constexpr double kLeast = shaders::kLeastRoughness;
    return (roughness - kLeast) / (1 - kLeast);
}

double cosine_coordinate(double cosine, double roughness) {
    return (cosine + std::sqrt(cosine * (1 + roughness) / (cosine + roughness))) / 2;
}

double share_of(double part, double whole) {
    return whole > 1e-6 ? saturate(part / whole) : 0;
}

// Linear between the entries around a place; `width` floats apart.
template <std::size_t kAxes>
double read_linear(const float* table,
                   const std::array<Between, kAxes>& at,
                   const std::array<u32, kAxes>& sizes,
                   u32 width) {
    double sum = 0;
    for (u32 corner = 0; corner < 1u << kAxes; ++corner) {
        double weight = 1;
        u32 entry = 0;
        for (std::size_t k = 0; k < kAxes; ++k) {
            const bool is_next = (corner >> k & 1) != 0;
            weight *= is_next ? at[k].share : 1 - at[k].share;
            entry = entry * sizes[k] + at[k].low + (is_next ? 1 : 0);
        }
        sum += weight * static_cast<double>(table[entry * width]);
    }
    return sum;
}

// Of an anisotropic surface: linear in four coordinates.
LobeAlbedo anisotropic_albedo(const shaders::SceneView& scene,
                              const MaterialPoint& material,
                              Vec wo) {
    using namespace shaders;
    const double low = std::sqrt(material.alpha_y);
    const double high = std::sqrt(material.alpha_x);
    const double seen = std::sqrt(seen_alpha(material, wo));
    constexpr std::array<u32, 4> kSizes = {
        kBrushStrengths, kBrushRoughnesses, kBrushWidths, kBrushCosines};
    const std::array<Between, 4> at = {
        Between(share_of(high - low, 1 - low) * (kSizes[0] - 1), kSizes[0]),
        Between(roughness_coordinate(low) * (kSizes[1] - 1), kSizes[1]),
        Between(share_of(seen - low, high - low) * (kSizes[2] - 1), kSizes[2]),
        Between(cosine_coordinate(saturate(wo.z), seen) * (kSizes[3] - 1), kSizes[3])};
    const double single = read_linear(scene.anisotropic_albedo, at, kSizes, 2);
    const double root = read_linear(scene.anisotropic_albedo + 1, at, kSizes, 2);
    const double b = single * std::pow(root, 5);
    return {single - b, b};
}

// An index in the table of glass losses, in entries.
double loss_slice(double eta) {
    const double x = (eta - 1) / (eta + 1);
    const double z = std::min(std::sqrt(std::fabs(x)) / double{shaders::kLossReach}, 1.0);
    return (std::copysign(z * (1.4 - 0.4 * z), x) + 1) / 2 * (shaders::kLossIndices - 1);
}

double read_loss(const shaders::SceneView& scene, double roughness, double slice, double cosine) {
    using namespace shaders;
    const double least = std::max(roughness, double{kLeastRoughness});
    constexpr std::array<u32, 3> kSizes = {kLossIndices, kLossRoughnesses, kLossCosines};
    const std::array<Between, 3> at = {
        Between(slice, kSizes[0]),
        Between(roughness_coordinate(roughness) * (kSizes[1] - 1), kSizes[1]),
        Between(cosine_coordinate(saturate(cosine), least) * (kSizes[2] - 1), kSizes[2])};
    return read_linear(scene.glass_loss, at, kSizes, 1);
}

double read_mean_loss(const shaders::SceneView& scene, double roughness, double slice) {
    using namespace shaders;
    constexpr std::array<u32, 2> kSizes = {kLossIndices, kLossRoughnesses};
    const std::array<Between, 2> at = {
        Between(slice, kSizes[0]),
        Between(roughness_coordinate(roughness) * (kSizes[1] - 1), kSizes[1])};
    return read_linear(scene.glass_mean_loss, at, kSizes, 1);
}

// What anisotropic glass loses more than glass of its mean roughness.
double read_anisotropy(const shaders::SceneView& scene,
                       const MaterialPoint& material,
                       Vec wo,
                       double slice) {
    using namespace shaders;
    const double low = std::sqrt(material.alpha_y);
    const double high = std::sqrt(material.alpha_x);
    const double mean = loss_roughness(material);
    const double flat = std::max(std::hypot(wo.x, wo.y), 1e-6);
    const double azimuth = (1 + (std::fabs(wo.x) - std::fabs(wo.y)) / flat) / 2;
    constexpr double kSlices = (kGlassIndices - 1.0) / (kLossIndices - 1.0);
    constexpr std::array<u32, 5> kSizes = {
        kGlassIndices, kGlassStrengths, kGlassRoughnesses, kGlassAzimuths, kGlassCosines};
    const std::array<Between, 5> at = {
        Between(slice * kSlices, kSizes[0]),
        Between(share_of(high - low, 1 - low) * (kSizes[1] - 1), kSizes[1]),
        Between(roughness_coordinate(low) * (kSizes[2] - 1), kSizes[2]),
        Between(azimuth * (kSizes[3] - 1), kSizes[3]),
        Between(cosine_coordinate(saturate(wo.z), mean) * (kSizes[4] - 1), kSizes[4])};
    return read_linear(scene.glass_anisotropy, at, kSizes, 1);
}

SpecularAlbedo compensated_albedo(const MaterialPoint& material, LobeAlbedo lobe) {
    const auto [a, b] = lobe;
    SpecularAlbedo result;
    result.single = a + b;
    const auto compensation = [&](Rgb f0) {
        return gray(1) + f0 * ((1 - result.single) / result.single);
    };
    result.dielectric_compensation = compensation(material.f0_dielectric);
    result.metal_compensation = compensation(material.f0_metal);
    const Rgb dielectric = material.f0_dielectric * a + gray(material.f90_dielectric * b);
    result.dielectric = at_most(dielectric * result.dielectric_compensation, 1);
    const Rgb metal = at_most((material.f0_metal * a + gray(b)) * result.metal_compensation, 1);
    result.specular = mix(result.dielectric, metal, material.metallic);
    return result;
}

// Bilinear in a table whose rows have `columns` entries of `words` floats.
double read_bilinear(const float* table, u32 columns, u32 words, double cosine, double roughness) {
    const double column = std::clamp(cosine * shaders::kAlbedoSize - 0.5, 0.0, columns - 1.0);
    const double row = std::clamp(roughness * kLast, 0.0, kLast);
    const auto left = static_cast<u32>(std::min(std::floor(column), columns - 2.0));
    const auto top = static_cast<u32>(std::min(std::floor(row), kLast - 1));
    const auto entry = [=](u32 i, u32 j) {
        return static_cast<double>(table[(j * columns + i) * words]);
    };
    const double across = column - left;
    return mix(mix(entry(left, top), entry(left + 1, top), across),
               mix(entry(left, top + 1), entry(left + 1, top + 1), across),
               row - top);
}

}  // namespace

double read_albedo(const float* table, double cosine, double roughness) {
    return read_bilinear(table, shaders::kAlbedoSize, 1, cosine, roughness);
}

LobeAlbedo read_ggx_albedo(const float* table, double cosine, double roughness) {
    return {read_bilinear(table, shaders::kGgxAlbedoSize, 2, cosine, roughness),
            read_bilinear(table + 1, shaders::kGgxAlbedoSize, 2, cosine, roughness)};
}

SpecularAlbedo specular_albedo(const shaders::SceneView& scene,
                               const MaterialPoint& material,
                               Vec wo) {
    if (!material.is_anisotropic) {
        return mean_specular_albedo(scene, material, wo.z);
    }
    return compensated_albedo(material, anisotropic_albedo(scene, material, wo));
}

SpecularAlbedo mean_specular_albedo(const shaders::SceneView& scene,
                                    const MaterialPoint& material,
                                    double cosine) {
    const double roughness = mean_roughness(material);
    return compensated_albedo(material, read_ggx_albedo(scene.ggx_albedo, cosine, roughness));
}

GlassFill::GlassFill(const shaders::SceneView& scene,
                     const MaterialPoint& material,
                     Vec wo,
                     double eta)
    : scene_(&scene), roughness_(loss_roughness(material)), eta_(eta) {
    // α is the floor, which is a float.
    if (material.alpha_x <= kSmooth * (1 + 1e-6)) {
        return;
    }
    const double slice = loss_slice(eta);
    lost_ = read_loss(scene, roughness_, slice, wo.z);
    if (material.is_anisotropic) {
        lost_ = saturate(lost_ + read_anisotropy(scene, material, wo, slice));
    }
    const double here = read_mean_loss(scene, roughness_, slice);
    const double beyond = square(eta) * read_mean_loss(scene, roughness_, loss_slice(1 / eta));
    normaliser_ = kPi * (here + beyond);
    reflected_ = here / (here + beyond);
}

double GlassFill::value(Vec wi) const {
    if (lost_ <= 0) {
        return 0;
    }
    // Basic radiance: η² of what passes, as in the refracted lobe.
    const double eta = wi.z > 0 ? eta_ : 1 / eta_;
    const double passage = wi.z > 0 ? 1 : square(eta_);
    const double lost = read_loss(*scene_, roughness_, loss_slice(eta), std::fabs(wi.z));
    return lost_ * lost / normaliser_ * passage;
}

}  // namespace weft::trace::reference
