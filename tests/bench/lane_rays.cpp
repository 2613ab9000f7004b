// lane_rays.cpp — see lane_rays.h.
#include "tests/bench/lane_rays.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "engine/accel/placing.h"

namespace weft::bench {

namespace {

using accel::Point;

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

Point cross(const Point& a, const Point& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

float dot(const Point& a, const Point& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Point unit(const Point& a) {
    const float scale = 1 / std::sqrt(std::max(dot(a, a), 1e-30f));
    return {a[0] * scale, a[1] * scale, a[2] * scale};
}

shaders::TraceRay make_ray(const Point& origin, const Point& direction, float t) {
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
    Point point;
    Point normal;
};

Place place_of(const scene::Scene& scene, const shaders::TraceRay& ray) {
    const accel::Corners c = accel::world_corners(scene, ray.instance, ray.primitive);
    Place out{};
    Point ab{};
    Point ac{};
    const Point along = {ray.direction[0], ray.direction[1], ray.direction[2]};
    for (u32 axis = 0; axis < 3; ++axis) {
        ab[axis] = c[1][axis] - c[0][axis];
        ac[axis] = c[2][axis] - c[0][axis];
        out.point[axis] = c[0][axis] + ray.u * ab[axis] + ray.v * ac[axis];
    }
    out.normal = unit(cross(ab, ac));
    const float side = dot(out.normal, along) > 0 ? -1.0f : 1.0f;
    for (u32 axis = 0; axis < 3; ++axis) {
        out.normal[axis] *= side;
        out.point[axis] += out.normal[axis] * 1e-4f;
    }
    return out;
}

void set_self(shaders::TraceRay& ray, const shaders::TraceRay& traced) {
    ray.self_instance = traced.instance;
    ray.self_primitive = traced.primitive;
}

}  // namespace

scene::Camera camera_at(const char* const* numbers) {
    Point eye{};
    Point back{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        eye[axis] = std::strtof(numbers[axis], nullptr);
        back[axis] = eye[axis] - std::strtof(numbers[axis + 3], nullptr);
    }
    back = unit(back);
    const Point right = unit(cross({0, 1, 0}, back));
    const Point up = cross(back, right);
    scene::Camera camera;
    camera.yfov_rad = 1.2217f;
    for (std::size_t row = 0; row < 3; ++row) {
        camera.to_world[4 * row] = right[row];
        camera.to_world[4 * row + 1] = up[row];
        camera.to_world[4 * row + 2] = back[row];
        camera.to_world[4 * row + 3] = eye[row];
    }
    return camera;
}

RayList camera_rays(const scene::Scene& scene, u32 size) {
    constexpr u32 kTile = 32;
    const scene::Camera& camera = scene.cameras.front();
    const float half = std::tan(0.5f * camera.yfov_rad);
    const scene::Affine& m = camera.to_world;
    RayList rays;
    Dice dice(1);
    for (u32 tile = 0; tile < size / kTile * (size / kTile); ++tile) {
        const u32 left = tile % (size / kTile) * kTile;
        const u32 top = tile / (size / kTile) * kTile;
        for (u32 pixel = 0; pixel < kTile * kTile; ++pixel) {
            const float x = static_cast<float>(left + pixel % kTile) + dice.unit();
            const float y = static_cast<float>(top + pixel / kTile) + dice.unit();
            const float s = (x / static_cast<float>(size) * 2 - 1) * half;
            const float t = (1 - y / static_cast<float>(size) * 2) * half;
            Point direction{};
            for (u32 row = 0; row < 3; ++row) {
                direction[row] = s * m[4 * row] + t * m[4 * row + 1] - m[4 * row + 2];
            }
            rays.push_back(make_ray({m[3], m[7], m[11]}, unit(direction), __builtin_huge_valf()));
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
        const Point from = place_of(scene, ray).point;
        const Point light = {low[0] + (high[0] - low[0]) * (0.45f + 0.1f * dice.unit()),
                             low[1] + (high[1] - low[1]) * 0.97f,
                             low[2] + (high[2] - low[2]) * (0.45f + 0.1f * dice.unit())};
        const Point way = {light[0] - from[0], light[1] - from[1], light[2] - from[2]};
        rays.push_back(make_ray(from, unit(way), std::sqrt(dot(way, way))));
        set_self(rays.back(), ray);
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
        const Point& n = place.normal;
        const Point way = {
            n[0] + r * std::cos(angle), n[1] + r * std::sin(angle), n[2] + z * 0.9999f};
        rays.push_back(make_ray(place.point, unit(way), __builtin_huge_valf()));
        set_self(rays.back(), ray);
    }
    return rays;
}

}  // namespace weft::bench
