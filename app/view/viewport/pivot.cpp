#include "app/view/viewport/pivot.h"

#include "app/view/models/view_camera.h"
#include "app/view/session/camera_motion.h"
#include "app/view/session/picture_sight.h"
#include "app/view/session/render_link.h"
#include "app/view/session/session.h"

namespace weft::app {

Surface surface_under(const RenderLink& link, const PictureSight& sight, float x, float y) {
    if (link.scene == nullptr || !sight.place.holds(x, y)) {
        return std::nullopt;
    }
    const float u = (x - sight.place.x) / sight.place.width;
    const float v = (y - sight.place.y) / sight.place.height;
    return link.live->pick(u * static_cast<float>(link.settings.width),
                           v * static_cast<float>(link.settings.height));
}

Surface surface_ahead(const RenderLink& link) {
    return link.scene == nullptr ? std::nullopt
                                 : link.live->pick(static_cast<float>(link.settings.width) / 2,
                                                   static_cast<float>(link.settings.height) / 2);
}

Surface surface_near(const RenderLink& link, const PictureSight& sight, float x, float y) {
    const Surface surface = surface_under(link, sight, x, y);
    return surface ? surface : surface_ahead(link);
}

Vec3 take_pivot(const Session& session, CameraMotion& motion, const Surface& surface) {
    if (!surface) {
        return point_ahead(session.camera(), motion.pivot_m);
    }
    motion.is_pivot_stale = false;
    motion.pivot_m = depth_of(session.camera(), surface->position);
    return surface->position;
}

}  // namespace weft::app
