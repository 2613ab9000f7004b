// camera_mouse.h — moves the camera by the mouse over the picture: orbit, pan, look around, fly,
// wheel.
//
// A drag, a flight, or wheel steps in quick succession are one gesture, and so one step of undo.
// Interface thread only.
#pragma once

#include <imgui.h>

#include "app/view/models/placement.h"

namespace weft::app {

struct CameraMotion;
struct PictureSight;
struct RenderLink;
struct Session;

class CameraMouse {
public:
    CameraMouse(Session& session, RenderLink& link, CameraMotion& motion, const PictureSight& sight)
        : session_(session), link_(link), motion_(motion), sight_(sight) {}

    // Call once per frame, after the picture's ImGui item. `is_over`: the mouse is over the
    // picture. `is_turning`: a drag with the left button moves the camera.
    void use(bool is_over, bool is_turning);

private:
    void drag(bool is_turning);
    void fly();
    void use_wheel();
    const Vec3& pivot_of_drag(ImGuiMouseButton button);

    Session& session_;
    RenderLink& link_;
    CameraMotion& motion_;
    const PictureSight& sight_;
    Vec3 pivot_{};           // of the drag
    u64 pivot_gesture_ = 0;  // gesture of that pivot
    u64 flight_gesture_ = 0;
    float flight_m_ = 1;  // distance ahead when the flight began
    u64 wheel_gesture_ = 0;
    double wheel_s_ = 0;  // time of the last wheel step
};

}  // namespace weft::app
