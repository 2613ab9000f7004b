// autofocus.h — the distance to the surface in the middle of the picture.
//
// The thread that prepares a frame calls it once, before it makes the frame's units.
#pragma once

#include "engine/frame/render_units.h"

namespace weft::frame {

// Metres along the camera's forward axis to the first surface that the ray through the middle of
// the full picture and of the lens hits; 0 where it hits none.
float distance_in_the_middle(const UnitScene& scene, const shaders::CameraRecord& camera);

}  // namespace weft::frame
