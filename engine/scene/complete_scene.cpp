// complete_scene.cpp — adds what a scene needs to be seen: a soft environment where nothing emits
// light, a camera where there is none.
//
// The program calls it once the scene and its environment are known; each addition leaves a note.
// Any thread, one call at a time per Scene.
#include <algorithm>
#include <array>
#include <cstdio>

#include "engine/math/affine.h"
#include "engine/scene/import.h"
#include "engine/scene/model/framing_camera.h"
#include "engine/scene/model/sky.h"
#include "engine/scene/model/texture.h"
#include "shaders/host/scalar_math.h"
#include "shaders/surface/texel_layout.h"

namespace weft::scene {
namespace {

using math::DVec3;

bool is_bright(const float* rgb) {
    return rgb[0] > 0 || rgb[1] > 0 || rgb[2] > 0;
}

// Area of a triangle of `mesh` placed by `m`, m².
double triangle_area(const Scene& scene,
                     const shaders::MeshRecord& mesh,
                     const math::DAffine& m,
                     u32 triangle) {
    std::array<DVec3, 3> corner{};
    for (u32 k = 0; k < 3; ++k) {
        const u32 vertex = scene.indices[std::size_t{3} * (mesh.first_triangle + triangle) + k];
        const float* const p = &scene.positions[std::size_t{3} * (mesh.first_position + vertex)];
        corner[k] = math::transform_vector(m, DVec3(math::vec3_at(p)));
    }
    return 0.5 * length(cross(corner[1] - corner[0], corner[2] - corner[0]));
}

// Mean luminance that a material emits, cd/m²: its factor times the mean of its texture (the last
// mip level).
double mean_emission(const Scene& scene, const shaders::MaterialRecord& material) {
    std::array<double, 3> texel = {1, 1, 1};
    if (material.emissive_slot != kNone) {
        const shaders::TextureRecord& record =
            scene.textures[scene.slots[material.emissive_slot].texture].record;
        const std::array<float, 4> mean =
            shaders::texel_of(&scene.texels[record.mip_offset[record.mip_count - 1]],
                              0,
                              static_cast<shaders::TexelFormat>(record.format),
                              srgb_to_linear_table());
        std::copy_n(mean.begin(), 3, texel.begin());
    }
    return 0.2126 * static_cast<double>(material.emissive[0]) * texel[0] +
           0.7152 * static_cast<double>(material.emissive[1]) * texel[1] +
           0.0722 * static_cast<double>(material.emissive[2]) * texel[2];
}

// Emission averaged over all surfaces, cd/m²: about the light that the scene's own emissive
// materials could give it.
double mean_surface_emission(const Scene& scene) {
    double area = 0;
    double emitted = 0;
    for (const Instance& instance : scene.instances) {
        const double emission = mean_emission(scene, scene.materials[instance.material].record);
        const shaders::MeshRecord& mesh = scene.meshes[instance.mesh].record;
        const math::DAffine object_to_world = math::to_double(instance.object_to_world);
        double mesh_area = 0;
        for (u32 triangle = 0; triangle < mesh.triangle_count; ++triangle) {
            mesh_area += triangle_area(scene, mesh, object_to_world, triangle);
        }
        area += mesh_area;
        emitted += mesh_area * emission;
    }
    return area > 0 ? emitted / area : 0;
}

// Screens, gauges and decals glow without lighting anything; a scene with nothing else would be
// black.
constexpr double kLeastSurfaceEmission = 0.005;

// Whether more gives light than surfaces that only glow.
bool has_sure_light(const Scene& scene) {
    const auto shines = [](const Light& light) { return is_bright(&light.intensity.x); };
    const auto is_lamp = [&](const Instance& instance) {
        const Material& material = scene.materials[instance.material];
        return material.is_lamp && is_bright(material.record.emissive);
    };
    return scene.has_moving_light || scene.environment.width > 0 ||
           std::any_of(scene.lights.begin(), scene.lights.end(), shines) ||
           std::any_of(scene.instances.begin(), scene.instances.end(), is_lamp);
}

bool has_emitter(const Scene& scene) {
    return std::any_of(
        scene.instances.begin(), scene.instances.end(), [&](const Instance& instance) {
            return is_bright(scene.materials[instance.material].record.emissive);
        });
}

std::string place_text(const Camera& camera) {
    char text[96];
    std::snprintf(text,
                  sizeof text,
                  "(%.4g, %.4g, %.4g)",
                  static_cast<double>(camera.to_world[3]),
                  static_cast<double>(camera.to_world[7]),
                  static_cast<double>(camera.to_world[11]));
    return text;
}

}  // namespace

bool is_lit(const Scene& scene) {
    return has_sure_light(scene) ||
           (has_emitter(scene) && mean_surface_emission(scene) >= kLeastSurfaceEmission);
}

bool is_lit_at_most_by_surfaces(const Scene& scene) {
    return !has_sure_light(scene) &&
           std::any_of(
               scene.materials.begin(), scene.materials.end(), [](const Material& material) {
                   return is_bright(material.record.emissive);
               });
}

void complete_scene(Scene& scene) {
    complete_scene(scene, is_lit(scene));
}

void complete_scene(Scene& scene, bool is_lit) {
    if (scene.materials.empty()) {
        scene.materials.push_back({"default", default_material()});
    }
    if (scene.environment.repaired_texels > 0) {
        scene.notes.push_back({Note::Kind::Repaired,
                               scene.environment.name + ": " +
                                   std::to_string(scene.environment.repaired_texels) +
                                   " texels had a negative or not finite value; infinite ones "
                                   "became 65504, others 0."});
    }
    if (!is_lit) {
        const float strength = scene.environment.strength;
        const float rotation_rad = scene.environment.rotation_rad;
        scene.environment = soft_environment();
        scene.environment.strength = strength;
        scene.environment.rotation_rad = rotation_rad;
        const std::string reason = has_emitter(scene)
                                       ? "What shines in the scene is too dim to light it"
                                       : "Nothing lights the scene";
        scene.notes.push_back({Note::Kind::Replaced,
                               reason + ": a soft default environment of 0.5 cd/m² was added."});
    }
    if (scene.cameras.empty()) {
        scene.cameras.push_back(framing_camera(scene_bounds(scene), 1));
        scene.notes.push_back({Note::Kind::Replaced,
                               "The scene has no camera: one that frames it was placed at " +
                                   place_text(scene.cameras.back()) + "."});
    }
}

}  // namespace weft::scene
