#include "engine/frame/autofocus.h"

#include <limits>

#include "engine/trace/ray_list.h"

namespace weft::frame {

float distance_in_the_middle(const UnitScene& scene, const shaders::CameraRecord& camera) {
    trace::RayConfig config;
    config.batch = 16;
    trace::RayStage stage;
    stage.scene.bvh = scene.acceleration->view();
    stage.scene.scene = &scene.tables->view;
    stage.kernels = shaders::trace_kernels(shaders::best_isa());
    trace::RayList list(config, stage, config.batch);
    if (!list.is_allocated()) {
        return 0;
    }
    shaders::TraceRay ray{};
    for (u32 axis = 0; axis < 3; ++axis) {
        ray.origin[axis] = camera.origin[axis];
        ray.direction[axis] = camera.forward[axis];
        ray.reciprocal[axis] = shaders::safe_reciprocal(ray.direction[axis]);
    }
    ray.t = std::numeric_limits<float>::infinity();
    ray.primitive = kNone;
    ray.self_primitive = kNone;
    ray.self_instance = kNone;
    list.trace({&ray, 1});
    return ray.primitive == kNone ? 0 : ray.t;
}

}  // namespace weft::frame
