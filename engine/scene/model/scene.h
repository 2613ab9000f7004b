// scene.h — the scene model: what importers write and everything else reads.
//
// Plain data in world conventions (right-handed, Y up, metres, linear Rec. 709). Geometry lives in
// shared arenas so that it exists once in memory: a mesh is a row of offsets. Materials mirror
// glTF; shaders/bsdf.md says what the numbers mean. Filled by one importer thread (which may fan
// out), then read-only.
#pragma once

#include <string>
#include <vector>

#include "engine/math/affine.h"
#include "engine/math/box.h"
#include "engine/scene/model/arena.h"
#include "engine/scene/model/texels.h"
#include "scheduler/base/ids.h"
#include "shaders/host/scene_view.h"

namespace weft::scene {

// Whether a picture holds colours (through the sRGB curve) or numbers.
enum class TexelMeaning { Color, Linear };

// An image in memory, decoded by what its slot means; mip levels follow in the scene's texels.
struct Texture {
    std::string name;  // file or "FILE: /images/3"; edits find it by this
    shaders::TextureRecord record{};
    TexelMeaning meaning = TexelMeaning::Linear;
    std::string label{};  // the name of a picture inside a file; may be empty
};

struct Material {
    std::string name;
    shaders::MaterialRecord record{};  // factors and slot indices; defaults by default_material()
    bool is_lamp = false;              // the file calls what wears it a light, however dim
};

// glTF's default material: white, metallic 1, roughness 1, ior 1.5, specular 1, no textures.
shaders::MaterialRecord default_material();

struct Mesh {
    std::string name;
    shaders::MeshRecord record{};
    u32 material = 0;
};

// A placed mesh. `node` is the node's name for --hide and --show. Instances of one name and one
// place came from one node and move together (number_places()).
struct Instance {
    u32 mesh = 0;
    u32 material = 0;
    math::Affine object_to_world = math::kIdentity;
    std::string node{};
    u32 clip_planes = ~0u;   // the planes that may cut it, one bit each
    u32 place = 0;           // numbers the nodes of one name
    u32 asset = kNone;       // in Scene::assets; kNone: the node is one by itself
    u32 group = kNone;       // in Scene::groups; kNone: at the top
    u32 hold = kNone;        // in Scene::holds; kNone: it stands where it was put
    u32 given_name = kNone;  // in Scene::given_names; kNone: it is called as the file says
    u32 source = kNone;      // numbers all that the files could place, whatever this moment shows
};

// A node of the file with other things below it, or an object of several shapes that the file
// places: they move and hide with it. Parents come before their children.
struct Group {
    std::string name;
    math::Affine to_world = math::kIdentity;  // can be inverted
    u32 parent = kNone;                       // kNone: at the top
    u32 place = 0;                            // numbers the groups of one name
    u32 hold = kNone;                         // in Scene::holds
    std::string given_name{};                 // empty: it is called as the file says
};

// Where something was put, and where the group around it stood then. Since then it stands to its
// group as it did: at group.to_world · group⁻¹ · put, or exactly at `put` while the group is where
// it was (scene_tree.h). A light's `put` has its direction and its position as third and fourth
// column.
struct Hold {
    math::Affine put{};
    math::Affine group{};
};

struct Light {
    std::string name;
    shaders::LightKind kind = shaders::LightKind::Point;  // Point, Spot or Directional
    math::Vec3 position{};
    math::Vec3 direction{0, 0, -1};  // from the light into the scene
    math::Vec3 intensity{1, 1, 1};   // linear Rec. 709; cd, cd, lux
    float cos_inner = 1;
    float cos_outer = 0.70710678f;
    float radius_m = 0;   // point, spot: of an emitting ball; 0: a point
    float angle_deg = 0;  // directional: from edge to edge; [0, 90]
    u32 group = kNone;    // as an instance's
    u32 hold = kNone;
    std::string given_name{};  // as a group's
};

struct Camera {
    std::string name;
    math::Affine to_world = math::kIdentity;  // looks down its −Z
    bool is_orthographic = false;
    float yfov_rad = 0.8f;  // perspective: vertical
    float aspect = 0;       // width / height; 0: that of the picture
    float xmag = 1;         // orthographic: half width and half height in metres
    float ymag = 1;
    float lens_radius_m = 0;
    float focus_m = 1;
    float shift_x = 0;       // of the film: what the picture shows moves by so much of its width
    float shift_y = 0;       // and of its height
    float pixel_aspect = 1;  // width over height of a pixel
    u32 group = kNone;       // as an instance's
    u32 hold = kNone;
    std::string given_name{};  // as a group's
};

// Lat-long RGB floats, row 0 = up (conventions in shaders/bsdf.md section 5). A constant one is
// 1×1.
struct Environment {
    std::string name;
    u32 width = 0;
    u32 height = 0;
    Arena<float> pixels;
    float strength = 1;
    float rotation_rad = 0;
    u64 repaired_texels = 0;  // negative or not finite in the file, 0 here
};

// What the importer found, repaired, replaced or ignored; one sentence each, for `weft info` and
// the log.
struct Note {
    enum class Kind { Found, Repaired, Replaced, Ignored };
    Kind kind = Kind::Found;
    std::string sentence;
};

struct Scene {
    std::string name;
    // Geometry arenas; MeshRecord's offsets count elements of these.
    GeometryArena<u32> indices;      // 3 per triangle, relative to the mesh's first vertex
    GeometryArena<float> positions;  // 3 per vertex
    GeometryArena<float> normals;    // 3
    GeometryArena<float> tangents;   // 4
    GeometryArena<float> uvs;        // 2; uv0 and uv1
    GeometryArena<float> colors;     // 4
    Texels texels;                   // TextureRecord::mip_offset counts these words
    Arena<Mesh> meshes;
    // By mesh, where a pose was imported: names all that its vertices were made from; a frame of an
    // animation takes over those of the frame before. Empty strings, or no rows: nothing is taken.
    Arena<std::string> mesh_sources;
    Arena<Instance> instances;
    u32 source_count = 0;  // of the files so far: Instance::source lies below
    Arena<Group> groups;
    Arena<Hold> holds;               // of what stands in a group that was moved
    Arena<std::string> given_names;  // of nodes, by edits
    // What instances belong to, for mattes: glTF's topmost node, a placed object, else the file.
    std::vector<std::string> assets;
    Arena<Material> materials;  // never empty after import: 0 is the default material
    Arena<shaders::TextureSlot> slots;
    Arena<Texture> textures;
    std::vector<Light> lights;
    std::vector<Camera> cameras;
    Environment environment;
    // Where a pose was imported: its animation turns light on or off, so that a dark moment is
    // meant to be dark.
    bool has_moving_light = false;
    std::vector<Note> notes;
};

// Sums over the scene, for statistics and `weft info`.
struct SceneSize {
    u64 triangles = 0;         // instances multiplied out
    u64 unique_triangles = 0;  // of meshes that some instance places
    u64 bytes = 0;             // of the arenas
};

SceneSize scene_size(const Scene& scene);

// Numbers the nodes of one name: Instance::place counts up where the matrix or the group changes
// from one instance of the name to the next.
void number_places(Scene& scene);

// What a person calls it: the name that an edit gave, else that of the file, by which paths of
// edits and --hide go.
const std::string& present_name(const Scene& scene, const Instance& instance);

template <typename Item>
const std::string& present_name(const Item& item) {
    return item.given_name.empty() ? item.name : item.given_name;
}

// The name of what the instance belongs to, as the file has it.
const std::string& asset_name(const Scene& scene, const Instance& instance);

// World box of all instances; empty where there is nothing.
math::Box scene_bounds(const Scene& scene);

}  // namespace weft::scene
