// pivot.h — what the camera moves about: a point of what is in the picture.
//
// A drag turns about what lies under the mouse where it begins, the wheel goes there, flying goes
// by the distance of what lies ahead: indoors no wall is gone through for the sake of a point far
// behind it. Asks the renderer for a ray, about a millisecond. Interface thread only.
#pragma once

#include <optional>

#include "app/view/models/view_camera.h"
#include "app/view/session/view_state.h"
#include "engine/frame/picking.h"

namespace weft::app {

// The surface seen at a point of the window; none beside the picture and where the ray hits
// nothing.
std::optional<frame::Picked> surface_under(const RenderLink& link,
                                           const PictureSight& sight,
                                           float x,
                                           float y);

// What lies under a point of the window, else in the middle of the picture, else where the pivot
// was. The pivot's distance becomes that point's.
Vec3 take_pivot(ViewState& state, float x, float y);

// The same of the middle alone.
Vec3 take_pivot_ahead(Session& session, RenderLink& link, CameraMotion& motion);

}  // namespace weft::app
