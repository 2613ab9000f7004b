// scene.cpp — properties of a whole scene: its default material, its size and its box.
//
// Called by importers, `weft info` and the tables of engine/trace; any thread that may read the
// scene.
#include "engine/scene/model/scene.h"

#include <algorithm>
#include <unordered_map>

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include "engine/scene/model/scene_boxes.h"

namespace weft::scene {

namespace {

using math::Box;
using math::Vec3;

// Up to this many corners of triangles the box is exact, from every corner in the world; beyond it
// comes from the eight corners of each instance's box.
constexpr u64 kExactCorners = u64{1} << 25;
constexpr std::size_t kTrianglesPerTask = 1 << 14;

// A box, and how many triangles are not in it because they are out of reach.
struct Extent {
    Box box;
    u64 far = 0;
};

Extent joined(Extent first, const Extent& second) {
    first.box.include(second.box);
    first.far += second.far;
    return first;
}

// The extent of a mesh's triangles, with each corner mapped by `place`.
template <typename Place>
Extent extent_of(const Scene& scene, const shaders::MeshRecord& mesh, const Place& place) {
    using Range = tbb::blocked_range<std::size_t>;
    const u32* const indices = scene.indices.data();
    const float* const positions = scene.positions.data();
    const auto grown = [&](const Range& range, Extent extent) {
        for (std::size_t triangle = range.begin(); triangle != range.end(); ++triangle) {
            std::array<Vec3, 3> corners{};
            for (std::size_t k = 0; k < 3; ++k) {
                const u32 vertex = indices[3 * triangle + k];
                corners[k] = place(
                    math::vec3_at(positions + 3 * (std::size_t{mesh.first_position} + vertex)));
            }
            if (!std::all_of(corners.begin(), corners.end(), is_in_reach)) {
                ++extent.far;
                continue;
            }
            for (const Vec3& corner : corners) {
                extent.box.include(corner);
            }
        }
        return extent;
    };
    const Range all(mesh.first_triangle,
                    std::size_t{mesh.first_triangle} + mesh.triangle_count,
                    kTrianglesPerTask);
    return all.is_divisible()
               ? tbb::parallel_deterministic_reduce(all,
                                                    Extent{},
                                                    grown,
                                                    [](const Extent& first, const Extent& second) {
                                                        return joined(first, second);
                                                    })
               : grown(all, {});
}

Extent extent_of(const Scene& scene, const Instance& instance) {
    return extent_of(scene, scene.meshes[instance.mesh].record, [&](const Vec3& p) {
        return math::transform_point(instance.object_to_world, p);
    });
}

void append(SceneBoxes& made, const Extent& extent) {
    ++made.made;
    made.boxes.push_back(extent.box);
    made.far.push_back(extent.far);
}

// The exact box, from each corner of each instance.
Box join_instances(const Scene& scene, const SceneBoxes* maybe_kin, SceneBoxes& made) {
    Box whole;
    for (std::size_t k = 0; k < scene.instances.size(); ++k) {
        const Instance& instance = scene.instances[k];
        const Instance* const maybe_same =
            maybe_kin && k < maybe_kin->instances.size() ? &maybe_kin->instances[k] : nullptr;
        if (maybe_same && maybe_same->mesh == instance.mesh &&
            maybe_same->object_to_world == instance.object_to_world) {
            made.boxes.push_back(maybe_kin->boxes[k]);
            made.far.push_back(maybe_kin->far[k]);
        } else {
            append(made, extent_of(scene, instance));
        }
        whole.include(made.boxes.back());
        made.far_triangles += made.far.back();
    }
    return whole;
}

// The extent of an instance from the box of its mesh, or triangle by triangle where a corner of
// that box is out of reach.
Extent placed_extent(const Scene& scene, const Instance& instance, const Box& own, u64 far) {
    Extent extent{Box(), far};
    for (u32 corner = 0; corner < 8; ++corner) {
        const Vec3 placed = math::transform_point(instance.object_to_world, own.corner(corner));
        if (!is_in_reach(placed)) {
            return extent_of(scene, instance);
        }
        extent.box.include(placed);
    }
    return extent;
}

// The box from the eight corners of each mesh's own box.
Box join_meshes(const Scene& scene, const SceneBoxes* maybe_kin, SceneBoxes& made) {
    if (maybe_kin) {
        made.boxes = maybe_kin->boxes;
        made.far = maybe_kin->far;
    }
    for (std::size_t m = made.boxes.size(); m < scene.meshes.size(); ++m) {
        append(made, extent_of(scene, scene.meshes[m].record, [](const Vec3& p) { return p; }));
    }
    Extent whole;
    for (const Instance& instance : scene.instances) {
        const Box& own = made.boxes[instance.mesh];
        const u64 far = made.far[instance.mesh];
        whole = own.is_empty() ? Extent{whole.box, whole.far + far}
                               : joined(whole, placed_extent(scene, instance, own, far));
    }
    made.far_triangles = whole.far;
    return whole.box;
}

template <typename Items>
u64 bytes_of(const Items& arena) {
    return u64{arena.size()} * sizeof(typename Items::value_type);
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
    std::vector<bool> is_placed(scene.meshes.size(), false);
    for (const Instance& instance : scene.instances) {
        const u64 triangles = scene.meshes[instance.mesh].record.triangle_count;
        size.triangles += triangles;
        size.unique_triangles += is_placed[instance.mesh] ? 0 : triangles;
        is_placed[instance.mesh] = true;
    }
    size.bytes = bytes_of(scene.indices) + bytes_of(scene.positions) + bytes_of(scene.normals) +
                 bytes_of(scene.tangents) + bytes_of(scene.uvs) + bytes_of(scene.colors) +
                 scene.texels.figures().bytes + bytes_of(scene.environment.pixels);
    return size;
}

const std::string& present_name(const Scene& scene, const Instance& instance) {
    return instance.given_name < scene.given_names.size() ? scene.given_names[instance.given_name]
                                                          : instance.node;
}

const std::string& asset_name(const Scene& scene, const Instance& instance) {
    return instance.asset < scene.assets.size() ? scene.assets[instance.asset] : instance.node;
}

void number_places(Scene& scene) {
    std::unordered_map<std::string, const Instance*> last_of;
    for (Instance& instance : scene.instances) {
        const Instance*& last = last_of[instance.node];
        const bool is_elsewhere =
            last != nullptr &&
            (last->object_to_world != instance.object_to_world || last->group != instance.group);
        instance.place = last == nullptr ? 0 : last->place + (is_elsewhere ? 1 : 0);
        last = &instance;
    }
}

math::Box scene_bounds(const Scene& scene) {
    return make_scene_boxes(scene, nullptr).whole;
}

SceneBoxes make_scene_boxes(const Scene& scene, const SceneBoxes* maybe_former) {
    SceneBoxes made;
    made.indices = scene.indices;
    made.positions = scene.positions;
    made.meshes = scene.meshes;
    made.instances = scene.instances;
    made.is_by_mesh = 3 * scene_size(scene).triangles > kExactCorners;
    const bool is_kin = maybe_former && maybe_former->is_by_mesh == made.is_by_mesh &&
                        maybe_former->indices.shares_with(scene.indices) &&
                        maybe_former->positions.shares_with(scene.positions) &&
                        maybe_former->meshes.shares_with(scene.meshes);
    const SceneBoxes* const maybe_kin = is_kin ? maybe_former : nullptr;
    made.whole = made.is_by_mesh ? join_meshes(scene, maybe_kin, made)
                                 : join_instances(scene, maybe_kin, made);
    return made;
}

std::string far_note(const SceneBoxes& boxes) {
    return boxes.far_triangles == 0
               ? std::string()
               : std::to_string(boxes.far_triangles) +
                     " triangles lie farther than 1e18 m from the origin and are not shown.";
}

}  // namespace weft::scene
