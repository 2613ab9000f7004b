#include "engine/frame/picking.h"

#include <cmath>
#include <limits>

#include "engine/trace/ray_list.h"

namespace weft::frame {

// The same as the camera kernel computes for a film point (path_view.h).
shaders::TraceRay ray_through(const shaders::CameraRecord& camera, float u, float v) {
    const float s = (2 * u - 1) * camera.half_width + camera.shift_s;
    const float t = (1 - 2 * v) * camera.half_height + camera.shift_t;
    shaders::TraceRay ray{};
    for (u32 axis = 0; axis < 3; ++axis) {
        const float across = s * camera.right[axis] + t * camera.up[axis];
        const bool is_parallel = camera.is_orthographic != 0;
        ray.origin[axis] = camera.origin[axis] + (is_parallel ? across : 0);
        ray.direction[axis] = camera.forward[axis] + (is_parallel ? 0 : across);
        ray.reciprocal[axis] = shaders::safe_reciprocal(ray.direction[axis]);
    }
    ray.t = std::numeric_limits<float>::infinity();
    ray.primitive = kNone;
    ray.self_primitive = kNone;
    ray.self_instance = kNone;
    return ray;
}

std::optional<Picked> surface_at(const UnitScene& scene,
                                 const shaders::CameraRecord& camera,
                                 float u,
                                 float v) {
    trace::RayConfig config;
    config.batch = 16;
    trace::RayStage stage;
    stage.scene.bvh = scene.acceleration->view();
    stage.scene.scene = &scene.tables->view;
    stage.store = scene.acceleration->store.get();
    stage.kernels = shaders::trace_kernels(shaders::best_isa());
    trace::RayList list(config, stage, config.batch);
    if (!list.is_allocated()) {
        return std::nullopt;
    }
    shaders::TraceRay ray = ray_through(camera, u, v);
    list.trace({&ray, 1});
    if (ray.primitive == kNone) {
        return std::nullopt;
    }
    Picked picked;
    picked.instance = ray.instance;
    picked.primitive = ray.primitive;
    float squared = 0;
    for (u32 axis = 0; axis < 3; ++axis) {
        picked.position[axis] = ray.origin[axis] + ray.t * ray.direction[axis];
        squared += ray.direction[axis] * ray.direction[axis];
    }
    picked.focus_m = ray.t;
    picked.distance_m = ray.t * std::sqrt(squared);
    return picked;
}

}  // namespace weft::frame
