// camera_motion.h — how the person moves the camera: the mouse tool, the gesture, the pivot.
//
// The document owns the camera itself. Interface thread only.
#pragma once

#include "scheduler/base/ids.h"

namespace weft::scene {
struct Camera;
}

namespace weft::app {

struct RenderLink;
struct Session;
struct Ui;

// What a drag or click with the left button does in the picture.
enum class Tool {
    Orbit,   // a drag orbits, a click selects
    Region,  // a drag chooses the region to render
    Focus,   // a click chooses the point to focus on
    Box,     // a drag selects what is seen in a rectangle
};

struct CameraMotion {
    Tool tool = Tool::Orbit;
    u64 gesture = 1;              // the moves of one gesture are one step of undo
    u64 looked_gesture = 0;       // the gesture after the last look along an axis
    float pivot_m = 1;            // distance of the last pivot
    bool is_pivot_stale = false;  // the centre of the next picture becomes the pivot
};

// Moves the camera within the present gesture. Does nothing if no scene is open.
void move_camera(Session& session,
                 RenderLink& link,
                 const CameraMotion& motion,
                 const scene::Camera& changed);

// Moves the camera as a gesture, and so a step, of its own.
void set_camera(Session& session,
                RenderLink& link,
                CameraMotion& motion,
                const scene::Camera& changed);

// Edits the whole camera, with its lens and projection.
void replace_camera(Session& session, Ui& ui, CameraMotion& motion, const scene::Camera& changed);

}  // namespace weft::app
