// lamp_sizes.h — handles for the sizes of a lamp: the ball that shines, the cone of a spot, the
// disk of a sun.
//
// Each is one dot over the picture and a line that shows what it sets. Like the gizmo it draws and
// reads nothing itself (lamp_handles.cpp does). A pull goes from the value when the dot was taken,
// so that a lamp without a size can get one. Pure; sizes on the screen are in pixels.
#pragma once

#include <string>
#include <vector>

#include "app/view/models/gizmo.h"

namespace weft::app {

struct LampSize {
    const char* field = "";  // of the lamp, as edits name it
    const char* title = "";
    const char* unit = "";
    double value = 0;
    double most = 0;
    std::vector<ScreenPoint> line;  // a circle, as far as it is seen
    ScreenPoint dot;
};

// Those that a lamp of its kind has. `at`: where it is drawn; none where that is behind the camera.
std::vector<LampSize> lamp_sizes(const GizmoView& view, const scene::Light& light, const Vec3& at);

// The value with the mouse at `to`, when the dot of this size was taken at `from`; short, as a
// person would type it.
std::string pulled_size(const GizmoView& view,
                        const scene::Light& light,
                        const Vec3& at,
                        const LampSize& size,
                        ScreenPoint from,
                        ScreenPoint to);

}  // namespace weft::app
