// gizmo.h — handles over the picture that move, rotate and scale the selected node.
//
// One Gizmo per window, interface thread only. It computes the handles' places on the screen and
// how a drag of one changes a matrix; gizmo_drawing.cpp draws and reads the mouse, so that tests
// can drag handles without a window. Sizes are in window pixels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/view/models/placement.h"
#include "engine/scene/model/scene.h"

namespace weft::app {

struct ScreenPoint {
    float x = 0;
    float y = 0;
};

// The picture's place in the window, and its camera.
struct GizmoView {
    scene::Camera camera;
    ScreenPoint origin;  // top left of the picture
    float width = 1;
    float height = 1;
    float scale = 1;  // interface scale: handles and their reach grow with it
};

// Projects a world point to the window; nothing if it lies behind the camera.
std::optional<ScreenPoint> project(const GizmoView& view, const Vec3& point);

// The world ray through a point of the window.
struct ScreenRay {
    Vec3 origin{};
    Vec3 direction{0, 0, -1};  // length 1
};

ScreenRay screen_ray(const GizmoView& view, ScreenPoint at);

// What the handles do; None: no handles.
enum class GizmoTool { None, Move, Turn, Scale };

class Gizmo {
public:
    static constexpr float kReach = 84;  // length of a handle from the pivot, at scale 1
    static constexpr float kGrab = 8;    // how near the mouse must be to grab a handle, at scale 1

    // Handles 0 to 2 are the axes; 3 is the middle (moves in the screen plane, scales uniformly).
    static constexpr u32 kMiddle = 3;

    GizmoTool tool = GizmoTool::Move;

    // Places the handles for a matrix: call it first in each frame, also during a drag. The pivot
    // is a world point that moves with the node.
    void place(const GizmoView& view, const math::Affine& matrix, const Vec3& pivot);

    // A handle as a line on the screen; rings have many points, a middle has one.
    struct Handle {
        u32 axis = 0;
        std::vector<ScreenPoint> line;
    };

    [[nodiscard]] const std::vector<Handle>& handles() const { return handles_; }

    // The nearest handle within reach of the mouse.
    [[nodiscard]] std::optional<u32> handle_at(ScreenPoint mouse) const;

    // Grabs the handle at the mouse. False: there is none.
    bool grab(ScreenPoint mouse);
    // The node's matrix with the mouse at this point. `is_snapped` rounds to steps: 15 degrees, a
    // power of ten of metres that suits the view, or a tenth of the size. Call this and the
    // functions below only while is_held().
    math::Affine pulled(ScreenPoint mouse, bool is_snapped = false);

    // The text of the last pulled(): "Y +35.0°".
    [[nodiscard]] const std::string& readout() const { return held_->readout; }

    [[nodiscard]] bool is_snapped() const { return held_->is_snapped; }

    void release() { held_.reset(); }

    [[nodiscard]] bool is_held() const { return held_.has_value(); }

    [[nodiscard]] std::optional<u32> held_axis() const {
        return held_ ? std::optional(held_->axis) : std::nullopt;
    }

private:
    // The state when the handle was grabbed.
    struct Held {
        u32 axis = 0;
        GizmoView view;
        math::Affine matrix{};
        Vec3 pivot{};
        Vec3 direction{};  // of the handle, in the world
        Vec3 view_axis{};  // from the pivot to the eye
        ScreenPoint mouse;
        float step_m = 1;  // of snapped moves
        // State of the drag:
        float turned_rad = 0;  // may exceed a whole turn
        float angle_rad = 0;   // the last angle of the mouse
        bool is_snapped = false;
        std::string readout{};
    };

    [[nodiscard]] math::Affine turned_by(ScreenPoint mouse);
    [[nodiscard]] math::Affine moved_in_plane(ScreenPoint mouse);
    [[nodiscard]] math::Affine moved_along(float metres);
    [[nodiscard]] math::Affine scaled_by(float factor);

    void add_arms();
    void add_rings();
    [[nodiscard]] Vec3 axis_direction(u32 axis) const;
    [[nodiscard]] std::optional<float> along(ScreenPoint mouse) const;
    [[nodiscard]] std::optional<float> angle_at(ScreenPoint mouse) const;

    GizmoView view_;
    math::Affine matrix_ = math::kIdentity;
    Vec3 pivot_{};
    float reach_m_ = 1;  // kReach in world units at the pivot
    std::vector<Handle> handles_;
    std::optional<Held> held_;
};

}  // namespace weft::app
