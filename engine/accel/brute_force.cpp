#include "engine/accel/brute_force.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scheduler/base/ensure.h"
#include "shaders/texel_lookup.h"

namespace weft::accel {

namespace {

using shaders::TraceRay;

Point minus(const Point& a, const Point& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

Point plus(const Point& a, const Point& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

// Products and sums rounded as the arithmetic class does.
struct Rounding {
    bool is_fused;

    [[nodiscard]] float mul_add(float a, float b, float c) const {
        return is_fused ? std::fma(a, b, c) : a * b + c;
    }

    [[nodiscard]] float difference(float a, float b, float c, float d) const {
        return is_fused ? std::fma(a, b, -(c * d)) : a * b - c * d;
    }

    [[nodiscard]] Point cross(const Point& a, const Point& b) const {
        return {difference(a[1], b[2], a[2], b[1]),
                difference(a[2], b[0], a[0], b[2]),
                difference(a[0], b[1], a[1], b[0])};
    }

    [[nodiscard]] float dot(const Point& a, const Point& b) const {
        return mul_add(a[0], b[0], mul_add(a[1], b[1], a[2] * b[2]));
    }
};

// [near, far·(1 + 2⁻²¹)] of a ray with a box; empty where near > far.
struct Interval {
    float near = 0;
    float far = std::numeric_limits<float>::infinity();
};

Interval interval_with(const Box& box, const TraceRay& ray) {
    Interval interval;
    for (u32 axis = 0; axis < 3; ++axis) {
        const float one = (box.low[axis] - ray.origin[axis]) * ray.reciprocal[axis];
        const float other = (box.high[axis] - ray.origin[axis]) * ray.reciprocal[axis];
        interval.near = std::max(interval.near, std::min(one, other));
        interval.far = std::min(interval.far, std::max(one, other));
    }
    interval.far *= 1.0f + 0x1p-21f;
    return interval;
}

TraceRay in_object_space(const TraceRay& ray, const scene::Affine& world_to_object) {
    TraceRay local = ray;
    for (u32 row = 0; row < 3; ++row) {
        const float* m = world_to_object.data() + std::size_t{4} * row;
        const float* o = ray.origin;
        const float* d = ray.direction;
        local.origin[row] = ((m[0] * o[0] + m[1] * o[1]) + m[2] * o[2]) + m[3];
        local.direction[row] = (m[0] * d[0] + m[1] * d[1]) + m[2] * d[2];
        local.reciprocal[row] = shaders::safe_reciprocal(local.direction[row]);
    }
    return local;
}

}  // namespace

BruteForce::BruteForce(const scene::Scene& scene,
                       const std::vector<bool>& is_visible,
                       Arithmetic arithmetic)
    : arithmetic_(arithmetic) {
    const Placing placing = decide_placing(scene, is_visible);
    for (const bool is_placed : {false, true}) {
        for (const u32 instance : is_placed ? placing.placed : placing.baked) {
            const scene::Instance& placed = scene.instances[instance];
            Body body{};
            body.instance = instance;
            body.is_placed = is_placed;
            body.is_flagged = needs_asking(scene.materials[placed.material].record);
            for (u32 p = 0; p < scene.meshes[placed.mesh].record.triangle_count; ++p) {
                const Corners corners = is_placed ? object_corners(scene, placed.mesh, p)
                                                  : world_corners(scene, instance, p);
                if (!is_degenerate(corners)) {
                    body.triangles.push_back({corners, p});
                }
            }
            if (is_placed) {
                ENSURE(invert(placed.object_to_world, body.world_to_object), ==, true);
                body.bounds = placed_bounds(mesh_cells(scene, placed.mesh), placed.object_to_world);
            }
            bodies_.push_back(std::move(body));
        }
    }
}

bool BruteForce::meets(const Corners& corners, const TraceRay& ray, float start, Hit& hit) const {
    const Rounding rounding = {arithmetic_ == Arithmetic::Fused};
    const Point origin = {ray.origin[0], ray.origin[1], ray.origin[2]};
    const Point direction = {ray.direction[0], ray.direction[1], ray.direction[2]};
    const Point a = minus(corners[0], origin);
    const Point b = minus(corners[1], origin);
    const Point c = minus(corners[2], origin);
    // An edge's number: on which side of it the ray passes.
    const float side_ca = rounding.dot(rounding.cross(minus(c, a), plus(c, a)), direction);
    const float side_ab = rounding.dot(rounding.cross(minus(a, b), plus(a, b)), direction);
    const float side_bc = rounding.dot(rounding.cross(minus(b, c), plus(b, c)), direction);
    const bool is_inside = (side_ca >= 0 && side_ab >= 0 && side_bc >= 0) ||
                           (side_ca <= 0 && side_ab <= 0 && side_bc <= 0);
    const Point normal = rounding.cross(minus(a, b), minus(c, a));
    const float steepness = rounding.dot(normal, direction);
    const float sum = (side_ca + side_ab) + side_bc;
    const Interval interval = interval_with(bounds_of(corners), ray);
    if (!is_inside || steepness == 0 || sum == 0 || interval.near > interval.far) {
        return false;
    }
    const float t = rounding.dot(normal, a) / steepness;
    hit.t = std::max(std::min(std::max(t, interval.near), interval.far), start);
    hit.u = side_ca / sum;
    hit.v = side_ab / sum;
    return hit.t > 0 && hit.t <= ray.t;
}

template <typename Take>
void BruteForce::each_hit(const TraceRay& ray, const Take& take) const {
    for (const Body& body : bodies_) {
        TraceRay local = ray;
        float start = 0;
        if (body.is_placed) {
            const Interval interval = interval_with(body.bounds, ray);
            if (interval.near > interval.far) {
                continue;
            }
            start = interval.near;
            local = in_object_space(ray, body.world_to_object);
        }
        for (const Triangle& triangle : body.triangles) {
            Hit hit{0, 0, 0, body.instance, triangle.primitive, body.is_flagged};
            const bool is_self =
                triangle.primitive == ray.self_primitive && body.instance == ray.self_instance;
            if (!is_self && meets(triangle.corners, local, start, hit)) {
                take(hit);
            }
        }
    }
}

void BruteForce::closest(const shaders::TraceScene& scene, TraceRay& ray, u32 slot) const {
    const TraceRay asked = ray;
    each_hit(asked, [&](const Hit& hit) {
        const bool is_tie = hit.t == ray.t && ray.primitive != kNone;
        const bool is_lower = hit.instance < ray.instance ||
                              (hit.instance == ray.instance && hit.primitive < ray.primitive);
        if (hit.t > ray.t || (is_tie && !is_lower)) {
            return;
        }
        if (hit.is_flagged && !shaders::is_present(*scene.scene,
                                                   scene.alpha_keys[slot],
                                                   false,
                                                   hit.instance,
                                                   hit.primitive,
                                                   hit.u,
                                                   hit.v)) {
            return;
        }
        ray.t = hit.t;
        ray.u = hit.u;
        ray.v = hit.v;
        ray.instance = hit.instance;
        ray.primitive = hit.primitive;
    });
}

void BruteForce::any(const shaders::TraceScene& scene, TraceRay& ray, u32 slot) const {
    const TraceRay asked = ray;
    each_hit(asked, [&](const Hit& hit) {
        if (hit.instance == asked.instance && hit.primitive == asked.primitive) {
            return;
        }
        u32 tint[3] = {};
        if (hit.is_flagged) {
            if (!shaders::is_present(*scene.scene,
                                     scene.alpha_keys[slot],
                                     true,
                                     hit.instance,
                                     hit.primitive,
                                     hit.u,
                                     hit.v)) {
                return;
            }
            if (shaders::tint_shadow(*scene.scene,
                                     hit.instance,
                                     hit.primitive,
                                     hit.u,
                                     hit.v,
                                     asked.direction,
                                     tint)) {
                for (u32 channel = 0; channel < 3; ++channel) {
                    u32& sum = scene.shadow_tints[std::size_t{3} * slot + channel];
                    sum = tint[channel] > 0xffffffffu - sum ? 0xffffffffu : sum + tint[channel];
                }
                return;
            }
        }
        ray.t = -1;
    });
}

}  // namespace weft::accel
