#include "engine/frame/picking.h"

#include <cmath>
#include <limits>
#include <set>

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

namespace {

constexpr u32 kPixelsPerList = 1024;

trace::RayList list_of(const UnitScene& scene, u32 batch) {
    trace::RayConfig config;
    config.batch = batch;
    trace::RayStage stage;
    stage.scene.bvh = scene.acceleration->view();
    stage.scene.scene = &scene.tables->view;
    stage.store = scene.acceleration->store.get();
    stage.kernels = shaders::trace_kernels(shaders::best_isa());
    return trace::RayList(config, stage, config.batch);
}

}  // namespace

std::optional<Picked> surface_at(const UnitScene& scene,
                                 const shaders::CameraRecord& camera,
                                 float u,
                                 float v) {
    trace::RayList list = list_of(scene, 16);
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

std::vector<u32> instances_in(const UnitScene& scene,
                              const shaders::CameraRecord& camera,
                              const film::Region& part,
                              u32 width,
                              u32 height) {
    trace::RayList list = list_of(scene, kPixelsPerList);
    if (!list.is_allocated()) {
        return {};
    }
    std::set<u32> found;
    std::vector<shaders::TraceRay> rays;
    const auto flush = [&] {
        list.trace(rays);
        for (const shaders::TraceRay& ray : rays) {
            if (ray.primitive != kNone) {
                found.insert(ray.instance);
            }
        }
        rays.clear();
    };
    for (u32 y = part.y0; y < part.y1; ++y) {
        for (u32 x = part.x0; x < part.x1; ++x) {
            rays.push_back(
                ray_through(camera,
                            (static_cast<float>(x) + 0.5F) / static_cast<float>(width),
                            (static_cast<float>(y) + 0.5F) / static_cast<float>(height)));
            if (rays.size() == kPixelsPerList) {
                flush();
            }
        }
    }
    flush();
    return {found.begin(), found.end()};
}

}  // namespace weft::frame
