// view_cameras.h — where the camera goes: frames what is selected, cameras of the file, bookmarks.
//
// Each is one step of undo. Actions and panels call these. Interface thread only.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "app/view/models/selection_box.h"
#include "app/view/session/bookmarks.h"
#include "app/view/session/camera_motion.h"

namespace weft::app {

struct Selection;

// Moves the camera back until all corners are in the picture.
void frame_boxes(Session& session,
                 RenderLink& link,
                 CameraMotion& motion,
                 std::span<const BoxCorners> boxes);
void frame_scene(Session& session, RenderLink& link, CameraMotion& motion);

// Puts the pivot at the depth of the scene's middle until the next picture shows a surface.
void set_pivot_inside(const Session& session, CameraMotion& motion);

// Goes to the camera of the file after the present one.
void next_camera(Session& session, const Selection& selection, Ui& ui, CameraMotion& motion);

// Makes the next click in the picture choose the focus point.
void begin_focus(Ui& ui, CameraMotion& motion);

// Goes to a camera of the file: its place and projection. Aperture and focus stay, since files have
// none.
void go_to_camera(Session& session, Ui& ui, CameraMotion& motion, const scene::Camera& camera);

// The bookmarks of this scene.
std::vector<Bookmark>& bookmarks_of(Session& session);
void add_bookmark(Session& session, const Selection& selection, Ui& ui);
void go_to_bookmark(
    Session& session, const Selection& selection, Ui& ui, CameraMotion& motion, std::size_t index);
// Goes to the bookmark after the present one.
void next_bookmark(Session& session, const Selection& selection, Ui& ui, CameraMotion& motion);

}  // namespace weft::app
