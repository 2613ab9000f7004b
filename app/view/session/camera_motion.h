// camera_motion.h — how the camera is being moved: the tool of the mouse, the gesture, the pivot.
//
// The camera itself is the document's. Interface thread only.
#pragma once

#include "app/view/session/render_link.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"

namespace weft::app {

// What a drag or click with the left button does in the picture.
enum class Tool {
    Orbit,   // a drag orbits, a click selects
    Region,  // a drag chooses the part that is rendered
    Focus,   // a click chooses the point in focus
};

struct CameraMotion {
    Tool tool = Tool::Orbit;
    u64 gesture = 1;              // moves of one gesture are one step of undo
    u64 looked_gesture = 0;       // the gesture after the last look along an axis
    float pivot_m = 1;            // distance of the point that the camera turned about last
    bool is_pivot_stale = false;  // the middle of the next picture sets it
};

// A move of the present gesture. Where no scene is open there is nothing to move in.
void move_camera(Session& session,
                 RenderLink& link,
                 const CameraMotion& motion,
                 const scene::Camera& changed);

// A move that is a gesture, and so a step, of its own.
void set_camera(Session& session,
                RenderLink& link,
                CameraMotion& motion,
                const scene::Camera& changed);

// An edit: another camera, with its lens and projection.
void replace_camera(Session& session, Ui& ui, CameraMotion& motion, const scene::Camera& changed);

}  // namespace weft::app
