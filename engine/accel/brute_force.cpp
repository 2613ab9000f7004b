#include "engine/accel/brute_force.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scheduler/base/ensure.h"
#include "shaders/host/clip_planes.h"
#include "shaders/lights/shadow_media.h"
#include "shaders/surface/texel_lookup.h"

namespace weft::accel {

namespace {

using shaders::TraceRay;

// A ray's interval with a box; empty where near > far. The origin is moved outwards by 2⁻²⁰ of its
// largest coordinate.
struct Interval {
    float near = 0;
    float far = std::numeric_limits<float>::infinity();
};

Interval interval_with(const Box& box, const TraceRay& ray) {
    const float* o = ray.origin;
    const float margin = std::max({std::fabs(o[0]), std::fabs(o[1]), std::fabs(o[2])}) * 0x1p-20f;
    Interval interval;
    for (u32 axis = 0; axis < 3; ++axis) {
        const float scale = ray.reciprocal[axis];
        const float to_low = (box.low[axis] - (o[axis] + margin)) * scale;
        const float to_high = (box.high[axis] - (o[axis] - margin)) * scale;
        interval.near = std::max(interval.near, std::min(to_low, to_high));
        interval.far = std::min(interval.far, std::max(to_low, to_high));
    }
    return interval;
}

u32 longest_axis(const TraceRay& ray) {
    u32 longest = 0;
    for (u32 axis = 1; axis < 3; ++axis) {
        longest =
            std::fabs(ray.direction[axis]) > std::fabs(ray.direction[longest]) ? axis : longest;
    }
    return longest;
}

// A vertex in the sheared space in which the ray is the z axis.
Point sheared(const Point& vertex, const TraceRay& ray) {
    const u32 z = longest_axis(ray);
    const u32 x = (z + 1) % 3;
    const u32 y = (z + 2) % 3;
    const float depth = vertex[z] - ray.origin[z];
    return {(vertex[x] - ray.origin[x]) - ray.direction[x] * ray.reciprocal[z] * depth,
            (vertex[y] - ray.origin[y]) - ray.direction[y] * ray.reciprocal[z] * depth,
            depth};
}

// Edge function of (a, b): its sign is the side on which the ray passes.
float side_of_edge(const Point& a, const Point& b) {
    return b[0] * a[1] - b[1] * a[0];
}

// As Placement::to_object says.
TraceRay in_object_space(const TraceRay& ray,
                         const math::Affine& world_to_object,
                         const Point& place) {
    TraceRay local = ray;
    const Point o = math::vec3_at(ray.origin) - place;
    for (u32 row = 0; row < 3; ++row) {
        const float* m = world_to_object.data() + std::size_t{4} * row;
        const float* d = ray.direction;
        local.origin[row] = (m[0] * o[0] + m[1] * o[1]) + m[2] * o[2];
        local.direction[row] = (m[0] * d[0] + m[1] * d[1]) + m[2] * d[2];
        local.reciprocal[row] = shaders::safe_reciprocal(local.direction[row]);
    }
    return local;
}

}  // namespace

BruteForce::BruteForce(const scene::Scene& scene,
                       const std::vector<bool>& is_visible,
                       const std::vector<bool>& flagged) {
    const Placing placing = decide_placing(scene, is_visible);
    for (const bool is_placed : {false, true}) {
        for (const u32 instance : is_placed ? placing.placed : placing.baked) {
            const scene::Instance& placed = scene.instances[instance];
            Body body{};
            body.instance = instance;
            body.is_placed = is_placed;
            body.is_flagged = must_flag(scene, flagged, instance);
            for (u32 p = 0; p < scene.meshes[placed.mesh].record.triangle_count; ++p) {
                const Corners corners = is_placed ? object_corners(scene, placed.mesh, p)
                                                  : world_corners(scene, instance, p);
                if (!is_degenerate(corners)) {
                    body.triangles.push_back({corners, p});
                }
            }
            if (is_placed) {
                const auto inverse = math::inverse(placed.object_to_world);
                ENSURE(inverse.has_value(), ==, true);
                body.world_to_object = *inverse;
                for (u32 row = 0; row < 3; ++row) {
                    body.place[row] = placed.object_to_world[4 * row + 3];
                }
                body.bounds = placed_bounds(mesh_cells(scene, placed.mesh), placed.object_to_world);
                if (!is_in_reach(body.bounds)) {
                    continue;
                }
            }
            bodies_.push_back(std::move(body));
        }
    }
}

bool BruteForce::meets(const Corners& corners, const TraceRay& ray, float start, Hit& hit) {
    const Point a = sheared(corners[0], ray);
    const Point b = sheared(corners[1], ray);
    const Point c = sheared(corners[2], ray);
    const float weight_a = side_of_edge(b, c);
    const float weight_b = side_of_edge(c, a);
    const float weight_c = side_of_edge(a, b);
    const float sum = (weight_a + weight_b) + weight_c;
    const bool is_inside = (weight_a >= 0 && weight_b >= 0 && weight_c >= 0) ||
                           (weight_a <= 0 && weight_b <= 0 && weight_c <= 0);
    const Interval interval = interval_with(bounds_of(corners), ray);
    if (!is_inside || sum == 0 || interval.near > interval.far) {
        return false;
    }
    const float depth = ((weight_a * a[2] + weight_b * b[2]) + weight_c * c[2]) / sum;
    const u32 longest = longest_axis(ray);
    const float t = depth * ray.reciprocal[longest];
    hit.t = std::max(std::min(std::max(t, interval.near), interval.far), start);
    hit.u = weight_b / sum;
    hit.v = weight_c / sum;
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
            local = in_object_space(ray, body.world_to_object, body.place);
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
    const TraceRay given = ray;
    each_hit(given, [&](const Hit& hit) {
        const bool is_tie = hit.t == ray.t && ray.primitive != kNone;
        const bool is_lower = hit.instance < ray.instance ||
                              (hit.instance == ray.instance && hit.primitive < ray.primitive);
        if (hit.t > ray.t || (is_tie && !is_lower)) {
            return;
        }
        if (hit.is_flagged &&
            (shaders::is_cut_away(
                 *scene.scene, hit.instance, given.origin, given.direction, hit.t) ||
             !shaders::is_present(*scene.scene,
                                  scene.alpha_keys[slot],
                                  false,
                                  hit.instance,
                                  hit.primitive,
                                  hit.u,
                                  hit.v))) {
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
    const TraceRay given = ray;
    each_hit(given, [&](const Hit& hit) {
        if (hit.instance == given.instance && hit.primitive == given.primitive) {
            return;
        }
        // Flagged: clip planes and alpha may reject the hit, and a pane adds its tint.
        u32 tint[3] = {};
        if (hit.is_flagged) {
            if (shaders::is_cut_away(
                    *scene.scene, hit.instance, given.origin, given.direction, hit.t) ||
                !shaders::is_present(*scene.scene,
                                     scene.alpha_keys[slot],
                                     true,
                                     hit.instance,
                                     hit.primitive,
                                     hit.u,
                                     hit.v)) {
                return;
            }
            if (scene.shadow_media != nullptr && shaders::pass_boundary(*scene.scene,
                                                                        hit.instance,
                                                                        hit.primitive,
                                                                        hit.t,
                                                                        given.direction,
                                                                        scene.shadow_media[slot])) {
                return;
            }
            if (shaders::tint_shadow(*scene.scene,
                                     hit.instance,
                                     hit.primitive,
                                     hit.u,
                                     hit.v,
                                     given.direction,
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
