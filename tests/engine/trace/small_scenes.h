// small_scenes.h — scenes made in code for tests of light transport: shapes, materials, pictures,
// and ten whole scenes.
//
// Everything is built straight into scene::Scene, so that no importer is needed. ten_scenes()
// covers each feature of shaders/bsdf.md at least once; each has one camera and takes milliseconds
// to trace at a few pixels.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "engine/scene/model/scene.h"

namespace weft::tests {

using Float3 = math::Vec3;
using Byte4 = std::array<u8, 4>;

// Triangles of one mesh before they are copied to the arenas. The mesh lacks empty attributes.
struct Shape {
    std::vector<float> positions;   // 3 per vertex
    std::vector<float> normals;     // 3
    std::vector<float> tangents;    // 4
    std::vector<float> uvs;         // 2
    std::vector<float> second_uvs;  // 2
    std::vector<float> colors;      // 4
    std::vector<u32> indices;
};

// corner + s·across + t·up, (s, t) = uv in [0, 1]²; faces along across × up. Has normals, tangents
// along `across`, uvs.
Shape quad(Float3 corner, Float3 across, Float3 up);
// A box with flat sides that face outwards, or inwards.
enum class Facing { Out, In };
Shape box(Float3 low, Float3 high, Facing facing);
// 2 · slices · (stacks − 1) triangles around the Y axis; with the sphere's own normals where
// smooth, else flat shading.
enum class Shading { Flat, Smooth };
Shape uv_sphere(Float3 center, float radius, u32 slices, u32 stacks, Shading shading);

// Dielectric of ior 1.5 without textures, two-sided, roughness 1.
shaders::MaterialRecord plastic(Float3 base_color, float roughness);
// Lambert without a specular lobe.
shaders::MaterialRecord lambert(Float3 albedo);
// Black, emits `radiance`.
shaders::MaterialRecord emitter(Float3 radiance);
shaders::MaterialRecord metal(Float3 base_color, float roughness);
// Transmission 1 with a volume.
shaders::MaterialRecord glass(float ior, float roughness);
// Transmission 1 without a volume.
shaders::MaterialRecord window(Float3 base_color, float roughness);

u32 add_material(scene::Scene& scene, const shaders::MaterialRecord& record);
u32 add_mesh(scene::Scene& scene, const Shape& shape, u32 material);
void add_instance(scene::Scene& scene, u32 mesh, const math::Affine& object_to_world);
// Adds mesh, material and one instance at the shape's place.
void add_object(scene::Scene& scene, const Shape& shape, const shaders::MaterialRecord& record);

// A picture as a slot (repeat, trilinear, set 0); `pixel` gives RGBA of (x, y).
using PixelFunction = std::function<Byte4(u32 x, u32 y)>;
enum class Meaning { Color, Linear };
u32 add_slot(scene::Scene& scene, u32 size, Meaning meaning, const PixelFunction& pixel);

// Columns of the linear part scaled, then moved.
math::Affine placed(Float3 scale, Float3 by);
scene::Light point_light(Float3 position, Float3 candela);
scene::Light directional_light(Float3 direction, Float3 lux);
scene::Light spot_light(
    Float3 position, Float3 direction, Float3 candela, float cos_inner, float cos_outer);
void set_constant_environment(scene::Scene& scene, Float3 radiance);
// width × height texels, brighter towards one direction, with a small sun.
void set_sky(scene::Scene& scene, u32 width, u32 height);
void set_camera(scene::Scene& scene, Float3 eye, Float3 target, float yfov_rad);

struct SmallScene {
    std::string name;
    scene::Scene scene;
};

// diffuse box; metals; dielectric and coat; sheen; nested glass; thin window; alpha; textured;
// instances; lights.
std::vector<SmallScene> ten_scenes();

// Eight objects, lights and camera with every field drawn at random; the same for a seed
// everywhere.
scene::Scene random_scene(u32 seed);

}  // namespace weft::tests
