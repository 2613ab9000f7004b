#include "app/view/viewport/pivot.h"

namespace weft::app {

namespace {

std::optional<frame::Picked> surface_ahead(const ViewState& state) {
    return state.scene == nullptr ? std::nullopt
                                  : state.live->pick(static_cast<float>(state.settings.width) / 2,
                                                     static_cast<float>(state.settings.height) / 2);
}

Vec3 take(ViewState& state, const std::optional<frame::Picked>& picked) {
    if (!picked) {
        return point_ahead(state.camera(), state.pivot_m);
    }
    state.is_pivot_stale = false;
    state.pivot_m = depth_of(state.camera(), picked->position);
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

Vec3 take_pivot(ViewState& state, float x, float y) {
    const std::optional<frame::Picked> picked = surface_under(state, x, y);
    return picked ? take(state, picked) : take_pivot_ahead(state);
}

Vec3 take_pivot_ahead(ViewState& state) {
    return take(state, surface_ahead(state));
}

}  // namespace weft::app
