// light_handles.h — signs for the lights over the picture, and handles of the selected one: moves,
// rotations, sizes.
//
// Signs show while the panel of lights is visible or a light is selected. A click on a sign selects
// its light; one drag of a handle is one step of undo. Interface thread only.
#pragma once

#include <optional>
#include <string>

#include "app/view/models/gizmo.h"
#include "app/view/models/light_sizes.h"

namespace weft::app {

struct CameraMotion;
struct PictureSight;
struct Selection;
struct Session;
struct Ui;

// A light over the picture (light_handles.cpp).
struct SeenLight;

// The held size handle of a light, and its state when it was grabbed.
struct HeldSize {
    LightSize size;
    GizmoView view;
    scene::Light light;
    Vec3 at{};
    ScreenPoint mouse;
};

class LightHandles {
public:
    LightHandles(Session& session, Selection& selection, const PictureSight& sight, Ui& ui)
        : session_(session), selection_(selection), sight_(sight), ui_(ui) {}

    // Draws into the current window's list and reacts to the mouse. True while the mouse is over a
    // handle or a sign, or holds one; the viewport must then ignore the mouse. Call before the
    // viewport uses the mouse. `tool`: what the person chose; it is used where it fits the light.
    bool use(const CameraMotion& motion, GizmoTool tool, bool is_over_picture);

    // Shows the signs in the next picture. The panel of lights calls it while it is visible.
    void show_signs() { are_signs_wanted_ = true; }

    Gizmo gizmo;

private:
    std::optional<u32> use_gizmo(const GizmoView& view,
                                 const SeenLight& light,
                                 GizmoTool tool,
                                 bool is_over_picture);
    bool use_sizes(const GizmoView& view,
                   const SeenLight& light,
                   GizmoTool tool,
                   bool is_over_picture);
    void pull(const ScreenPoint& mouse);
    void pull_size(const ScreenPoint& mouse);
    void release();

    Session& session_;
    Selection& selection_;
    const PictureSight& sight_;
    Ui& ui_;
    std::optional<HeldSize> size_;
    std::string path_;        // of the held light
    bool has_moved_ = false;  // an edit was made since the grab
    bool are_signs_wanted_ = false;
};

}  // namespace weft::app
