// procedural_spheres.cpp — a square of spheres on a floor in 64 materials, so that shading has many
// keys.
//
// Floor triangles make up the remainder, so the count is exact. See procedural.h.
#include <algorithm>
#include <cmath>

#include "engine/scene/procedural/procedural.h"
#include "engine/scene/procedural/procedural_noise.h"
#include "engine/scene/procedural/procedural_shapes.h"

namespace weft::scene {
namespace {

constexpr u32 kMaterials = 64;
constexpr u64 kFloorTriangles = 2;  // at least
constexpr u64 kLightTriangles = 2;
constexpr u32 kSeed = 0x73706872u;

enum Group : u32 { kFloor, kLight, kFirstSpheres };

// Eight families of eight hues and roughnesses.
void add_sphere_material(Scene& scene, std::vector<ShapeGroup>& groups, u32 index) {
    // Families differ in kind, the eight members of one in colour and roughness.
    const u32 family = index / 8;
    const float step = static_cast<float>(index % 8) / 8.0f;
    const std::string name = "sphere material " + std::to_string(index);
    const bool is_metal = family == 1 || family == 2;
    const math::Vec3 color = hue_color(step, is_metal ? 0.45f : 0.7f, is_metal ? 0.9f : 0.75f);
    groups.push_back(
        {name, append_material(scene, name, color, is_metal ? 1.0f : 0.0f, 0.1f + 0.8f * step)});
    shaders::MaterialRecord& record = scene.materials.back().record;
    switch (family) {
        case 2:
            record.anisotropy = 0.8f;
            break;
        case 3:
            record.coat = 1;
            record.coat_roughness = 0.05f;
            record.roughness = 0.6f;
            break;
        case 4:
            std::copy_n(&color.x, 3, record.sheen_color);
            record.sheen_roughness = 0.2f + 0.6f * step;
            record.roughness = 0.9f;
            break;
        case 5:  // solid glass, tinted by its inside
            record.transmission = 1;
            record.roughness = 0.04f * static_cast<float>(index % 8);
            record.flags |= shaders::kMaterialSolid;
            for (std::size_t channel = 0; channel < 3; ++channel) {
                record.base_color[channel] = 1;
                record.sigma_a[channel] = 2.0f * (1.0f - color[channel]);
            }
            break;
        case 6:  // thin-walled
            record.transmission = 0.8f;
            record.roughness = 0.1f + 0.5f * step;
            break;
        case 7:
            record.iridescence = 1;
            record.iridescence_ior = 1.4f;
            record.iridescence_min_nm = record.iridescence_max_nm = 150.0f + 500.0f * step;
            record.roughness = 0.2f;
            break;
        default:
            break;  // plain paint and plain metal
    }
}

std::vector<ShapeGroup> make_groups(Scene& scene) {
    std::vector<ShapeGroup> groups;
    groups.push_back({"floor", append_material(scene, "floor", {0.5f, 0.5f, 0.5f}, 0, 0.5f)});
    groups.push_back({"light", append_material(scene, "light", {0.8f, 0.8f, 0.8f}, 0, 1)});
    shaders::MaterialRecord& light = scene.materials.back().record;
    light.emissive[0] = 9;
    light.emissive[1] = 8.6f;
    light.emissive[2] = 8;
    for (u32 index = 0; index < kMaterials; ++index) {
        add_sphere_material(scene, groups, index);
    }
    return groups;
}

}  // namespace

void append_spheres(u64 triangles, const ImportConfig& config, Scene& scene) {
    const bool has_spheres = triangles >= kFloorTriangles + kLightTriangles + 8;
    u64 left = has_spheres ? triangles - kLightTriangles : triangles;
    // The side grows with the fourth root: 16×16 at a million, at most 32×32.
    const double root = std::sqrt(std::sqrt(static_cast<double>(triangles) / 8));
    u64 side = std::clamp<u64>(static_cast<u64>(root), 1, 32);
    side = has_spheres ? side : 0;
    const float half = std::fmax(0.5f, static_cast<float>(side) * 0.5f);
    // Place the spheres in rows.
    std::vector<Shape> spheres;
    const u64 wanted = side * side;
    for (u64 i = 0; i < wanted; ++i) {
        Shape sphere;
        sphere.frequency = blob_frequency((left - kFloorTriangles) / (wanted - i));
        sphere.radius = 0.44f;
        sphere.origin = {static_cast<float>(i % side) + 0.5f - half,
                         0.44f,
                         static_cast<float>(i / side) + 0.5f - half};
        sphere.group = kFirstSpheres + mix_bits(kSeed, static_cast<u32>(i)) % kMaterials;
        left -= triangle_count(sphere);
        spheres.push_back(sphere);
    }
    // The floor has the triangles that are left.
    Shape floor;
    floor.kind = Shape::Kind::Patch;
    floor.group = kFloor;
    floor.origin = {-3 * half, 0, 3 * half};
    floor.edge_u = {6 * half, 0, 0};
    floor.edge_v = {0, 0, -6 * half};
    floor.triangles = left;
    std::vector<Shape> shapes = {floor};
    // Hang a light above.
    if (has_spheres) {
        Shape light = floor;
        light.group = kLight;
        light.triangles = kLightTriangles;
        light.origin = {-half, 2.2f * half, -half};
        light.edge_u = {half, 0, 0};
        light.edge_v = {0, 0, 2 * half};
        shapes.push_back(light);
    }
    shapes.insert(shapes.end(), spheres.begin(), spheres.end());
    append_shapes(config, scene, make_groups(scene), shapes);
    // Look down at them.
    Camera camera;
    camera.name = "spheres";
    camera.to_world = look_at({0.9f * half, 1.5f * half, 2.3f * half}, {0, 0, 0.12f * half});
    camera.yfov_rad = 0.75f;
    camera.focus_m = 2.6f * half;
    scene.cameras.push_back(camera);
}

}  // namespace weft::scene
