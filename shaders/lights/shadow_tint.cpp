// shadow_tint.cpp — the tint of a shadow ray by a thin pane (shaders/bsdf.md sections 4 and 5): the
// weight W of the straight passage, as fixed-point logarithms whose sum does not depend on the
// order of the panes. Called by traversal for each candidate hit, on any thread.
#include <algorithm>
#include <cmath>

#include "shaders/host/scalar_math.h"
#include "shaders/lights/placed_normal.h"
#include "shaders/surface/texel_lookup.h"
#include "shaders/surface/thin_film.h"

namespace weft::shaders {

namespace {

using Rgb = std::array<double, 3>;

// A hit with the tables that lookups need, and where they read texels.
template <TexelPlace kPlace>
struct Hit {
    const SceneView& scene;
    const MaterialRecord& material;
    const MeshRecord& mesh;
    u32 primitive;
    float u;
    float v;

    [[nodiscard]] std::array<float, 4> look_up(u32 slot) const {
        return lookup_hit<kPlace>(scene, slot, mesh, primitive, u, v);
    }

    // Factor times one channel of a texture.
    [[nodiscard]] double scaled(float factor, u32 slot, u32 channel) const {
        return static_cast<double>(factor * look_up(slot)[channel]);
    }
};

// The surface parameters that W depends on.
struct Pane {
    Rgb base{};
    Rgb f0d{};
    double specular = 1;
    double metallic = 0;
    double transmission = 0;
    double roughness = 0;
};

// |cos| between a direction and the geometric normal; 0 where either has no length.
double incidence_cosine(const SceneView& scene,
                        const InstanceRecord& placed,
                        u32 primitive,
                        const float direction[3]) {
    const std::array<double, 3> normal = placed_normal<float>(scene, placed, primitive);
    double dot = 0;
    double normal_squared = 0;
    double direction_squared = 0;
    for (u32 k = 0; k < 3; ++k) {
        const auto d = static_cast<double>(direction[k]);
        dot += normal[k] * d;
        normal_squared += normal[k] * normal[k];
        direction_squared += d * d;
    }
    const double lengths = std::sqrt(normal_squared * direction_squared);
    return lengths > 0 ? std::min(std::fabs(dot) / lengths, 1.0) : 0.0;
}

// Reads the parameters of the hit, in either workflow.
template <TexelPlace kPlace>
Pane read_pane(const Hit<kPlace>& hit) {
    const MaterialRecord& material = hit.material;
    Pane pane;
    const auto base = hit.look_up(material.base_color_slot);
    const auto vertex = interpolate_color(hit.scene, hit.mesh, hit.primitive, hit.u, hit.v);
    const auto reflected = hit.look_up(material.specular_color_slot);
    for (u32 k = 0; k < 3; ++k) {
        pane.base[k] = static_cast<double>(material.base_color[k] * vertex[k] * base[k]);
        pane.f0d[k] = static_cast<double>(material.specular_color[k] * reflected[k]);
    }
    pane.transmission = hit.scaled(material.transmission, material.transmission_slot, 0);
    if ((material.flags & kMaterialSpecGloss) != 0) {
        const double strongest = std::max({pane.f0d[0], pane.f0d[1], pane.f0d[2]});
        for (double& channel : pane.base) {
            channel *= 1 - strongest;
        }
        pane.roughness = 1 - static_cast<double>((1 - material.roughness) * reflected[3]);
    } else {
        const double ior = static_cast<double>(material.ior);
        const double ratio = (ior - 1) / (ior + 1);
        pane.specular = hit.scaled(material.specular, material.specular_slot, 3);
        for (double& channel : pane.f0d) {
            channel = std::min(ratio * ratio * channel, 1.0) * pane.specular;
        }
        const auto rough_metal = hit.look_up(material.metallic_roughness_slot);
        pane.metallic = static_cast<double>(material.metallic * rough_metal[2]);
        pane.roughness = static_cast<double>(material.roughness * rough_metal[1]);
    }
    pane.roughness = std::clamp(pane.roughness, 0.0, 1.0);
    return pane;
}

// Anisotropic surfaces look up the albedo at the roughness (α_t α_b)^¼.
template <TexelPlace kPlace>
void widen_by_anisotropy(const Hit<kPlace>& hit, Pane& pane) {
    const double s = hit.scaled(hit.material.anisotropy, hit.material.anisotropy_slot, 2);
    const double alpha = std::max(pane.roughness * pane.roughness, 0.001);
    const double alpha_t = alpha + (1 - alpha) * s * s;
    if (alpha_t > alpha) {
        pane.roughness = std::sqrt(std::sqrt(alpha_t * alpha));
    }
}

// Blends f0d with the reflectance of a thin film, converted to normal incidence.
template <TexelPlace kPlace>
void coat_with_film(const Hit<kPlace>& hit, double cosine, Pane& pane) {
    const MaterialRecord& material = hit.material;
    const double amount = hit.scaled(material.iridescence, material.iridescence_slot, 0);
    const auto low = static_cast<double>(material.iridescence_min_nm);
    const auto high = static_cast<double>(material.iridescence_max_nm);
    const u32 slot = material.iridescence_thickness_slot;
    const double share = slot == kNone ? 1 : static_cast<double>(hit.look_up(slot)[1]);
    const double thickness_nm = low + (high - low) * share;
    if (!(amount > 0 && thickness_nm > 0)) {
        return;
    }
    const Rgb film = thin_film_reflectance(
        static_cast<double>(material.iridescence_ior), cosine, thickness_nm, pane.f0d);
    const double grazing = 1 - cosine;
    const double squared = grazing * grazing;
    const double x = std::min(squared * squared * grazing, 0.999);
    for (u32 k = 0; k < 3; ++k) {
        const double f0 = std::clamp((film[k] - x) / (1 - x), 0.0, 1.0);
        pane.f0d[k] += (f0 - pane.f0d[k]) * amount;
    }
}

// Bilinear value of the GGX lobe's albedo table (layout in scene_view.h); part 0: A, 1: B.
double look_up_albedo(const float* table, u32 part, double cosine, double roughness) {
    constexpr u32 kLast = kAlbedoSize - 1;
    const double x = std::clamp(cosine * kAlbedoSize - 0.5, 0.0, kLast + 0.5);
    const double y = std::clamp(roughness * kLast, 0.0, static_cast<double>(kLast));
    const auto i = static_cast<u32>(x);
    const u32 j = std::min(static_cast<u32>(y), kLast - 1);
    const double fx = x - i;
    const double fy = y - j;
    const float* row = table + 2 * (j * kGgxAlbedoSize + i) + part;
    const float* next = row + 2 * kGgxAlbedoSize;
    const double a = static_cast<double>(row[0]) * (1 - fx) + static_cast<double>(row[2]) * fx;
    const double b = static_cast<double>(next[0]) * (1 - fx) + static_cast<double>(next[2]) * fx;
    return a * (1 - fy) + b * fy;
}

// W per channel: (1 − m) t (1 − E_d) base.
Rgb passage_weight(const SceneView& scene, const Pane& pane, double cosine) {
    const double a = look_up_albedo(scene.ggx_albedo, 0, cosine, pane.roughness);
    const double b = look_up_albedo(scene.ggx_albedo, 1, cosine, pane.roughness);
    const double single = a + b;
    Rgb weight{};
    for (u32 k = 0; k < 3; ++k) {
        const double compensation = 1 + pane.f0d[k] * (1 - single) / single;
        const double reflected =
            std::min((pane.f0d[k] * a + pane.specular * b) * compensation, 1.0);
        weight[k] = (1 - pane.metallic) * pane.transmission * (1 - reflected) * pane.base[k];
    }
    return weight;
}

// round(−log2(W) · 2²⁰) with W in [2⁻³⁰, 1].
u32 fixed_log(double weight) {
    const double floored = std::clamp(weight, 0x1p-30, 1.0);
    return static_cast<u32>(-log2_of(floored) * 0x1p20 + 0.5);
}

}  // namespace

template <TexelPlace kPlace>
bool tint_shadow(const SceneView& scene,
                 u32 instance,
                 u32 primitive,
                 float u,
                 float v,
                 const float direction[3],
                 u32 tint[3]) {
    const InstanceRecord& placed = scene.instances[instance];
    const MaterialRecord& material = scene.materials[placed.material];
    if ((material.flags & kMaterialStraight) == 0 || (material.flags & kMaterialSolid) != 0) {
        return false;
    }
    const Hit<kPlace> hit{scene, material, scene.meshes[placed.mesh], primitive, u, v};
    const double cosine = incidence_cosine(scene, placed, primitive, direction);
    Pane pane = read_pane(hit);
    if ((material.flags & kMaterialAnisotropy) != 0) {
        widen_by_anisotropy(hit, pane);
    }
    if ((material.flags & kMaterialIridescence) != 0) {
        coat_with_film(hit, cosine, pane);
    }
    const Rgb weight = passage_weight(scene, pane, cosine);
    if (!(std::max({weight[0], weight[1], weight[2]}) > 0)) {
        return false;
    }
    for (u32 k = 0; k < 3; ++k) {
        const u32 added = fixed_log(weight[k]);
        tint[k] = added < ~tint[k] ? tint[k] + added : ~0u;
    }
    return true;
}

template bool tint_shadow<TexelPlace::Arena>(
    const SceneView&, u32, u32, float, float, const float[3], u32[3]);
template bool tint_shadow<TexelPlace::Local>(
    const SceneView&, u32, u32, float, float, const float[3], u32[3]);

}  // namespace weft::shaders
