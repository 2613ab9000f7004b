#include "app/view/pivot.h"

#include <algorithm>

namespace weft::app {

namespace {

std::optional<frame::Picked> surface_ahead(const ViewState& state) {
    return state.scene == nullptr ? std::nullopt
                                  : state.live->pick(static_cast<float>(state.settings.width) / 2,
                                                     static_cast<float>(state.settings.height) / 2);
}

Vec3 take(ViewState& state, const std::optional<frame::Picked>& picked) {
    if (!picked) {
        return point_ahead(state.camera, state.pivot_m);
    }
    state.is_pivot_stale = false;
    state.pivot_m = depth_of(state.camera, picked->position);
    return picked->position;
}

}  // namespace

std::optional<frame::Picked> surface_under(const ViewState& state, float x, float y) {
    if (state.scene == nullptr || !state.place.holds(x, y)) {
        return std::nullopt;
    }
    const float u = (x - state.place.x) / state.place.width;
    const float v = (y - state.place.y) / state.place.height;
    return state.live->pick(u * static_cast<float>(state.settings.width),
                            v * static_cast<float>(state.settings.height));
}

float depth_of(const scene::Camera& camera, const Vec3& point) {
    const Vec3 eye = eye_of(camera);
    const Vec3 forward = forward_of(camera);
    float depth = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        depth += (point[k] - eye[k]) * forward[k];
    }
    return std::max(depth, 1e-4F);
}

Vec3 take_pivot(ViewState& state, float x, float y) {
    const std::optional<frame::Picked> picked = surface_under(state, x, y);
    return picked ? take(state, picked) : take_pivot_ahead(state);
}

Vec3 take_pivot_ahead(ViewState& state) {
    return take(state, surface_ahead(state));
}

}  // namespace weft::app
