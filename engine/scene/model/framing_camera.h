// framing_camera.h — the camera of a scene that has none.
//
// Pure; any thread.
#pragma once

#include "engine/scene/model/scene.h"

namespace weft::scene {

// A camera at the front right, above, that sees the whole box in pictures of this aspect (width
// over height) and in all wider ones; an aspect above 1 counts as 1.
Camera framing_camera(const math::Box& bounds, float aspect);

// Whether `camera` is the framing camera of these bounds, unmoved.
bool is_framing_camera(const Camera& camera, const math::Box& bounds, float aspect);

}  // namespace weft::scene
