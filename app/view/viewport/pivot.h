// pivot.h — the point that the camera moves about, on a visible surface.
//
// A drag turns about the surface under the mouse, the wheel moves towards it, and flying slows down
// with the distance of the surface ahead, so that the camera does not pass through an indoor wall
// on its way to a point far behind it. Asks the renderer for a ray, about a millisecond. Interface
// thread only.
#pragma once

#include <optional>

#include "app/view/models/view_camera.h"
#include "app/view/session/view_state.h"
#include "engine/frame/picking.h"

namespace weft::app {

// The visible surface at a point of the window; none beside the picture or if the ray hits nothing.
std::optional<frame::Picked> surface_under(const RenderLink& link,
                                           const PictureSight& sight,
                                           float x,
                                           float y);

// The surface under a point of the window, else the one at the picture's centre, else the previous
// pivot. Stores its distance as the pivot's.
Vec3 take_pivot(ViewState& state, float x, float y);

// The same for the picture's centre alone.
Vec3 take_pivot_ahead(Session& session, RenderLink& link, CameraMotion& motion);

}  // namespace weft::app
