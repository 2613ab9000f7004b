#include "app/view/viewport/viewport.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include <GLFW/glfw3.h>
#include <imgui.h>

#include "app/view/handles/gizmo_drawing.h"
#include "app/view/handles/lamp_handles.h"
#include "app/view/models/view_camera.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/send_edit.h"
#include "app/view/session/view_scene.h"
#include "app/view/viewport/compare_overlay.h"
#include "app/view/viewport/heat_overlay.h"
#include "app/view/viewport/picture_region.h"
#include "app/view/viewport/pivot.h"
#include "app/view/window/theme.h"
#include "engine/scene/edit/edit_value.h"

namespace weft::app {

namespace {

constexpr float kOrbitRadPerPixel = 0.006F;
constexpr float kDollyPerStep = 0.88F;
constexpr float kDragThreshold = 4;  // pixels; a shorter drag is a click
const ImVec4 kAttention{0.55F, 0.80F, 1.0F, 0.7F};
constexpr double kWheelPauseS = 0.7;  // a longer pause starts another step of undo

ImU32 colour(const ImVec4& value) {
    return ImGui::ColorConvertFloat4ToU32(value);
}

constexpr float kZoomPerStep = 1.2F;

// Screen pixels per picture pixel.
float shown_scale(const PicturePlace& place, u32 width) {
    return place.width * ImGui::GetIO().DisplayFramebufferScale.x / static_cast<float>(width);
}

}  // namespace

void pick_at(ViewState& state, float x, float y) {
    const auto picked = surface_under(state.link, state.sight, x, y);
    if (!picked) {
        state.selection = {};
        return;
    }
    // The picture may be older than the last edits; a cap represents the solid that it closes.
    const scene::Instance& instance = picked->scene->instances[picked->instance];
    select_path(state.session,
                state.selection,
                scene::node_path(*picked->scene, picked->instance),
                picked->instance);
    prefer_material(state.session, state.selection, instance.material);
    state.motion.pivot_m = depth_of(state.session.camera(), picked->position);
    say_of_view(state.ui,
                state.session,
                state.selection,
                fmt::format("{} · {} · {:.3g} m away",
                            instance.node,
                            picked->scene->materials[instance.material].name,
                            picked->distance_m));
}

void focus_at(ViewState& state, float x, float y) {
    const auto picked = surface_under(state.link, state.sight, x, y);
    if (!picked) {
        state.ui.say("There is nothing to focus on");
        return;
    }
    const float focus_m = depth_of(state.session.camera(), picked->position);
    send_edit(state.session, state.ui, "camera/focus_m", scene::edits::floats_text({&focus_m, 1}));
    state.session.dragged.clear();
    say_of_view(
        state.ui,
        state.session,
        state.selection,
        fmt::format("In focus: {:.3g} m{}",
                    focus_m,
                    state.session.camera().lens_radius_m > 0 ? "" : " (the lens is a pinhole)"));
}

bool Viewport::take_picture(ViewState& state) {
    if (state.link.live == nullptr || !state.link.live->take_picture(picture_)) {
        return false;
    }
    const film::Region& part = picture_.region;
    const bool is_whole = part.x0 == 0 && part.y0 == 0 && part.x1 == picture_.full_width &&
                          part.y1 == picture_.full_height;
    (is_whole ? whole_ : region_)
        .upload(picture_.width, picture_.height, picture_.rgba, picture_.is_coarse);
    has_region_ = !is_whole;
    if (state.motion.is_pivot_stale && picture_.job == state.link.job &&
        state.link.scene != nullptr) {
        take_pivot_ahead(state.session, state.link, state.motion);
        state.motion.is_pivot_stale = false;  // also if no surface is there
    }
    return true;
}

void Viewport::keep_snapshot(ViewState& state) {
    if (!std::exchange(state.sight.is_snapshot_wanted, false)) {
        return;
    }
    if (whole_.is_empty() || has_region_) {
        state.ui.say_while("A snapshot holds the whole picture: end the region first (Esc)",
                           [&state] { return state.link.settings.crop.has_value(); });
        return;
    }
    snapshot_.take(picture_);
    state.sight.is_wipe_on = true;
    state.ui.say_while("Snapshot A is kept: drag the line to compare",
                       [&state] { return state.sight.is_wipe_on; });
}

void Viewport::draw_picture(const ViewState& state) const {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const PicturePlace& place = state.sight.place;
    if (!whole_.is_empty()) {
        list.AddRect({place.x - 1, place.y - 1},
                     {place.x + place.width + 1, place.y + place.height + 1},
                     ImGui::GetColorU32(ImGuiCol_Border));
        whole_.show_at(shown_scale(place, whole_.width()));
        list.AddImage(
            whole_.id(), {place.x, place.y}, {place.x + place.width, place.y + place.height});
    }
    if (has_region_) {
        const MarkedPlace part =
            place_of(place, picture_.region, picture_.full_width, picture_.full_height);
        region_.show_at(shown_scale(place, picture_.full_width));
        list.AddImage(region_.id(), part.low, part.high);
    }
    if (state.link.settings.crop) {
        draw_region(state.link, state.sight, *state.link.settings.crop, kAccent);
    }
    if (state.link.attended) {
        draw_region(state.link, state.sight, *state.link.attended, kAttention);
    }
    if (pressed_ && is_dragged_ && state.motion.tool == Tool::Region) {
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        list.AddRectFilled(*pressed_, mouse, colour({kAccent.x, kAccent.y, kAccent.z, 0.12F}));
        list.AddRect(*pressed_, mouse, colour(kAccent));
    }
}

void Viewport::finish_region(ViewState& state) {
    const auto part = region_between(state.link, state.sight, *pressed_, ImGui::GetIO().MousePos);
    if (!part) {
        return;
    }
    state.link.settings.crop = part;
    state.link.effect |= scene::kEffectCamera;
    state.motion.tool = Tool::Orbit;
    state.ui.say_while(
        fmt::format("Rendering only the region of {} × {} pixels; Esc renders the whole picture",
                    part->width(),
                    part->height()),
        [&state] { return state.link.settings.crop.has_value(); });
}

// The pivot where the held button went down.
const Vec3& Viewport::pivot_of_drag(ViewState& state, ImGuiMouseButton button) {
    if (pivot_gesture_ != state.motion.gesture) {
        const ImVec2 at = ImGui::GetIO().MouseClickedPos[button];
        pivot_ = take_pivot(state, at.x, at.y);
        pivot_gesture_ = state.motion.gesture;
    }
    return pivot_;
}

void Viewport::move_camera(ViewState& state) {
    const ImGuiIO& io = ImGui::GetIO();
    const ImVec2 moved = io.MouseDelta;
    const bool has_moved = moved.x != 0 || moved.y != 0;
    const float turn = kOrbitRadPerPixel * state.session.remembered.orbit_speed;
    const bool is_middle = ImGui::IsMouseDown(ImGuiMouseButton_Middle) && !io.KeyCtrl;
    const bool is_left =
        is_dragged_ && pressed_ && !is_attending_ && state.motion.tool == Tool::Orbit;
    scene::Camera camera = state.session.camera();
    if ((is_middle || (is_left && io.KeyShift)) && has_moved) {
        pivot_of_drag(state, is_middle ? ImGuiMouseButton_Middle : ImGuiMouseButton_Left);
        pan(camera,
            state.motion.pivot_m,
            moved.x / state.sight.place.height,
            moved.y / state.sight.place.height);
    } else if (ImGui::IsMouseDown(ImGuiMouseButton_Right) && has_moved) {
        look_around(camera, -moved.x * turn / 2, -moved.y * turn / 2);
    } else if (is_left && has_moved) {
        const Vec3& pivot = pivot_of_drag(state, ImGuiMouseButton_Left);
        orbit(camera, pivot, -moved.x * turn, -moved.y * turn);
    } else {
        return;
    }
    app::move_camera(state.session, state.link, state.motion, camera);
}

void Viewport::fly(ViewState& state) {
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
    take_pivot_ahead(state.session, state.link, state.motion);
    if (flight_gesture_ != state.motion.gesture) {
        flight_gesture_ = state.motion.gesture;
        flight_m_ = state.motion.pivot_m;
    }
    // Near a wall, slow down towards it, but not along it or away from it.
    const float share = io.DeltaTime * (io.KeyShift ? 2.5F : 0.7F);
    const float pace = std::max(flight_m_, state.motion.pivot_m) * share;
    const float advance = ahead > 0 ? flight_step_m(state.motion.pivot_m, share) : -pace;
    scene::Camera camera = state.session.camera();
    move_by(camera, right * pace, up * pace, ahead == 0 ? 0 : advance);
    app::move_camera(state.session, state.link, state.motion, camera);
}

void Viewport::use_wheel(ViewState& state) {
    const ImGuiIO& io = ImGui::GetIO();
    // Wheel steps in quick succession are one gesture.
    const double now_s = ImGui::GetTime();
    if (wheel_gesture_ != state.motion.gesture || now_s - wheel_s_ > kWheelPauseS) {
        wheel_gesture_ = ++state.motion.gesture;
    }
    wheel_s_ = now_s;
    scene::Camera camera = state.session.camera();
    const Vec3 pivot = take_pivot(state, io.MousePos.x, io.MousePos.y);
    dolly(camera, pivot, std::pow(kDollyPerStep, io.MouseWheel));
    state.motion.pivot_m = depth_of(camera, pivot);
    app::move_camera(state.session, state.link, state.motion, camera);
}

void Viewport::use_mouse(ViewState& state, bool is_over) {
    const ImGuiIO& io = ImGui::GetIO();
    if (!pressed_ && snapshot_.use_mouse(state, is_over)) {
        return;
    }
    if (is_over && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        pressed_ = io.MousePos;
        is_dragged_ = false;
        is_attending_ = io.KeysDown[GLFW_KEY_SPACE];
    }
    if (pressed_ && (std::abs(io.MousePos.x - pressed_->x) > kDragThreshold ||
                     std::abs(io.MousePos.y - pressed_->y) > kDragThreshold)) {
        is_dragged_ = true;
    }
    if (pressed_ && is_attending_) {
        attend_to(state.link, region_between(state.link, state.sight, *pressed_, io.MousePos));
    }
    if (is_over || ImGui::IsItemActive()) {
        move_camera(state);
        fly(state);
    }
    for (const ImGuiMouseButton button :
         {ImGuiMouseButton_Left, ImGuiMouseButton_Right, ImGuiMouseButton_Middle}) {
        state.motion.gesture += ImGui::IsMouseClicked(button) ? 1U : 0U;
    }
    if (is_over && io.MouseWheel != 0 && !io.KeyCtrl) {
        use_wheel(state);
    }
    if (pressed_ && !ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
        finish_press(state);
        pressed_.reset();
        is_dragged_ = false;
    }
}

void Viewport::finish_press(ViewState& state) {
    if (is_attending_) {
        is_attending_ = false;
        const bool has_part = state.link.attended.has_value();
        state.ui.say_while(
            has_part ? "Refining this part first; Space and a click ends it"
                     : "Refining all parts alike",
            [&state, has_part] { return state.link.attended.has_value() == has_part; });
    } else if (state.motion.tool == Tool::Region && is_dragged_) {
        finish_region(state);
    } else if (!is_dragged_ && (state.motion.tool == Tool::Focus || ImGui::GetIO().KeyCtrl)) {
        focus_at(state, pressed_->x, pressed_->y);
        state.motion.tool = Tool::Orbit;
    } else if (!is_dragged_) {
        pick_at(state, pressed_->x, pressed_->y);
    }
}

// Enlarges and moves the picture by Ctrl and the wheel or the middle button, without rendering.
void Viewport::use_zoom(ViewState& state, bool is_over) {
    const ImGuiIO& io = ImGui::GetIO();
    const auto [width, height] = std::pair(state.link.settings.width, state.link.settings.height);
    if (!io.KeyCtrl) {
        return;
    }
    if (is_over && io.MouseWheel != 0) {
        const float factor = std::pow(kZoomPerStep, io.MouseWheel);
        state.sight.zoom.zoom_at(
            state.sight.pane, width, height, io.MousePos.x, io.MousePos.y, factor);
    }
    if (ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Middle) &&
        (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
        state.sight.zoom.pan(state.sight.pane, width, height, io.MouseDelta.x, io.MouseDelta.y);
    }
    state.sight.place = state.sight.zoom.place(state.sight.pane, width, height);
}

void Viewport::draw(ViewState& state) {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    ImVec2 size = ImGui::GetContentRegionAvail();
    size = {std::max(size.x, 1.0F), std::max(size.y, 1.0F)};
    state.sight.pane = {low.x, low.y, size.x, size.y};
    const auto [width, height] = std::pair(state.link.settings.width, state.link.settings.height);
    state.sight.place = state.sight.zoom.place(state.sight.pane, width, height);
    // The invisible button makes ImGui give the viewport the drags that start here.
    ImGui::InvisibleButton("picture",
                           size,
                           ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight |
                               ImGuiButtonFlags_MouseButtonMiddle);
    state.ui.marks.mark("Picture");
    if (state.link.attended) {
        state.ui.marks.mark("Picture/attended",
                            place_of(state.link, state.sight, *state.link.attended));
    }
    const bool is_hovered = ImGui::IsItemHovered();
    state.ui.marks.mark("Picture/Frame",
                        {{state.sight.place.x, state.sight.place.y},
                         {state.sight.place.x + state.sight.place.width,
                          state.sight.place.y + state.sight.place.height}});
    use_zoom(state, is_hovered);
    keep_snapshot(state);
    draw_picture(state);
    draw_heat_overlay(state);
    snapshot_.draw(state);
    if (state.link.scene != nullptr && !use_comparison(state, is_hovered) &&
        (pressed_ || (!use_gizmo(state, is_hovered) && !use_lamps(state, is_hovered)))) {
        use_mouse(state, is_hovered);
    }
}

}  // namespace weft::app
