#include "shaders/host/clip_planes.h"

namespace weft::shaders {

u32 planes_behind(const SceneView& scene, const double point[3]) {
    u32 planes = 0;
    for (u32 plane = 0; plane < scene.clip_plane_count; ++plane) {
        const ClipPlane& cut = scene.clip_planes[plane];
        double distance = static_cast<double>(cut.offset);
        for (u32 axis = 0; axis < 3; ++axis) {
            distance += static_cast<double>(cut.normal[axis]) * point[axis];
        }
        planes |= distance < 0 ? 1U << plane : 0;
    }
    return planes;
}

bool is_cut_away(const SceneView& scene,
                 u32 instance,
                 const float origin[3],
                 const float direction[3],
                 float t) {
    const u32 enabled = scene.clip_plane_count == 0 ? 0 : scene.instances[instance].clip_planes;
    if (enabled == 0) {
        return false;
    }
    double point[3];
    for (u32 axis = 0; axis < 3; ++axis) {
        point[axis] = static_cast<double>(origin[axis]) +
                      static_cast<double>(direction[axis]) * static_cast<double>(t);
    }
    return (enabled & planes_behind(scene, point)) != 0;
}

}  // namespace weft::shaders
