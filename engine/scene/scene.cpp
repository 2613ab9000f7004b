// scene.cpp — what can be said about a scene as a whole: its default material, its size and its
// box.
//
// Called by importers, `weft info` and the tables of engine/trace; any thread that may read the
// scene.
#include "engine/scene/scene.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace weft::scene {

namespace {

using Box = std::array<std::array<float, 3>, 2>;

constexpr float kFar = std::numeric_limits<float>::infinity();
constexpr Box kEmptyBox = {{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}}};

// Up to so many corners of triangles every one is placed and the box is exact; beyond, eight
// corners per instance do.
constexpr u64 kExactCorners = u64{1} << 25;

std::array<float, 3> transform(const Affine& m, const std::array<float, 3>& p) {
    std::array<float, 3> placed{};
    for (std::size_t row = 0; row < 3; ++row) {
        placed[row] =
            m[4 * row] * p[0] + m[4 * row + 1] * p[1] + m[4 * row + 2] * p[2] + m[4 * row + 3];
    }
    return placed;
}

void grow(Box& box, const std::array<float, 3>& p) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        box[0][axis] = std::min(box[0][axis], p[axis]);
        box[1][axis] = std::max(box[1][axis], p[axis]);
    }
}

template <typename Visit>
void for_each_corner(const Scene& scene, const shaders::MeshRecord& mesh, const Visit& visit) {
    const std::size_t first = std::size_t{3} * mesh.first_triangle;
    for (std::size_t i = first; i < first + std::size_t{3} * mesh.triangle_count; ++i) {
        const std::size_t at = 3 * (std::size_t{mesh.first_position} + scene.indices[i]);
        visit({scene.positions[at], scene.positions[at + 1], scene.positions[at + 2]});
    }
}

template <typename T>
u64 bytes_of(const Arena<T>& arena) {
    return u64{arena.size()} * sizeof(T);
}

}  // namespace

shaders::MaterialRecord default_material() {
    shaders::MaterialRecord record{};
    std::fill(std::begin(record.base_color), std::end(record.base_color), 1.0f);
    std::fill(std::begin(record.specular_color), std::end(record.specular_color), 1.0f);
    record.metallic = 1.0f;
    record.roughness = 1.0f;
    record.normal_scale = 1.0f;
    record.alpha_cutoff = 0.5f;
    record.ior = 1.5f;
    record.specular = 1.0f;
    record.coat_normal_scale = 1.0f;
    record.iridescence_ior = 1.3f;
    record.iridescence_min_nm = 100.0f;
    record.iridescence_max_nm = 400.0f;
    record.anisotropy_cos = 1.0f;
    record.flags =
        shaders::kMaterialSingleSided;  // glTF: doubleSided is false unless said otherwise
    for (u32* slot : {&record.base_color_slot,
                      &record.metallic_roughness_slot,
                      &record.normal_slot,
                      &record.emissive_slot,
                      &record.specular_slot,
                      &record.specular_color_slot,
                      &record.transmission_slot,
                      &record.coat_slot,
                      &record.coat_roughness_slot,
                      &record.coat_normal_slot,
                      &record.sheen_color_slot,
                      &record.sheen_roughness_slot,
                      &record.iridescence_slot,
                      &record.iridescence_thickness_slot,
                      &record.anisotropy_slot}) {
        *slot = kNone;
    }
    return record;
}

SceneSize scene_size(const Scene& scene) {
    SceneSize size;
    for (const Instance& instance : scene.instances) {
        size.triangles += scene.meshes[instance.mesh].record.triangle_count;
    }
    for (const Mesh& mesh : scene.meshes) {
        size.unique_triangles += mesh.record.triangle_count;
    }
    size.bytes = bytes_of(scene.indices) + bytes_of(scene.positions) + bytes_of(scene.normals) +
                 bytes_of(scene.tangents) + bytes_of(scene.uvs) + bytes_of(scene.colors) +
                 bytes_of(scene.texels) + bytes_of(scene.environment.pixels);
    return size;
}

void number_places(Scene& scene) {
    std::unordered_map<std::string, const Instance*> last_of;
    for (Instance& instance : scene.instances) {
        const Instance*& last = last_of[instance.node];
        const bool is_elsewhere =
            last != nullptr && last->object_to_world != instance.object_to_world;
        instance.place = last == nullptr ? 0 : last->place + (is_elsewhere ? 1 : 0);
        last = &instance;
    }
}

std::array<std::array<float, 3>, 2> scene_bounds(const Scene& scene) {
    Box box = kEmptyBox;
    // Few corners: place each one.
    if (3 * scene_size(scene).triangles <= kExactCorners) {
        for (const Instance& instance : scene.instances) {
            for_each_corner(
                scene, scene.meshes[instance.mesh].record, [&](const std::array<float, 3>& p) {
                    grow(box, transform(instance.object_to_world, p));
                });
        }
        return box;
    }
    // Many: place the eight corners of each mesh's own box.
    std::vector<Box> mesh_boxes(scene.meshes.size(), kEmptyBox);
    for (std::size_t m = 0; m < scene.meshes.size(); ++m) {
        for_each_corner(scene, scene.meshes[m].record, [&](const std::array<float, 3>& p) {
            grow(mesh_boxes[m], p);
        });
    }
    for (const Instance& instance : scene.instances) {
        const Box& own = mesh_boxes[instance.mesh];
        if (own[0][0] > own[1][0]) {
            continue;
        }
        for (u32 corner = 0; corner < 8; ++corner) {
            grow(box,
                 transform(
                     instance.object_to_world,
                     {own[corner & 1][0], own[(corner >> 1) & 1][1], own[(corner >> 2) & 1][2]}));
        }
    }
    return box;
}

}  // namespace weft::scene
