// gizmo.h — handles over the picture that move, turn and scale the selected node.
//
// One Gizmo per window, interface thread only. It knows where its handles lie on the screen and
// what pulling one does to a matrix; it draws and reads nothing itself (gizmo_drawing.cpp does), so
// that tests pull handles without a window. Sizes are in pixels of the window.
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

// Where the picture lies in the window and which camera it is seen with.
struct GizmoView {
    scene::Camera camera;
    ScreenPoint origin;  // top left of the picture
    float width = 1;
    float height = 1;
    float scale = 1;  // of the interface: handles and their reach are that much larger
};

// Nothing where the point lies behind the camera.
std::optional<ScreenPoint> project(const GizmoView& view, const Vec3& point);

// The half-line of the world that a pixel shows.
struct ScreenRay {
    Vec3 origin{};
    Vec3 direction{0, 0, -1};  // length 1
};

ScreenRay screen_ray(const GizmoView& view, ScreenPoint at);

// What the handles do; None: no handles.
enum class GizmoTool { None, Move, Turn, Scale };

class Gizmo {
public:
    static constexpr float kReach = 84;  // from the pivot to the end of a handle, at scale 1
    static constexpr float kGrab = 8;    // so near the mouse takes hold of one, at scale 1

    // Axis 0 to 2; 3: the middle (moves in the plane of the screen, scales evenly).
    static constexpr u32 kMiddle = 3;

    GizmoTool tool = GizmoTool::Move;

    // Where the handles are for a matrix: call each frame before the others, also while one is
    // held. The pivot is a point of the world that moves with the node.
    void place(const GizmoView& view, const scene::Affine& matrix, const Vec3& pivot);

    // A handle as a line on the screen; rings have many points, a middle has one.
    struct Handle {
        u32 axis = 0;
        std::vector<ScreenPoint> line;
    };

    [[nodiscard]] const std::vector<Handle>& handles() const { return handles_; }

    // The handle within reach of the mouse, the nearest one.
    [[nodiscard]] std::optional<u32> handle_at(ScreenPoint mouse) const;

    // Takes hold of the handle at the mouse. False: there is none.
    bool grab(ScreenPoint mouse);
    // The matrix that the node gets with the mouse there, in whole steps where `is_snapped`: of 15
    // degrees, of 1, 0.1, 0.01, ... metres as the view allows, of a tenth of its size. Only while
    // is_held(), as what follows.
    scene::Affine pulled(ScreenPoint mouse, bool is_snapped = false);

    // What the last pulled() did: "Y +35.0°".
    [[nodiscard]] const std::string& readout() const { return held_->readout; }

    [[nodiscard]] bool is_snapped() const { return held_->is_snapped; }

    void release() { held_.reset(); }

    [[nodiscard]] bool is_held() const { return held_.has_value(); }

    [[nodiscard]] std::optional<u32> held_axis() const {
        return held_ ? std::optional(held_->axis) : std::nullopt;
    }

private:
    // All as it was when the handle was taken.
    struct Held {
        u32 axis = 0;
        GizmoView view;
        scene::Affine matrix{};
        Vec3 pivot{};
        Vec3 direction{};  // of the handle, in the world
        Vec3 view_axis{};  // from the pivot to the eye
        ScreenPoint mouse;
        float step_m = 1;  // of snapped moves
        // Of the pulls since then:
        float turned_rad = 0;  // beyond a whole turn, too
        float angle_rad = 0;   // where the mouse was last
        bool is_snapped = false;
        std::string readout{};
    };

    [[nodiscard]] scene::Affine turned_by(ScreenPoint mouse);
    [[nodiscard]] scene::Affine moved_in_plane(ScreenPoint mouse);
    [[nodiscard]] scene::Affine moved_along(float metres);
    [[nodiscard]] scene::Affine scaled_by(float factor);

    void add_arms();
    void add_rings();
    [[nodiscard]] Vec3 axis_direction(u32 axis) const;
    [[nodiscard]] std::optional<float> along(ScreenPoint mouse) const;
    [[nodiscard]] std::optional<float> angle_at(ScreenPoint mouse) const;

    GizmoView view_;
    scene::Affine matrix_ = scene::kIdentity;
    Vec3 pivot_{};
    float reach_m_ = 1;  // kReach in the world, at the pivot
    std::vector<Handle> handles_;
    std::optional<Held> held_;
};

}  // namespace weft::app
