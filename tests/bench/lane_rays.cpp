// lane_rays.cpp — see lane_rays.h.
#include "tests/bench/lane_rays.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "engine/accel/placing.h"

namespace weft::bench {

namespace {

using math::Vec3;

// xorshift64*: the same numbers everywhere.
class Dice {
public:
    explicit Dice(u64 seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}

    float unit() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return static_cast<float>((state_ * 0x2545f4914f6cdd1du) >> 40) * 0x1p-24f;
    }

private:
    u64 state_;
};

shaders::TraceRay make_ray(const Vec3& origin, const Vec3& direction, float t) {
    shaders::TraceRay ray{};
    for (u32 axis = 0; axis < 3; ++axis) {
        ray.origin[axis] = origin[axis];
        ray.direction[axis] = direction[axis];
        ray.reciprocal[axis] = shaders::safe_reciprocal(direction[axis]);
    }
    ray.t = t;
    ray.primitive = ray.instance = ray.self_primitive = ray.self_instance = kNone;
    return ray;
}

// Where a traced ray ended, and the face there, turned to the ray.
struct Place {
    Vec3 point;
    Vec3 normal;
};

Place place_of(const scene::Scene& scene, const shaders::TraceRay& ray) {
    const accel::Corners c = accel::world_corners(scene, ray.instance, ray.primitive);
    const Vec3 ab = c[1] - c[0];
    const Vec3 ac = c[2] - c[0];
    const Vec3 face = math::normalize(cross(ab, ac));
    const Vec3 normal = dot(face, math::vec3_at(ray.direction)) > 0 ? -face : face;
    return {c[0] + ray.u * ab + ray.v * ac + normal * 1e-4f, normal};
}

void set_self(shaders::TraceRay& ray, const shaders::TraceRay& traced) {
    ray.self_instance = traced.instance;
    ray.self_primitive = traced.primitive;
}

}  // namespace

scene::Camera camera_at(const char* const* numbers) {
    Vec3 eye{};
    Vec3 back{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        eye[axis] = std::strtof(numbers[axis], nullptr);
        back[axis] = eye[axis] - std::strtof(numbers[axis + 3], nullptr);
    }
    back = math::normalize(back);
    const Vec3 right = math::normalize(cross(Vec3{0, 1, 0}, back));
    scene::Camera camera;
    camera.yfov_rad = 1.2217f;
    camera.to_world = math::from_columns(right, cross(back, right), back, eye);
    return camera;
}

RayList camera_rays(const scene::Scene& scene, u32 size) {
    constexpr u32 kTile = 32;
    constexpr u32 kSide = 8;
    const scene::Camera& camera = scene.cameras.front();
    const float half = std::tan(0.5f * camera.yfov_rad);
    const math::Affine& m = camera.to_world;
    RayList rays;
    Dice dice(1);
    for (u32 tile = 0; tile < size / kTile * (size / kTile); ++tile) {
        const u32 left = tile % (size / kTile) * kTile;
        const u32 top = tile / (size / kTile) * kTile;
        for (u32 pixel = 0; pixel < kTile * kTile; ++pixel) {
            const u32 block = pixel / (kSide * kSide);
            const u32 column = block % (kTile / kSide) * kSide + pixel % kSide;
            const u32 row = block / (kTile / kSide) * kSide + pixel / kSide % kSide;
            const float x = static_cast<float>(left + column) + dice.unit();
            const float y = static_cast<float>(top + row) + dice.unit();
            const float s = (x / static_cast<float>(size) * 2 - 1) * half;
            const float t = (1 - y / static_cast<float>(size) * 2) * half;
            const Vec3 direction = math::transform_vector(m, Vec3{s, t, -1});
            rays.push_back(
                make_ray(math::column(m, 3), math::normalize(direction), __builtin_huge_valf()));
        }
    }
    return rays;
}

RayList shadow_rays(const scene::Scene& scene, const RayList& traced) {
    const auto [low, high] = scene::scene_bounds(scene);
    RayList rays;
    Dice dice(2);
    for (const shaders::TraceRay& ray : traced) {
        if (ray.primitive == kNone) {
            continue;
        }
        const Vec3 from = place_of(scene, ray).point;
        const Vec3 light = {low[0] + (high[0] - low[0]) * (0.45f + 0.1f * dice.unit()),
                            low[1] + (high[1] - low[1]) * 0.97f,
                            low[2] + (high[2] - low[2]) * (0.45f + 0.1f * dice.unit())};
        const Vec3 way = light - from;
        rays.push_back(make_ray(from, math::normalize(way), length(way)));
        set_self(rays.back(), ray);
    }
    return rays;
}

RayList ambient_rays(const scene::Scene& scene, const RayList& traced) {
    const auto [low, high] = scene::scene_bounds(scene);
    const float reach = 0.1f * length(Vec3{high[0] - low[0], high[1] - low[1], high[2] - low[2]});
    RayList rays = bounce_rays(scene, traced);
    for (shaders::TraceRay& ray : rays) {
        ray.t = reach;
    }
    return rays;
}

RayList bounce_rays(const scene::Scene& scene, const RayList& traced) {
    RayList rays;
    Dice dice(3);
    for (const shaders::TraceRay& ray : traced) {
        if (ray.primitive == kNone) {
            continue;
        }
        // A point of the sphere that touches the face: cosine-distributed from where it touches.
        const Place place = place_of(scene, ray);
        const float z = 2 * dice.unit() - 1;
        const float angle = 6.2831853f * dice.unit();
        const float r = std::sqrt(std::max(0.0f, 1 - z * z));
        const Vec3 way = place.normal + Vec3{r * std::cos(angle), r * std::sin(angle), z * 0.9999f};
        rays.push_back(make_ray(place.point, math::normalize(way), __builtin_huge_valf()));
        set_self(rays.back(), ray);
    }
    return rays;
}

}  // namespace weft::bench
