// autofocus.h — the distance of what the middle of the picture shows.
//
// Called once per frame, before its units are made, by the thread that prepares it.
#pragma once

#include "engine/frame/render_units.h"

namespace weft::frame {

// Along the camera's forward axis, metres, to the first surface that the ray through the middle of
// the full picture (and of the lens) meets; 0 where it meets none.
float distance_in_the_middle(const UnitScene& scene, const shaders::CameraRecord& camera);

}  // namespace weft::frame
