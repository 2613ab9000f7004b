// test_stage.h — small scenes for traversal tests: triangles, instances and rays made from numbered
// seeds.
//
// A Stage holds a scene model and the flat tables that alpha decisions read; shoot() makes rays and
// trace_*() runs them through a kernel, keyed or not. Used by the tests of this folder only; one
// thread.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "engine/accel/acceleration.h"
#include "engine/accel/brute_force.h"
#include "engine/accel/placing.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::accel {

// xorshift64*: the same numbers everywhere.
class Dice {
public:
    explicit Dice(u64 seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}

    u32 bits() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return static_cast<u32>((state_ * 0x2545f4914f6cdd1du) >> 32);
    }

    float unit() { return static_cast<float>(bits() >> 8) * 0x1p-24f; }  // [0, 1)

    float between(float low, float high) { return low + (high - low) * unit(); }

    Point point(float size) {
        return {between(-size, size), between(-size, size), between(-size, size)};
    }

private:
    u64 state_;
};

inline shaders::MaterialRecord plain_material() {
    shaders::MaterialRecord material{};
    material.base_color[0] = material.base_color[1] = material.base_color[2] =
        material.base_color[3] = 1;
    material.specular_color[0] = material.specular_color[1] = material.specular_color[2] = 1;
    material.ior = 1;
    for (u32* slot : {&material.base_color_slot,
                      &material.metallic_roughness_slot,
                      &material.normal_slot,
                      &material.emissive_slot,
                      &material.specular_slot,
                      &material.specular_color_slot,
                      &material.transmission_slot,
                      &material.iridescence_slot,
                      &material.iridescence_thickness_slot,
                      &material.anisotropy_slot}) {
        *slot = kNone;
    }
    return material;
}

// Hit with probability `alpha`, by the hash.
inline shaders::MaterialRecord veil_material(float alpha) {
    shaders::MaterialRecord material = plain_material();
    material.alpha_mode = static_cast<u32>(shaders::AlphaMode::Blend);
    material.base_color[3] = alpha;
    return material;
}

// A thin pane that lets half of the red, all of the green and a quarter of the blue through.
inline shaders::MaterialRecord pane_material() {
    shaders::MaterialRecord material = plain_material();
    material.transmission = 1;
    material.flags = shaders::kMaterialTransmission | shaders::kMaterialStraight;
    material.base_color[0] = 0.5f;
    material.base_color[2] = 0.25f;
    return material;
}

class Stage {
public:
    Stage() { add_material(plain_material()); }

    // Requires a finished scene.
    explicit Stage(scene::Scene scene) : scene_(std::move(scene)) { finish(); }

    u32 add_material(const shaders::MaterialRecord& record) {
        scene_.materials.push_back({"", record});
        return static_cast<u32>(scene_.materials.size() - 1);
    }

    u32 add_mesh(const std::vector<Corners>& triangles) {
        shaders::MeshRecord record{};
        record.first_triangle = static_cast<u32>(scene_.indices.size() / 3);
        record.triangle_count = static_cast<u32>(triangles.size());
        record.first_position = static_cast<u32>(scene_.positions.size() / 3);
        record.first_normal = record.first_tangent = record.first_uv0 = kNone;
        record.first_uv1 = record.first_color = kNone;
        u32 vertex = 0;
        for (const Corners& triangle : triangles) {
            for (const Point& corner : triangle) {
                scene_.positions.insert(scene_.positions.end(), &corner.x, &corner.x + 3);
                scene_.indices.push_back(vertex++);
            }
        }
        scene_.meshes.push_back({"mesh", record, 0});
        return static_cast<u32>(scene_.meshes.size() - 1);
    }

    u32 add_instance(u32 mesh, u32 material = 0, const math::Affine& to_world = math::kIdentity) {
        scene_.instances.push_back({mesh, material, to_world, ""});
        return static_cast<u32>(scene_.instances.size() - 1);
    }

    u32 add(const std::vector<Corners>& triangles, u32 material = 0) {
        return add_instance(add_mesh(triangles), material);
    }

    // Call after the last addition.
    void finish() {
        for (const scene::Mesh& mesh : scene_.meshes) {
            meshes_.push_back(mesh.record);
        }
        for (const scene::Instance& instance : scene_.instances) {
            shaders::InstanceRecord record{};
            std::copy(instance.object_to_world.begin(),
                      instance.object_to_world.end(),
                      record.object_to_world);
            record.mesh = instance.mesh;
            record.material = instance.material;
            instances_.push_back(record);
        }
        for (const scene::Material& material : scene_.materials) {
            materials_.push_back(material.record);
        }
        albedo_.assign(std::size_t{2} * shaders::kGgxAlbedoSize * shaders::kGgxAlbedoSize, 0.5f);
        view_.indices = scene_.indices.data();
        view_.positions = scene_.positions.data();
        view_.meshes = meshes_.data();
        view_.instances = instances_.data();
        view_.materials = materials_.data();
        view_.ggx_albedo = albedo_.data();
        view_.sheen_albedo = albedo_.data();
    }

    // Call after finish(): the planes of masks[k] cut instance k.
    void cut(std::vector<shaders::ClipPlane> planes, const std::vector<u32>& masks) {
        planes_ = std::move(planes);
        view_.clip_planes = planes_.data();
        view_.clip_plane_count = static_cast<u32>(planes_.size());
        for (std::size_t k = 0; k < masks.size(); ++k) {
            instances_[k].clip_planes = masks[k];
        }
    }

    // Flags of instances: those that a plane cuts, and those whose material needs one.
    [[nodiscard]] std::vector<bool> flagged() const {
        std::vector<bool> flagged;
        for (const shaders::InstanceRecord& instance : instances_) {
            flagged.push_back(instance.clip_planes != 0 ||
                              needs_flag(materials_[instance.material]));
        }
        return flagged;
    }

    [[nodiscard]] const scene::Scene& scene() const { return scene_; }

    [[nodiscard]] const shaders::SceneView& view() const { return view_; }

private:
    scene::Scene scene_;
    std::vector<shaders::MeshRecord> meshes_;
    std::vector<shaders::InstanceRecord> instances_;
    std::vector<shaders::MaterialRecord> materials_;
    std::vector<float> albedo_;
    std::vector<shaders::ClipPlane> planes_;
    shaders::SceneView view_{};
};

// Rays, alpha keys and tints, by slot.
struct Rays {
    std::vector<shaders::TraceRay> rays;
    std::vector<u32> alpha_keys;
    std::vector<u32> tints;

    void add(const Point& origin, const Point& direction, float t = 1e30f) {
        shaders::TraceRay ray{};
        for (u32 axis = 0; axis < 3; ++axis) {
            ray.origin[axis] = origin[axis];
            ray.direction[axis] = direction[axis];
            ray.reciprocal[axis] = shaders::safe_reciprocal(direction[axis]);
        }
        ray.t = t;
        ray.primitive = ray.instance = ray.self_primitive = ray.self_instance = kNone;
        rays.push_back(ray);
        alpha_keys.push_back(static_cast<u32>(rays.size()) * 0x9e3779b9u);
        tints.resize(tints.size() + 3, 0);
    }

    [[nodiscard]] u32 size() const { return static_cast<u32>(rays.size()); }

    [[nodiscard]] std::vector<u32> all_ids() const {
        std::vector<u32> ids(rays.size());
        for (u32 k = 0; k < ids.size(); ++k) {
            ids[k] = k;
        }
        return ids;
    }

    shaders::TraceScene scene(const Stage& stage, const Acceleration& tree) {
        return {tree.view(), &stage.view(), alpha_keys.data(), tints.data()};
    }
};

// True if all outputs of two rays have the same bits.
inline bool is_same_hit(const shaders::TraceRay& a, const shaders::TraceRay& b) {
    return std::bit_cast<u32>(a.t) == std::bit_cast<u32>(b.t) &&
           std::bit_cast<u32>(a.u) == std::bit_cast<u32>(b.u) &&
           std::bit_cast<u32>(a.v) == std::bit_cast<u32>(b.v) && a.primitive == b.primitive &&
           a.instance == b.instance;
}

// Number of rays whose hits differ, or, for open shadow rays, whose tints differ.
inline u32 count_differences(const Rays& a, const Rays& b) {
    u32 different = 0;
    for (u32 k = 0; k < a.size(); ++k) {
        bool is_same = is_same_hit(a.rays[k], b.rays[k]);
        for (u32 channel = 0; channel < 3 && a.rays[k].t >= 0; ++channel) {
            is_same = is_same && a.tints[3 * k + channel] == b.tints[3 * k + channel];
        }
        different += is_same ? 0 : 1;
    }
    return different;
}

inline u32 count_hits(const Rays& rays) {
    u32 hits = 0;
    for (const shaders::TraceRay& ray : rays.rays) {
        hits += ray.primitive != kNone || ray.t < 0 ? 1 : 0;
    }
    return hits;
}

inline Acceleration must_build(const Stage& stage, const BuildConfig& config = {}) {
    base::Result<Acceleration> result = build_acceleration(stage.scene(), config);
    ENSURE(result.is_ok(), ==, true);
    return std::move(result.value());
}

// Runs all rays through one entry of a row: groups, or packets.
inline Rays trace_with(decltype(shaders::TraceKernels::closest_group) kernel,
                       const Stage& stage,
                       const Acceleration& tree,
                       Rays rays) {
    shaders::TraceCounters counters;
    const std::vector<u32> ids = rays.all_ids();
    kernel(rays.scene(stage, tree), tree.root, rays.rays.data(), ids.data(), rays.size(), counters);
    return rays;
}

inline Rays trace_group(const Stage& stage,
                        const Acceleration& tree,
                        Rays rays,
                        shaders::Isa isa,
                        bool is_any,
                        shaders::TraceCounters* maybe_counters = nullptr) {
    const shaders::TraceKernels& kernels = *shaders::trace_kernels(isa);
    shaders::TraceCounters counters;
    const std::vector<u32> ids = rays.all_ids();
    (is_any ? kernels.any_group : kernels.closest_group)(
        rays.scene(stage, tree), tree.root, rays.rays.data(), ids.data(), rays.size(), counters);
    if (maybe_counters) {
        *maybe_counters = counters;
    }
    return rays;
}

// A minimal keyed stream: lists on a stack, deepest first; lists of at most `group_limit` rays
// finish their subtree in one kernel call.
class KeyedStream {
public:
    KeyedStream(const Stage& stage,
                const Acceleration& tree,
                shaders::Isa isa,
                bool is_any,
                u32 group_limit)
        : KeyedStream(stage, tree, *shaders::trace_kernels(isa), is_any, group_limit) {}

    KeyedStream(const Stage& stage,
                const Acceleration& tree,
                const shaders::TraceKernels& kernels,
                bool is_any,
                u32 group_limit)
        : stage_(stage), tree_(tree), kernels_(kernels), is_any_(is_any), limit_(group_limit) {}

    Rays trace(Rays rays) {
        std::array<List, 8> octants;
        for (u32 k = 0; k < rays.size(); ++k) {
            const float* d = rays.rays[k].direction;
            const u32 octant = (d[0] < 0 ? 1u : 0u) | (d[1] < 0 ? 2u : 0u) | (d[2] < 0 ? 4u : 0u);
            octants[octant].ids.push_back(k);
            octants[octant].entry.push_back(0);
        }
        for (u32 octant = 0; octant < 8; ++octant) {
            octants[octant].ref = tree_.root;
            run(std::move(octants[octant]), octant, rays);
        }
        return rays;
    }

    shaders::TraceCounters counters;

private:
    struct List {
        u32 ref = shaders::kRefEmpty;
        std::vector<u32> ids;
        std::vector<float> entry;
    };

    void run(List first, u32 octant, Rays& rays) {
        std::vector<List> lists;
        lists.push_back(std::move(first));
        while (!lists.empty()) {
            const List list = std::move(lists.back());
            lists.pop_back();
            std::vector<u32> ids;
            for (std::size_t k = 0; k < list.ids.size(); ++k) {
                if (list.entry[k] <= rays.rays[list.ids[k]].t) {
                    ids.push_back(list.ids[k]);
                }
            }
            const auto count = static_cast<u32>(ids.size());
            const bool is_node = (list.ref & shaders::kRefKind) == shaders::kRefNode;
            if (!is_node || count <= limit_) {
                (is_any_ ? kernels_.any_walk : kernels_.closest_walk)(rays.scene(stage_, tree_),
                                                                      list.ref,
                                                                      octant,
                                                                      rays.rays.data(),
                                                                      ids.data(),
                                                                      count,
                                                                      counters);
            } else {
                visit(list.ref, ids, octant, rays, lists);
            }
        }
    }

    void visit(
        u32 ref, const std::vector<u32>& ids, u32 octant, Rays& rays, std::vector<List>& lists) {
        std::array<List, 8> children;
        shaders::ChildLists out{};
        for (u32 c = 0; c < 8; ++c) {
            children[c].ids.resize(ids.size() + shaders::kListSlack);
            children[c].entry.resize(ids.size() + shaders::kListSlack);
            out.ids[c] = children[c].ids.data();
            out.entry[c] = children[c].entry.data();
        }
        shaders::DecodedNode node;
        shaders::decode_node(tree_.nodes[ref & shaders::kRefIndex], octant, is_any_, node);
        (is_any_ ? kernels_.any_visit : kernels_.closest_visit)(rays.scene(stage_, tree_),
                                                                node,
                                                                rays.rays.data(),
                                                                ids.data(),
                                                                static_cast<u32>(ids.size()),
                                                                out,
                                                                counters);
        for (u32 c = 0; c < node.child_count; ++c) {
            if (out.count[c] != 0) {
                children[c].ref = node.child[c];
                children[c].ids.resize(out.count[c]);
                children[c].entry.resize(out.count[c]);
                lists.push_back(std::move(children[c]));
            }
        }
    }

    const Stage& stage_;
    const Acceleration& tree_;
    const shaders::TraceKernels& kernels_;
    bool is_any_;
    u32 limit_;
};

inline Rays trace_brute(const Stage& stage,
                        const Acceleration& tree,
                        Rays rays,
                        bool is_any,
                        const std::vector<bool>& is_visible = {}) {
    const BruteForce twin(stage.scene(), is_visible);
    const shaders::TraceScene scene = rays.scene(stage, tree);
    for (u32 k = 0; k < rays.size(); ++k) {
        is_any ? twin.any(scene, rays.rays[k], k) : twin.closest(scene, rays.rays[k], k);
    }
    return rays;
}

// Instruction sets that this machine can run.
inline std::vector<shaders::Isa> runnable_isas() {
    std::vector<shaders::Isa> isas;
    for (const shaders::Isa isa : {shaders::Isa::Sse4, shaders::Isa::Avx2, shaders::Isa::Avx512}) {
        if (shaders::trace_kernels(isa)) {
            isas.push_back(isa);
        }
    }
    return isas;
}

// Triangles with corners within `size` of a centre within 1.
inline std::vector<Corners> triangle_soup(u32 count, float size, u64 seed) {
    Dice dice(seed);
    std::vector<Corners> triangles(count);
    for (Corners& triangle : triangles) {
        const Point centre = dice.point(1);
        for (Point& corner : triangle) {
            const Point offset = dice.point(size);
            corner = centre + offset;
        }
    }
    return triangles;
}

// Rays between two random points of the cube of half side `size`.
inline Rays random_rays(u32 count, float size, u64 seed) {
    Dice dice(seed);
    Rays rays;
    for (u32 k = 0; k < count; ++k) {
        const Point from = dice.point(size);
        const Point to = dice.point(size * 0.6f);
        rays.add(from, to - from);
    }
    return rays;
}

}  // namespace weft::accel
