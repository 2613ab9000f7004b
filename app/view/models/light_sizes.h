// light_sizes.h — handles for the size of a light: the radius, the cone of a spot, the angle of a
// sun.
//
// Each handle is one dot over the picture and a line that shows the size. light_handles.cpp draws
// them and reads the mouse. A drag starts from the value when the dot was grabbed, so that a light
// of size 0 can get a size. Pure; sizes on the screen are in pixels.
#pragma once

#include <string>
#include <vector>

#include "app/view/models/gizmo.h"

namespace weft::app {

struct LightSize {
    const char* field = "";  // field of the light, as in edit paths
    const char* title = "";
    const char* unit = "";
    double value = 0;
    double most = 0;
    std::vector<ScreenPoint> line;  // a circle, as far as it is visible
    ScreenPoint dot;
};

// The handles for this kind of light. `at`: where the light is drawn; none if it is behind the
// camera.
std::vector<LightSize> light_sizes(const GizmoView& view,
                                   const scene::Light& light,
                                   const Vec3& at);

// The value with the mouse at `to`, after the dot was grabbed at `from`; rounded to few digits.
std::string pulled_size(const GizmoView& view,
                        const scene::Light& light,
                        const Vec3& at,
                        const LightSize& size,
                        ScreenPoint from,
                        ScreenPoint to);

}  // namespace weft::app
