#include "app/view/viewport/pivot.h"

namespace weft::app {

namespace {

std::optional<frame::Picked> surface_ahead(const RenderLink& link) {
    return link.scene == nullptr ? std::nullopt
                                 : link.live->pick(static_cast<float>(link.settings.width) / 2,
                                                   static_cast<float>(link.settings.height) / 2);
}

Vec3 take(Session& session, CameraMotion& motion, const std::optional<frame::Picked>& picked) {
    if (!picked) {
        return point_ahead(session.camera(), motion.pivot_m);
    }
    motion.is_pivot_stale = false;
    motion.pivot_m = depth_of(session.camera(), picked->position);
    return picked->position;
}

}  // namespace

std::optional<frame::Picked> surface_under(const RenderLink& link,
                                           const PictureSight& sight,
                                           float x,
                                           float y) {
    if (link.scene == nullptr || !sight.place.holds(x, y)) {
        return std::nullopt;
    }
    const float u = (x - sight.place.x) / sight.place.width;
    const float v = (y - sight.place.y) / sight.place.height;
    return link.live->pick(u * static_cast<float>(link.settings.width),
                           v * static_cast<float>(link.settings.height));
}

Vec3 take_pivot(ViewState& state, float x, float y) {
    const std::optional<frame::Picked> picked = surface_under(state.link, state.sight, x, y);
    return picked ? take(state.session, state.motion, picked)
                  : take_pivot_ahead(state.session, state.link, state.motion);
}

Vec3 take_pivot_ahead(Session& session, RenderLink& link, CameraMotion& motion) {
    return take(session, motion, surface_ahead(link));
}

}  // namespace weft::app
