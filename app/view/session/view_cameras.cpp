#include "app/view/session/view_cameras.h"

#include <algorithm>
#include <cmath>

#include "app/view/models/view_camera.h"
#include "app/view/session/render_link.h"
#include "app/view/session/selection.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"

namespace weft::app {

namespace {

// The distance of the scene's centre along the view, if it lies ahead.
float middle_ahead(const math::Box& bounds, const scene::Camera& camera) {
    if (bounds.is_empty()) {
        return 1;
    }
    const Vec3 middle = (bounds.low + bounds.high) / 2.0F;
    const float along = dot(middle - eye_of(camera), forward_of(camera));
    const Vec3 sides = bounds.high - bounds.low;
    const float size = std::max({sides.x, sides.y, sides.z});
    return along > 0 ? along : std::max(size / 2, 1e-3F);
}

void frame(Session& session, RenderLink& link, CameraMotion& motion, const math::Box& box) {
    scene::Camera camera = session.camera();
    motion.pivot_m = frame_box(camera, box, link.aspect());
    set_camera(session, link, motion, camera);
}

bool has_bookmarks(const Session& session) {
    const auto known = session.remembered.bookmarks.find(session.files.bookmarks);
    return known != session.remembered.bookmarks.end() && !known->second.empty();
}

}  // namespace

void frame_boxes(Session& session,
                 RenderLink& link,
                 CameraMotion& motion,
                 std::span<const BoxCorners> boxes) {
    math::Box whole;
    for (const BoxCorners& box : boxes) {
        for (const Vec3& corner : box) {
            whole.include(corner);
        }
    }
    frame(session, link, motion, whole);
}

void frame_scene(Session& session, RenderLink& link, CameraMotion& motion) {
    if (link.scene != nullptr) {
        frame(session, link, motion, session.bounds);
    }
}

void set_pivot_inside(const Session& session, CameraMotion& motion) {
    motion.pivot_m = middle_ahead(session.bounds, session.camera());
    motion.is_pivot_stale = true;
}

void next_camera(Session& session, const Selection& selection, Ui& ui, CameraMotion& motion) {
    if (!session.document.is_open()) {
        return;
    }
    const std::vector<scene::Camera>& cameras = session.document.scene().cameras;
    const auto now = std::find_if(cameras.begin(), cameras.end(), [&](const scene::Camera& c) {
        return is_same_view(c, session.camera());
    });
    const auto next = now == cameras.end() || now + 1 == cameras.end() ? cameras.begin() : now + 1;
    const scene::Camera camera = *next;  // the edit may replace the scene
    go_to_camera(session, ui, motion, camera);
    say_of_view(ui, session, selection, "Camera " + camera.name);
}

void begin_focus(Ui& ui, CameraMotion& motion) {
    motion.tool = Tool::Focus;
    ui.say_while("Click a point to focus on it; Esc cancels",
                 [&motion] { return motion.tool == Tool::Focus; });
}

void go_to_camera(Session& session, Ui& ui, CameraMotion& motion, const scene::Camera& camera) {
    scene::Camera changed = camera;
    changed.lens_radius_m = session.camera().lens_radius_m;
    changed.focus_m = session.camera().focus_m;
    replace_camera(session, ui, motion, changed);
    set_pivot_inside(session, motion);
}

std::vector<Bookmark>& bookmarks_of(Session& session) {
    return session.remembered.bookmarks[session.files.bookmarks];
}

void add_bookmark(Session& session, const Selection& selection, Ui& ui) {
    if (session.document.is_open()) {
        std::vector<Bookmark>& bookmarks = bookmarks_of(session);
        bookmarks.push_back(bookmark_of(session.camera(), bookmarks));
        say_of_view(ui, session, selection, "This view is kept as " + bookmarks.back().name);
    }
}

void go_to_bookmark(
    Session& session, const Selection& selection, Ui& ui, CameraMotion& motion, std::size_t index) {
    const Bookmark& bookmark = bookmarks_of(session)[index];
    const auto camera = camera_of(bookmark, session.camera());
    if (!camera) {
        ui.say(bookmark.name + " cannot be read: it was damaged");
        return;
    }
    replace_camera(session, ui, motion, *camera);
    set_pivot_inside(session, motion);
    say_of_view(ui, session, selection, bookmark.name);
}

void next_bookmark(Session& session, const Selection& selection, Ui& ui, CameraMotion& motion) {
    const std::vector<Bookmark>& bookmarks = bookmarks_of(session);
    if (!session.document.is_open() || bookmarks.empty()) {
        ui.say_while("No view is kept yet: Ctrl+B keeps this one",
                     [&session] { return !has_bookmarks(session); });
        return;
    }
    std::size_t next = 0;
    for (std::size_t k = 0; k < bookmarks.size(); ++k) {
        const auto camera = camera_of(bookmarks[k], session.camera());
        if (camera && is_same_view(*camera, session.camera())) {
            next = (k + 1) % bookmarks.size();
        }
    }
    go_to_bookmark(session, selection, ui, motion, next);
}

}  // namespace weft::app
