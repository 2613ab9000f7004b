#include "engine/frame/camera_hits.h"

#include <algorithm>
#include <cmath>

#include "engine/frame/picking.h"
#include "scheduler/base/ensure.h"
#include "shaders/surface/texel_lookup.h"

namespace weft::frame {

namespace {

using math::Vec3;

constexpr u32 kHitBatch = 1024;
// A mirror is metal of at most this roughness: its reflection shows edges.
constexpr float kMostMirrorRoughness = 0.1F;
constexpr float kLeastMirrorMetal = 0.5F;
// Rays leave a mirror this far from it, as a share of the way to it.
constexpr float kMirrorOffset = 1e-5F;
// Surfaces behind each other that one ray passes, at most.
constexpr u32 kMostPassed = 16;

trace::RayConfig ray_config() {
    trace::RayConfig config;
    config.batch = kHitBatch;
    return config;
}

trace::RayStage ray_stage(const UnitScene& scene) {
    trace::RayStage stage;
    stage.scene.bvh = scene.acceleration->view();
    stage.scene.scene = &scene.tables->view;
    stage.store = scene.acceleration->store.get();
    stage.kernels = shaders::trace_kernels(shaders::best_isa());
    return stage;
}

shaders::TraceRay mirrored_ray(const shaders::TraceRay& ray, const CameraHit& hit) {
    const Vec3 direction = math::vec3_at(ray.direction);
    const Vec3 origin = hit.position + kMirrorOffset * hit.distance_m * hit.geometric;
    const Vec3 onward = direction - 2 * math::dot(direction, hit.normal) * hit.normal;
    shaders::TraceRay mirrored{};
    for (u32 axis = 0; axis < 3; ++axis) {
        mirrored.origin[axis] = origin[axis];
        mirrored.direction[axis] = onward[axis];
        mirrored.reciprocal[axis] = shaders::safe_reciprocal(onward[axis]);
    }
    mirrored.t = math::kInfinity;
    mirrored.primitive = kNone;
    mirrored.self_instance = ray.instance;
    mirrored.self_primitive = ray.primitive;
    return mirrored;
}

Vec3 point_of(const float* m, const Vec3& p) {
    return {m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3],
            m[4] * p.x + m[5] * p.y + m[6] * p.z + m[7],
            m[8] * p.x + m[9] * p.y + m[10] * p.z + m[11]};
}

// The normal in the world: the transposed inverse of the placement's linear part.
Vec3 normal_in_world(const float* world_to_object, const Vec3& n) {
    const float* const m = world_to_object;
    return {m[0] * n.x + m[4] * n.y + m[8] * n.z,
            m[1] * n.x + m[5] * n.y + m[9] * n.z,
            m[2] * n.x + m[6] * n.y + m[10] * n.z};
}

}  // namespace

Vec3 on_film(const shaders::CameraRecord& camera, const PictureSize& size, const Vec3& position) {
    const Vec3 from = position - math::vec3_at(camera.origin);
    const float depth = math::dot(from, math::vec3_at(camera.forward));
    const float z = camera.is_orthographic != 0 ? 1.0F : depth;
    const float s = math::dot(from, math::vec3_at(camera.right)) - z * camera.shift_s;
    const float t = math::dot(from, math::vec3_at(camera.up)) - z * camera.shift_t;
    return {0.5F * static_cast<float>(size.width) * (s / camera.half_width + z),
            0.5F * static_cast<float>(size.height) * (z - t / camera.half_height),
            z};
}

CameraHits::CameraHits(const UnitScene& scene,
                       const shaders::CameraRecord& camera,
                       const PictureSize& size,
                       bool has_backface_culling)
    : view_(scene.tables->view),
      camera_(camera),
      size_(size),
      has_backface_culling_(has_backface_culling),
      list_(ray_config(), ray_stage(scene), kHitBatch, trace::RayClass::Coherent) {}

void CameraHits::trace(std::span<const PicturePoint> points, std::span<CameraHit> hits) {
    ENSURE(points.size(), ==, hits.size());
    rays_.clear();
    for (const PicturePoint& point : points) {
        rays_.push_back(ray_at(point));
    }
    list_.trace(rays_);
    pass_unseen();
    for (std::size_t k = 0; k < points.size(); ++k) {
        hits[k] = hit_of(rays_[k], points[k]);
    }
}

void CameraHits::trace_mirrored(std::span<const CameraHit> hits, std::span<MirroredPoint> shown) {
    ENSURE(hits.size(), ==, rays_.size());
    ENSURE(shown.size(), ==, hits.size());
    passing_.clear();
    passing_index_.clear();
    for (u32 k = 0; k < hits.size(); ++k) {
        shown[k] = {};
        shown[k].is_mirror = is_mirror(rays_[k]);
        if (shown[k].is_mirror) {
            passing_.push_back(mirrored_ray(rays_[k], hits[k]));
            passing_index_.push_back(k);
        }
    }
    list_.trace(passing_);
    for (std::size_t k = 0; k < passing_.size(); ++k) {
        const shaders::TraceRay& ray = passing_[k];
        if (ray.primitive != kNone) {
            MirroredPoint& point = shown[passing_index_[k]];
            point.instance = ray.instance;
            point.position = math::vec3_at(ray.origin) + ray.t * math::vec3_at(ray.direction);
        }
    }
}

bool may_be_mirror(const shaders::MaterialRecord& material) {
    return (material.flags & shaders::kMaterialSpecGloss) == 0 &&
           material.metallic >= kLeastMirrorMetal &&
           (material.roughness <= kMostMirrorRoughness ||
            material.metallic_roughness_slot != kNone);
}

bool CameraHits::is_mirror(const shaders::TraceRay& ray) const {
    if (ray.primitive == kNone) {
        return false;
    }
    const shaders::InstanceRecord& placed = view_.instances[ray.instance];
    const shaders::MaterialRecord& material = view_.materials[placed.material];
    if (!may_be_mirror(material)) {
        return false;
    }
    const std::array<float, 4> texel = shaders::lookup_hit(view_,
                                                           material.metallic_roughness_slot,
                                                           view_.meshes[placed.mesh],
                                                           ray.primitive,
                                                           ray.u,
                                                           ray.v);
    return material.metallic * texel[2] >= kLeastMirrorMetal &&
           material.roughness * texel[1] <= kMostMirrorRoughness;
}

// Rays that meet what camera rays pass go on from there.
void CameraHits::pass_unseen() {
    for (u32 passed = 0; passed < kMostPassed; ++passed) {
        passing_.clear();
        passing_index_.clear();
        for (u32 k = 0; k < rays_.size(); ++k) {
            if (!is_passed(rays_[k])) {
                continue;
            }
            shaders::TraceRay on = rays_[k];
            for (u32 axis = 0; axis < 3; ++axis) {
                on.origin[axis] += on.t * on.direction[axis];
            }
            on.self_instance = on.instance;
            on.self_primitive = on.primitive;
            on.primitive = kNone;
            on.t = math::kInfinity;
            passing_.push_back(on);
            passing_index_.push_back(k);
        }
        if (passing_.empty()) {
            return;
        }
        list_.trace(passing_);
        for (std::size_t k = 0; k < passing_.size(); ++k) {
            rays_[passing_index_[k]] = passing_[k];
        }
    }
}

bool CameraHits::is_passed(const shaders::TraceRay& ray) const {
    if (ray.primitive == kNone) {
        return false;
    }
    const u32 flags = view_.materials[view_.instances[ray.instance].material].flags;
    constexpr u32 kMayPass = shaders::kMaterialUnseen | shaders::kMaterialSingleSided;
    if ((flags & shaders::kMaterialSolid) != 0 || (flags & kMayPass) == 0) {
        return false;
    }
    if ((flags & shaders::kMaterialUnseen) != 0) {
        return true;
    }
    if (!has_backface_culling_) {
        return false;
    }
    const bool is_mirrored =
        (view_.instances[ray.instance].flags & shaders::kInstanceMirrored) != 0;
    const std::array<Vec3, 3> at = corners(ray.instance, ray.primitive);
    const Vec3 around = math::cross(at[1] - at[0], at[2] - at[0]);
    const float along = math::dot(around, math::vec3_at(ray.direction));
    return is_mirrored ? along < 0 : along > 0;
}

std::array<Vec3, 3> CameraHits::corners(u32 instance, u32 primitive) const {
    const shaders::InstanceRecord& placed = view_.instances[instance];
    const shaders::MeshRecord& mesh = view_.meshes[placed.mesh];
    const u32* const corner = view_.indices + 3 * (u64{mesh.first_triangle} + primitive);
    std::array<Vec3, 3> at;
    for (u32 k = 0; k < 3; ++k) {
        const float* const position = view_.positions + 3 * (u64{mesh.first_position} + corner[k]);
        at[k] = point_of(placed.object_to_world, math::vec3_at(position));
    }
    return at;
}

CameraHit CameraHits::hit_of(const shaders::TraceRay& ray, const PicturePoint& point) const {
    CameraHit hit;
    if (ray.primitive == kNone) {
        return hit;
    }
    hit.instance = ray.instance;
    hit.primitive = ray.primitive;
    const std::array<Vec3, 3> at = corners(ray.instance, ray.primitive);
    hit.position = at[0] * (1 - ray.u - ray.v) + at[1] * ray.u + at[2] * ray.v;
    hit.distance_m = math::length(hit.position - math::vec3_at(ray_at(point).origin));
    const Vec3 around = math::normalize(math::cross(at[1] - at[0], at[2] - at[0]));
    const Vec3 direction = math::vec3_at(ray.direction);
    hit.geometric = math::dot(around, direction) > 0 ? -around : around;
    hit.normal = normal_of(ray, hit.geometric);
    hit.albedo = albedo_of(ray);
    return hit;
}

shaders::TraceRay CameraHits::ray_at(const PicturePoint& point) const {
    return ray_through(camera_,
                       point.x / static_cast<float>(size_.width),
                       point.y / static_cast<float>(size_.height));
}

Vec3 CameraHits::direction(const PicturePoint& point) const {
    return math::vec3_at(ray_at(point).direction);
}

Vec3 CameraHits::normal_of(const shaders::TraceRay& ray, const Vec3& geometric) const {
    const shaders::InstanceRecord& placed = view_.instances[ray.instance];
    const shaders::MeshRecord& mesh = view_.meshes[placed.mesh];
    if (mesh.first_normal == kNone) {
        return geometric;
    }
    const u32* const corner = view_.indices + 3 * (u64{mesh.first_triangle} + ray.primitive);
    const auto at = [&](u32 k) {
        return math::vec3_at(view_.normals + 3 * (u64{mesh.first_normal} + corner[k]));
    };
    const Vec3 between = at(0) * (1 - ray.u - ray.v) + at(1) * ray.u + at(2) * ray.v;
    const Vec3 world = math::normalize(normal_in_world(placed.world_to_object, between), geometric);
    return math::dot(world, geometric) < 0 ? -world : world;
}

Vec3 CameraHits::albedo_of(const shaders::TraceRay& ray) const {
    const shaders::InstanceRecord& placed = view_.instances[ray.instance];
    const shaders::MaterialRecord& material = view_.materials[placed.material];
    const shaders::MeshRecord& mesh = view_.meshes[placed.mesh];
    const auto read = [&](const float* factor, u32 slot) {
        const std::array<float, 4> texel =
            shaders::lookup_hit(view_, slot, mesh, ray.primitive, ray.u, ray.v);
        return math::vec3_at(factor) * Vec3(texel[0], texel[1], texel[2]);
    };
    const std::array<float, 4> painted =
        shaders::interpolate_color(view_, mesh, ray.primitive, ray.u, ray.v);
    Vec3 base = read(material.base_color, material.base_color_slot) *
                Vec3(painted[0], painted[1], painted[2]);
    if ((material.flags & shaders::kMaterialSpecGloss) != 0) {
        const Vec3 gloss = read(material.specular_color, material.specular_color_slot);
        base = base * (1 - std::max({gloss.x, gloss.y, gloss.z})) + gloss;
    }
    if ((material.flags & shaders::kMaterialEmissive) != 0) {
        const Vec3 light = read(material.emissive, material.emissive_slot);
        const float most = std::max({light.x, light.y, light.z});
        base += most > 0 ? light / most : Vec3(0.0F);
    }
    return glm::clamp(base, 0.0F, 1.0F);
}

// Edges stay lines in the picture: that of two corners is the plane through them and the eye, also
// where a corner lies behind the camera.
SeenTriangle CameraHits::seen(const CameraHit& hit, const PicturePoint& point) const {
    if (hit.instance == kNone) {
        return {};
    }
    const std::array<Vec3, 3> at = corners(hit.instance, hit.primitive);
    std::array<Vec3, 3> film;  // x and y times z, and z, in pixels
    for (u32 k = 0; k < 3; ++k) {
        film[k] = on_film(camera_, size_, at[k]);
    }
    // The determinant is twice the area times the depths.
    const float volume = std::fabs(math::dot(film[0], math::cross(film[1], film[2])));
    const Vec3 here(point.x, point.y, 1);
    SeenTriangle seen{math::kInfinity, math::kInfinity};
    for (u32 k = 0; k < 3; ++k) {
        const Vec3 line = math::cross(film[k], film[(k + 1) % 3]);
        const float slope = std::sqrt(line.x * line.x + line.y * line.y);
        if (slope <= 0) {
            return {};
        }
        const float depth = std::fabs(film[(k + 2) % 3].z);
        seen.to_edge = std::min(seen.to_edge, std::fabs(math::dot(line, here)) / slope);
        seen.height = std::min(seen.height, depth > 0 ? volume / (slope * depth) : math::kInfinity);
    }
    return seen;
}

}  // namespace weft::frame
