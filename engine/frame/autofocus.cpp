#include "engine/frame/autofocus.h"

#include "engine/frame/picking.h"

namespace weft::frame {

float distance_in_the_middle(const UnitScene& scene, const shaders::CameraRecord& camera) {
    const std::optional<Picked> middle = surface_at(scene, camera, 0.5F, 0.5F);
    return middle ? middle->focus_m : 0;
}

}  // namespace weft::frame
