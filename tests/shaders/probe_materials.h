// probe_materials.h — the materials that BSDF tests run over, by name, and the instruction sets of
// this machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "shaders/kernels/bsdf_probe.h"
#include "shaders/surface/albedo_tables.h"

namespace weft::tests {

using shaders::Isa;
using shaders::MaterialRecord;

inline std::vector<Isa> supported_isas() {
    std::vector<Isa> isas;
    for (const Isa isa : {Isa::Sse4, Isa::Avx2, Isa::Avx512}) {
        if (shaders::bsdf_probe(isa) != nullptr) {
            isas.push_back(isa);
        }
    }
    return isas;
}

// For failure messages.
inline std::string isa_label(Isa isa) {
    return shaders::isa_name(isa);
}

struct NamedMaterial {
    std::string name;
    MaterialRecord record;
    float eta;         // of solids
    bool is_lossless;  // reflects and transmits everything that arrives
};

// A white dielectric without any layer.
inline MaterialRecord plain_material(float roughness) {
    MaterialRecord m{};
    for (float& c : m.base_color) {
        c = 1;
    }
    for (float& c : m.specular_color) {
        c = 1;
    }
    m.roughness = roughness;
    m.ior = 1.5f;
    m.specular = 1;
    m.anisotropy_cos = 1;
    m.iridescence_ior = 1.3f;
    return m;
}

inline NamedMaterial metal(float roughness) {
    MaterialRecord m = plain_material(roughness);
    m.metallic = 1;
    return {"white metal", m, 1, true};
}

inline NamedMaterial dielectric(float roughness) {
    return {"white dielectric", plain_material(roughness), 1, true};
}

inline NamedMaterial half_metal(float roughness) {
    MaterialRecord m = plain_material(roughness);
    m.metallic = 0.5f;
    return {"half metal", m, 1, true};
}

inline NamedMaterial coated(float roughness) {
    MaterialRecord m = plain_material(roughness);
    m.coat = 1;
    m.coat_roughness = 0.3f;
    m.flags |= shaders::kMaterialCoat;
    return {"coated dielectric", m, 1, true};
}

inline NamedMaterial sheen(float roughness) {
    MaterialRecord m = plain_material(0.5f);
    m.sheen_color[0] = m.sheen_color[1] = m.sheen_color[2] = 0.8f;
    m.sheen_roughness = roughness;
    m.flags |= shaders::kMaterialSheen;
    return {"sheen over dielectric", m, 1, false};
}

inline NamedMaterial thin(float roughness) {
    MaterialRecord m = plain_material(roughness);
    m.transmission = 1;
    m.flags |= shaders::kMaterialTransmission;
    m.flags |= roughness <= 0.05f ? shaders::kMaterialStraight : 0;
    return {"white thin wall", m, 1, true};
}

inline NamedMaterial half_thin(float roughness) {
    NamedMaterial m = thin(roughness);
    m.name = "half transparent thin wall";
    m.record.transmission = 0.5f;
    return m;
}

inline NamedMaterial glass(float roughness) {
    MaterialRecord m = plain_material(roughness);
    m.transmission = 1;
    m.flags |= shaders::kMaterialTransmission | shaders::kMaterialSolid;
    return {"solid glass from outside", m, 1.5f, true};
}

// Seen from outside if eta is above 1, else from inside.
inline NamedMaterial glass_of(float eta, float roughness) {
    NamedMaterial m = glass(roughness);
    m.name = "solid glass of another index";
    m.record.ior = std::max(eta, 1 / eta);
    m.eta = eta;
    return m;
}

// A wall of a different index.
inline NamedMaterial thin_of(float ior, float roughness) {
    NamedMaterial m = thin(roughness);
    m.name = "thin wall of another index";
    m.record.ior = ior;
    return m;
}

inline NamedMaterial glass_inside(float roughness) {
    NamedMaterial m = glass(roughness);
    m.name = "solid glass from inside";
    m.eta = 1 / 1.5f;
    return m;
}

inline NamedMaterial matched_glass(float roughness) {
    NamedMaterial m = glass(roughness);
    m.name = "solid of the index around it";
    m.eta = 1;
    m.is_lossless = true;
    return m;
}

inline NamedMaterial half_glass(float roughness) {
    NamedMaterial m = glass(roughness);
    m.name = "half transparent solid glass under a coat";
    m.record.transmission = 0.5f;
    m.record.coat = 0.5f;
    m.record.coat_roughness = 0.4f;
    m.record.flags |= shaders::kMaterialCoat;
    m.is_lossless = false;
    return m;
}

inline NamedMaterial anisotropic(float roughness) {
    MaterialRecord m = plain_material(roughness);
    m.metallic = 1;
    m.anisotropy = 0.7f;
    m.flags |= shaders::kMaterialAnisotropy;
    return {"anisotropic metal", m, 1, true};
}

inline NamedMaterial brushed(float roughness, float strength) {
    NamedMaterial m = anisotropic(roughness);
    m.record.anisotropy = strength;
    return m;
}

inline NamedMaterial brushed_glass(float eta, float roughness, float strength = 0.6f) {
    NamedMaterial m = glass_of(eta, roughness);
    m.name = "anisotropic solid glass";
    m.record.anisotropy = strength;
    m.record.flags |= shaders::kMaterialAnisotropy;
    return m;
}

inline NamedMaterial iridescent(float roughness) {
    MaterialRecord m = plain_material(roughness);
    m.iridescence = 1;
    m.iridescence_max_nm = 400;
    m.flags |= shaders::kMaterialIridescence;
    return {"iridescent dielectric", m, 1, true};
}

inline NamedMaterial spec_gloss(float roughness) {
    MaterialRecord m = plain_material(roughness);
    m.specular_color[0] = m.specular_color[1] = m.specular_color[2] = 0.4f;
    m.flags |= shaders::kMaterialSpecGloss;
    return {"specular glossiness", m, 1, false};
}

inline NamedMaterial everything(float roughness) {
    MaterialRecord m = plain_material(roughness);
    m.metallic = 0.3f;
    m.transmission = 0.4f;
    m.coat = 0.6f;
    m.coat_roughness = 0.2f;
    m.sheen_color[0] = 0.5f;
    m.sheen_color[1] = 0.3f;
    m.sheen_color[2] = 0.1f;
    m.sheen_roughness = 0.4f;
    m.anisotropy = 0.5f;
    m.iridescence = 0.7f;
    m.iridescence_max_nm = 550;
    m.flags = shaders::kMaterialTransmission | shaders::kMaterialCoat | shaders::kMaterialSheen |
              shaders::kMaterialAnisotropy | shaders::kMaterialIridescence;
    return {"all layers", m, 1, false};
}

// A point in a medium, not a surface: it scatters all light.
inline NamedMaterial medium(float g) {
    MaterialRecord m = plain_material(1);
    m.flags = shaders::kMaterialScattering;
    m.phase_g = g;
    return {"medium", m, 1, true};
}

inline std::vector<NamedMaterial> all_materials(float roughness) {
    return {metal(roughness),
            dielectric(roughness),
            half_metal(roughness),
            coated(roughness),
            sheen(roughness),
            thin(roughness),
            half_thin(roughness),
            glass(roughness),
            glass_inside(roughness),
            matched_glass(roughness),
            half_glass(roughness),
            brushed_glass(1.5f, roughness),
            brushed_glass(1 / 1.5f, roughness),
            anisotropic(roughness),
            iridescent(roughness),
            spec_gloss(roughness),
            everything(roughness),
            medium(0.9f * roughness - 0.9f)};
}

// The surface of a material seen under `cosine`, from `azimuth`.
inline shaders::ProbeSurface probe_surface(const NamedMaterial& material,
                                           float cosine,
                                           float azimuth = 0.6f) {
    const float sine = std::sqrt(1 - cosine * cosine);
    return {material.record,
            {sine * std::cos(azimuth), sine * std::sin(azimuth), cosine},
            material.eta,
            shaders::ggx_albedo().data(),
            shaders::albedo_tables().sheen.data(),
            shaders::glass_losses().loss.data(),
            shaders::glass_losses().mean.data(),
            shaders::glass_anisotropy().data(),
            shaders::anisotropic_albedo().data()};
}

}  // namespace weft::tests
