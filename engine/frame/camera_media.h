// camera_media.h — finds the media around the camera, in which its paths start.
//
// Four rays go outwards in fixed directions and are followed through all that they hit, in double
// precision (engine/trace/reference): the camera stands in a solid that they leave without having
// entered it. Paths of all samples start there: the middle of the lens stands for the lens, and for
// the film of an orthographic camera; each moment of a moving camera has its own. Any thread; no
// ray at all in scenes whose solids are clear.
#pragma once

#include "engine/frame/frame_objects.h"
#include "engine/trace/start_media.h"

namespace weft::frame {

// The solids around the camera, in the order in which the first ray leaves them, the innermost
// kMediumDepth of them. A surface that is not closed bounds no solid: all four rays must leave it.
// Empty where no solid of the scene absorbs or scatters light.
trace::StartMedia media_around(const UnitScene& scene, const shaders::CameraRecord& camera);

}  // namespace weft::frame
