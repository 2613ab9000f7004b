// framing_camera.h — the camera of a scene that has none.
//
// Pure; any thread.
#pragma once

#include <array>

#include "engine/scene/model/scene.h"

namespace weft::scene {

// A camera at the front right, above, that sees the whole box in pictures of this aspect (width
// over height) and in all wider ones; an aspect above 1 counts as 1.
Camera framing_camera(const std::array<std::array<float, 3>, 2>& bounds, float aspect);

// Whether `camera` is the framing camera of these bounds, unmoved.
bool is_framing_camera(const Camera& camera,
                       const std::array<std::array<float, 3>, 2>& bounds,
                       float aspect);

}  // namespace weft::scene
