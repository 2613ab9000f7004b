// view_camera.h — moving a camera: orbit, pan, dolly, fly, framing.
//
// Pure functions on scene::Camera in world axes (Y up; the camera looks along its −Z). They use no
// libm: the resulting camera is rendered, and its picture must have the same bits everywhere. Any
// thread.
#pragma once

#include "engine/scene/model/scene.h"

namespace weft::app {

using math::Vec3;

Vec3 eye_of(const scene::Camera& camera);
Vec3 forward_of(const scene::Camera& camera);

// `distance` along the view from the eye.
Vec3 point_ahead(const scene::Camera& camera, float distance);

// Rotates eye and view about a point: `yaw_rad` about world Y, `pitch_rad` about the camera's right
// axis, stopping just short of straight up and down.
void orbit(scene::Camera& camera, const Vec3& pivot, float yaw_rad, float pitch_rad);

// Rotates the view about the eye.
void look_around(scene::Camera& camera, float yaw_rad, float pitch_rad);

// Whether both cameras have the same position, direction and field of view.
bool is_same_view(const scene::Camera& a, const scene::Camera& b);

// The depth of a point along the view, never less than kLeastDepthM.
inline constexpr float kLeastDepthM = 1e-4F;
float depth_of(const scene::Camera& camera, const Vec3& point);

// How far one frame flies towards a surface `depth_m` away: `share` of the way, at most half of it,
// and never nearer than kLeastDepthM, however many frames follow.
float flight_step_m(float depth_m, float share);

// Moves along the camera's own axes, metres.
void move_by(scene::Camera& camera, float right_m, float up_m, float forward_m);

// Moves so that a point at `distance` follows the mouse: dx and dy are fractions of the picture's
// height, right and down.
void pan(scene::Camera& camera, float distance, float dx, float dy);

// Moves towards the pivot (factor below 1) or away from it; an orthographic camera zooms.
void dolly(scene::Camera& camera, const Vec3& pivot, float factor);

// Moves back along the view until the box fits; returns the distance to its centre.
float frame_box(scene::Camera& camera, const math::Box& box, float aspect);

// Switches between perspective and orthographic; objects at `distance` keep their size.
void set_orthographic(scene::Camera& camera, bool is_orthographic, float distance, float aspect);

// Looks along an axis (0 X, 1 Y, 2 Z; `is_negative`: towards it) at a point `distance` away.
void look_along(scene::Camera& camera, u32 axis, bool is_negative, const Vec3& at, float distance);

}  // namespace weft::app
