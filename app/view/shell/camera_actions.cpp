// camera_actions.cpp — actions that move the camera: frame, cameras, bookmarks, axes, focus.
#include "app/view/handles/gizmo_drawing.h"
#include "app/view/models/view_camera.h"
#include "app/view/session/render_link.h"
#include "app/view/session/selection.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/session/view_cameras.h"
#include "app/view/shell/action_lists.h"
#include "app/view/viewport/pivot.h"

namespace weft::app {

namespace {

// The pivot for a look along an axis: the surface ahead; for consecutive looks, the same point.
Vec3 pivot_to_look_at(const Session& session, const RenderLink& link, CameraMotion& motion) {
    const bool goes_on = motion.looked_gesture == motion.gesture;
    const bool is_prepared = link.status.prepared_job == link.job;
    return goes_on || !is_prepared ? point_ahead(session.camera(), motion.pivot_m)
                                   : take_pivot(session, motion, surface_ahead(link));
}

void look_from(Session& session, RenderLink& link, CameraMotion& motion, u32 axis) {
    const Vec3 at = pivot_to_look_at(session, link, motion);
    scene::Camera camera = session.camera();
    look_along(camera, axis, false, at, motion.pivot_m);
    set_camera(session, link, motion, camera);
    motion.looked_gesture = motion.gesture;
}

void toggle_orthographic(Session& session, const RenderLink& link, CameraMotion& motion, Ui& ui) {
    pivot_to_look_at(session, link, motion);
    scene::Camera camera = session.camera();
    set_orthographic(camera, !camera.is_orthographic, motion.pivot_m, link.aspect());
    replace_camera(session, ui, motion, camera);
}

void toggle_focus(Ui& ui, CameraMotion& motion) {
    if (motion.tool == Tool::Focus) {
        motion.tool = Tool::Orbit;
    } else {
        begin_focus(ui, motion);
    }
}

// Frames what is selected; without anything that has a size, the scene.
void frame_selection(const CameraParts& p) {
    const std::vector<BoxCorners> boxes = p.handles.selected_boxes();
    if (boxes.empty()) {
        frame_scene(p.session, p.link, p.motion);
    } else {
        frame_boxes(p.session, p.link, p.motion, boxes);
    }
}

}  // namespace

// clang-format off
Actions camera_actions(const CameraParts& parts) {
    return {
        {"Camera", "Frame selection", "F", "moves back until the selection fits",
         [p = parts] { frame_selection(p); }},
        {"Camera", kFrameAllLabel, "home", "moves back until the scene fits",
         [p = parts] { frame_scene(p.session, p.link, p.motion); }},
        {"Camera", "Camera of the file", "C", "the next camera of the scene file",
         [p = parts] { next_camera(p.session, p.selection, p.ui, p.motion); }},
        {"Camera", "Keep this view", "ctrl+B", "as a bookmark of the scene",
         [p = parts] { add_bookmark(p.session, p.selection, p.ui); }},
        {"Camera", "Next kept view", "V", "goes to the bookmark after this one",
         [p = parts] { next_bookmark(p.session, p.selection, p.ui, p.motion); }},
        {"Camera", "From the front", "1", "looks along −Z",
         [p = parts] { look_from(p.session, p.link, p.motion, 2); }, nullptr, true},
        {"Camera", "From the right", "3", "looks along −X",
         [p = parts] { look_from(p.session, p.link, p.motion, 0); }},
        {"Camera", "From above", "7", "looks down",
         [p = parts] { look_from(p.session, p.link, p.motion, 1); }},
        {"Camera", "Orthographic", "5", "without perspective",
         [p = parts] { toggle_orthographic(p.session, p.link, p.motion, p.ui); },
         [p = parts] { return p.session.camera().is_orthographic; }},
        {"Camera", "Focus on ...", "alt+F", "the next click sets what is in focus",
         [p = parts] { toggle_focus(p.ui, p.motion); },
         [p = parts] { return p.motion.tool == Tool::Focus; }, true},
    };
}

// clang-format on

}  // namespace weft::app
