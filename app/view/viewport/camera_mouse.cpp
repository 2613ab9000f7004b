#include "app/view/viewport/camera_mouse.h"

#include <algorithm>
#include <cmath>

#include <GLFW/glfw3.h>

#include "app/view/models/view_camera.h"
#include "app/view/session/camera_motion.h"
#include "app/view/session/picture_sight.h"
#include "app/view/session/render_link.h"
#include "app/view/session/session.h"
#include "app/view/viewport/pivot.h"

namespace weft::app {

namespace {

constexpr float kOrbitRadPerPixel = 0.006F;
constexpr float kDollyPerStep = 0.88F;
constexpr double kWheelPauseS = 0.7;  // a longer pause starts another step of undo

}  // namespace

// The pivot where the held button went down.
const Vec3& CameraMouse::pivot_of_drag(ImGuiMouseButton button) {
    if (pivot_gesture_ != motion_.gesture) {
        const ImVec2 at = ImGui::GetIO().MouseClickedPos[button];
        pivot_ = take_pivot(session_, motion_, surface_near(link_, sight_, at.x, at.y));
        pivot_gesture_ = motion_.gesture;
    }
    return pivot_;
}

void CameraMouse::drag(bool is_turning) {
    const ImGuiIO& io = ImGui::GetIO();
    const ImVec2 moved = io.MouseDelta;
    const bool has_moved = moved.x != 0 || moved.y != 0;
    const float turn = kOrbitRadPerPixel * session_.remembered.orbit_speed;
    const bool is_middle = ImGui::IsMouseDown(ImGuiMouseButton_Middle) && !io.KeyCtrl;
    scene::Camera camera = session_.camera();
    if ((is_middle || (is_turning && io.KeyShift)) && has_moved) {
        pivot_of_drag(is_middle ? ImGuiMouseButton_Middle : ImGuiMouseButton_Left);
        pan(camera, motion_.pivot_m, moved.x / sight_.place.height, moved.y / sight_.place.height);
    } else if (ImGui::IsMouseDown(ImGuiMouseButton_Right) && has_moved) {
        look_around(camera, -moved.x * turn / 2, -moved.y * turn / 2);
    } else if (is_turning && has_moved) {
        const Vec3& pivot = pivot_of_drag(ImGuiMouseButton_Left);
        orbit(camera, pivot, -moved.x * turn, -moved.y * turn);
    } else {
        return;
    }
    move_camera(session_, link_, motion_, camera);
}

void CameraMouse::fly() {
    if (!ImGui::IsMouseDown(ImGuiMouseButton_Right)) {
        return;
    }
    const ImGuiIO& io = ImGui::GetIO();
    const auto held = [&](int key) { return io.KeysDown[key] ? 1.0F : 0.0F; };
    const float right = held(GLFW_KEY_D) - held(GLFW_KEY_A);
    const float up = held(GLFW_KEY_E) - held(GLFW_KEY_Q);
    const float ahead = held(GLFW_KEY_W) - held(GLFW_KEY_S);
    if (right == 0 && up == 0 && ahead == 0) {
        return;
    }
    take_pivot(session_, motion_, surface_ahead(link_));
    if (flight_gesture_ != motion_.gesture) {
        flight_gesture_ = motion_.gesture;
        flight_m_ = motion_.pivot_m;
    }
    // Near a wall, slow down towards it, but not along it or away from it.
    const float share = io.DeltaTime * (io.KeyShift ? 2.5F : 0.7F);
    const float pace = std::max(flight_m_, motion_.pivot_m) * share;
    const float advance = ahead > 0 ? flight_step_m(motion_.pivot_m, share) : -pace;
    scene::Camera camera = session_.camera();
    move_by(camera, right * pace, up * pace, ahead == 0 ? 0 : advance);
    move_camera(session_, link_, motion_, camera);
}

void CameraMouse::use_wheel() {
    const ImGuiIO& io = ImGui::GetIO();
    // Wheel steps in quick succession are one gesture.
    const double now_s = ImGui::GetTime();
    if (wheel_gesture_ != motion_.gesture || now_s - wheel_s_ > kWheelPauseS) {
        wheel_gesture_ = ++motion_.gesture;
    }
    wheel_s_ = now_s;
    scene::Camera camera = session_.camera();
    const Surface surface = surface_near(link_, sight_, io.MousePos.x, io.MousePos.y);
    const Vec3 pivot = take_pivot(session_, motion_, surface);
    dolly(camera, pivot, std::pow(kDollyPerStep, io.MouseWheel));
    motion_.pivot_m = depth_of(camera, pivot);
    move_camera(session_, link_, motion_, camera);
}

void CameraMouse::use(bool is_over, bool is_turning) {
    const ImGuiIO& io = ImGui::GetIO();
    if (is_over || ImGui::IsItemActive()) {
        drag(is_turning);
        fly();
    }
    for (const ImGuiMouseButton button :
         {ImGuiMouseButton_Left, ImGuiMouseButton_Right, ImGuiMouseButton_Middle}) {
        motion_.gesture += ImGui::IsMouseClicked(button) ? 1U : 0U;
    }
    if (is_over && io.MouseWheel != 0 && !io.KeyCtrl) {
        use_wheel();
    }
}

}  // namespace weft::app
