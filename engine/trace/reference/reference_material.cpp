// reference_material.cpp — see reference_material.h.
#include "engine/trace/reference/reference_material.h"

#include "engine/trace/reference/reference_fresnel.h"

namespace weft::trace::reference {

namespace {

using shaders::MaterialRecord;
using shaders::SceneView;

// Reads the slots of one material at one point.
struct Reader {
    const SceneView& scene;
    const TexturePoint& point;

    [[nodiscard]] double channel(double factor, u32 slot, std::size_t which) const {
        return factor * read_slot(scene, slot, point)[which];
    }

    [[nodiscard]] Rgb color(const float* factor, u32 slot) const {
        const Rgba texel = read_slot(scene, slot, point);
        return vec_of(factor) * Rgb{texel[0], texel[1], texel[2]};
    }
};

Rgb base_color(const SceneView& scene, TriangleName name, const Reader& read) {
    const MaterialRecord& material = scene.materials[scene.instances[name.instance].material];
    const Rgba vertex =
        read_vertex_color(scene, name.instance, name.primitive, read.point.b1, read.point.b2);
    return read.color(material.base_color, material.base_color_slot) *
           Rgb{vertex[0], vertex[1], vertex[2]};
}

// Base colour and reflectances of the metallic-roughness and specular workflow.
void read_metallic(const MaterialRecord& record, const Reader& read, MaterialPoint& result) {
    result.metallic =
        read.channel(static_cast<double>(record.metallic), record.metallic_roughness_slot, 2);
    result.roughness = saturate(
        read.channel(static_cast<double>(record.roughness), record.metallic_roughness_slot, 1));
    const double specular =
        read.channel(static_cast<double>(record.specular), record.specular_slot, 3);
    const Rgb specular_color = read.color(record.specular_color, record.specular_color_slot);
    const double ior = record.ior;
    result.f0_dielectric = at_most(square((ior - 1) / (ior + 1)) * specular_color, 1) * specular;
    result.f90_dielectric = specular;
    result.f0_metal = result.base;
}

// The same for pbrSpecularGlossiness.
void read_glossy(const MaterialRecord& record, const Reader& read, MaterialPoint& result) {
    result.f0_dielectric = read.color(record.specular_color, record.specular_color_slot);
    result.base = result.base * (1 - largest(result.f0_dielectric));
    result.albedo = at_most(result.base + result.f0_dielectric, 1);
    const double glossiness =
        read.channel(1 - static_cast<double>(record.roughness), record.specular_color_slot, 3);
    result.roughness = saturate(1 - glossiness);
}

// A thin film changes both reflectances, as seen from the viewer.
void apply_film(const MaterialRecord& record,
                const Reader& read,
                double cosine,
                MaterialPoint& result) {
    const double amount =
        read.channel(static_cast<double>(record.iridescence), record.iridescence_slot, 0);
    const double low = record.iridescence_min_nm;
    const double high = record.iridescence_max_nm;
    const double thickness_nm =
        mix(low, high, read_slot(read.scene, record.iridescence_thickness_slot, read.point)[1]);
    if (amount <= 0 || thickness_nm <= 0) {
        return;
    }
    const auto with_film = [&](Rgb f0) {
        const double ior = record.iridescence_ior;
        return mix(
            f0,
            inverse_schlick(film_reflectance(ior, saturate(cosine), thickness_nm, f0), cosine),
            amount);
    };
    result.f0_dielectric = with_film(result.f0_dielectric);
    result.f0_metal = with_film(result.f0_metal);
}

}  // namespace

MaterialPoint read_material(const SceneView& scene, const Surface& surface) {
    const MaterialRecord& record = scene.materials[surface.material];
    const Reader read{scene, surface.textures};
    MaterialPoint result;
    result.base = base_color(scene, surface.name, read);
    result.albedo = result.base;
    result.emission = read_emission(scene, surface.name, surface.textures);
    if ((record.flags & shaders::kMaterialSpecGloss) != 0) {
        read_glossy(record, read, result);
    } else {
        read_metallic(record, read, result);
    }
    if ((record.flags & shaders::kMaterialIridescence) != 0) {
        apply_film(record, read, dot(surface.frame.z, surface.wo), result);
    }

    result.alpha_x = ggx_alpha(result.roughness);
    result.alpha_y = result.alpha_x;
    result.is_anisotropic = (record.flags & shaders::kMaterialAnisotropy) != 0;
    if (result.is_anisotropic) {
        result.anisotropy =
            read.channel(static_cast<double>(record.anisotropy), record.anisotropy_slot, 2);
        result.alpha_x = mix(result.alpha_y, 1.0, square(result.anisotropy));
    }
    if ((record.flags & shaders::kMaterialTransmission) != 0) {
        result.transmission =
            read.channel(static_cast<double>(record.transmission), record.transmission_slot, 0);
    }
    if ((record.flags & shaders::kMaterialCoat) != 0) {
        result.coat = read.channel(static_cast<double>(record.coat), record.coat_slot, 0);
        result.coat_roughness = saturate(read.channel(
            static_cast<double>(record.coat_roughness), record.coat_roughness_slot, 1));
    }
    if ((record.flags & shaders::kMaterialSheen) != 0) {
        result.sheen_color = read.color(record.sheen_color, record.sheen_color_slot);
        result.sheen_roughness = saturate(read.channel(
            static_cast<double>(record.sheen_roughness), record.sheen_roughness_slot, 3));
    }
    result.is_unlit = (record.flags & shaders::kMaterialUnlit) != 0;
    result.is_solid = (record.flags & shaders::kMaterialSolid) != 0;
    result.is_boundary = (record.flags & shaders::kMaterialBoundary) != 0;
    result.is_thin_straight = !result.is_solid && (record.flags & shaders::kMaterialStraight) != 0;
    return result;
}

bool widen_facets(MaterialPoint& material, double least) {
    if (material.is_thin_straight) {
        return false;
    }
    const bool is_base_widened = material.alpha_y < least;
    if (is_base_widened) {
        material.roughness = std::sqrt(least);
        material.alpha_x = std::max(material.alpha_x, least);
        material.alpha_y = least;
    }
    const bool is_coat_widened = material.coat > 0 && ggx_alpha(material.coat_roughness) < least;
    if (is_coat_widened) {
        material.coat_roughness = std::sqrt(least);
    }
    return is_base_widened || is_coat_widened;
}

Rgb read_emission(const SceneView& scene, TriangleName name, const TexturePoint& point) {
    const MaterialRecord& record = scene.materials[scene.instances[name.instance].material];
    const Reader read{scene, point};
    if ((record.flags & shaders::kMaterialUnlit) != 0) {
        return base_color(scene, name, read);
    }
    return read.color(record.emissive, record.emissive_slot);
}

}  // namespace weft::trace::reference
