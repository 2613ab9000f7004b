// pivot.h — the point that the camera moves about, on a visible surface.
//
// A drag turns about the surface under the mouse, the wheel moves towards it, and flying slows down
// with the distance of the surface ahead, so that the camera does not pass through an indoor wall
// on its way to a point far behind it. Asks the renderer for a ray, about a millisecond. Interface
// thread only.
#pragma once

#include <optional>

#include "app/view/models/placement.h"
#include "engine/frame/picking.h"

namespace weft::app {

struct CameraMotion;
struct PictureSight;
struct RenderLink;
struct Session;

using Surface = std::optional<frame::Picked>;

// The visible surface at a point of the window; none beside the picture or if the ray hits nothing.
Surface surface_under(const RenderLink& link, const PictureSight& sight, float x, float y);

// The visible surface at the picture's centre.
Surface surface_ahead(const RenderLink& link);

// The surface under a point of the window, else the one ahead.
Surface surface_near(const RenderLink& link, const PictureSight& sight, float x, float y);

// Makes the surface the pivot: stores its distance. The previous pivot stays if there is none.
Vec3 take_pivot(const Session& session, CameraMotion& motion, const Surface& surface);

}  // namespace weft::app
