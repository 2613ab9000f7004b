// framing_camera.h — the camera of a scene that brings none.
//
// Pure; any thread.
#pragma once

#include <array>

#include "engine/scene/model/scene.h"

namespace weft::scene {

// From the front right, above: sees the whole box in pictures of this aspect (width over height)
// and in all wider ones; an aspect above 1 is taken for 1.
Camera framing_camera(const std::array<std::array<float, 3>, 2>& bounds, float aspect);

// Whether that camera is this one, unmoved.
bool is_framing_camera(const Camera& camera,
                       const std::array<std::array<float, 3>, 2>& bounds,
                       float aspect);

}  // namespace weft::scene
