#include "app/view/handles/lamp_handles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>

#include <imgui.h>

#include "app/view/handles/gizmo_drawing.h"
#include "app/view/models/gizmo.h"
#include "app/view/models/lamp_sizes.h"
#include "app/view/models/object_name.h"
#include "app/view/models/view_camera.h"
#include "app/view/session/object_edits.h"
#include "app/view/window/theme.h"
#include "engine/scene/edit/edit.h"
#include "engine/scene/edit/edit_value.h"

namespace weft::app {

namespace {

using shaders::LightKind;

constexpr float kSign = 7;  // radius of a light's sign, and of its click area, at scale 1
constexpr u32 kRays = 8;
constexpr ImU32 kLampColour = IM_COL32(255, 214, 130, 255);
constexpr ImU32 kSelectedColour = IM_COL32(255, 170, 60, 255);
constexpr ImU32 kOffColour = IM_COL32(150, 150, 150, 160);
constexpr ImU32 kShadow = IM_COL32(0, 0, 0, 130);

struct Lamp {
    const scene::Light* light = nullptr;
    std::string path;
    Vec3 at{};  // the light's place; for a sun, the camera's pivot
    std::optional<ScreenPoint> sign;
    bool is_selected = false;
};

GizmoView view_of(const Session& session, const PictureSight& sight) {
    return {session.document.context().camera,
            {sight.place.x, sight.place.y},
            sight.place.width,
            sight.place.height,
            interface_scale()};
}

// The visible lights. A sun has no place, so it shows only while it is selected.
std::vector<Lamp> seen_lamps(const Session& session,
                             const Selection& selection,
                             const CameraMotion& motion,
                             const GizmoView& view) {
    const scene::Scene& scene = session.document.scene();
    const std::vector<std::string> paths = scene::object_paths(scene, "lights");
    std::vector<Lamp> lamps;
    for (std::size_t k = 0; k < paths.size(); ++k) {
        const scene::Light& light = scene.lights[k];
        const bool is_selected = selection.path == paths[k];
        const bool is_sun = light.kind == LightKind::Directional;
        if (is_sun && !is_selected) {
            continue;
        }
        const Vec3 at = is_sun ? point_ahead(view.camera, motion.pivot_m) : light.position;
        lamps.push_back({&light, paths[k], at, project(view, at), is_selected});
    }
    return lamps;
}

void draw_line(const ScreenPoint& from, const ScreenPoint& to, ImU32 colour) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float scale = interface_scale();
    list.AddLine({from.x, from.y}, {to.x, to.y}, kShadow, 3.5F * scale);
    list.AddLine({from.x, from.y}, {to.x, to.y}, colour, 1.5F * scale);
}

// Draws a circle with rays; spots and suns also get a line along their direction.
void draw_sign(Session& session, Ui& ui, const GizmoView& view, const Lamp& lamp) {
    if (!lamp.sign) {
        return;
    }
    const ScreenPoint& at = *lamp.sign;
    const float sign = kSign * view.scale;
    const ImU32 colour = lamp.is_selected                   ? kSelectedColour
                         : is_lamp_on(session, *lamp.light) ? kLampColour
                                                            : kOffColour;
    if (lamp.light->kind != LightKind::Point) {
        const float away = length(lamp.at - eye_of(view.camera)) * 0.15F;
        if (const auto tip = project(view, lamp.at + lamp.light->direction * away)) {
            draw_line(at, *tip, colour);
        }
    }
    for (u32 k = 0; k < kRays; ++k) {
        const float angle = 2 * std::numbers::pi_v<float> * static_cast<float>(k) / kRays;
        const ScreenPoint way{std::cos(angle), std::sin(angle)};
        draw_line({at.x + way.x * sign * 0.85F, at.y + way.y * sign * 0.85F},
                  {at.x + way.x * sign * 1.5F, at.y + way.y * sign * 1.5F},
                  colour);
    }
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddCircleFilled({at.x, at.y}, sign * 0.6F + 1.5F, kShadow);
    list.AddCircleFilled({at.x, at.y}, sign * 0.6F, colour);
    ui.marks.mark("Lamp/" + shown_name(lamp.path),
                  {{at.x - sign, at.y - sign}, {at.x + sign, at.y + sign}});
}

const Lamp* lamp_under(const std::vector<Lamp>& lamps, const ImVec2& mouse) {
    const Lamp* nearest = nullptr;
    float least = kSign * 1.5F * interface_scale();
    for (const Lamp& lamp : lamps) {
        if (lamp.sign) {
            const float away = std::hypot(mouse.x - lamp.sign->x, mouse.y - lamp.sign->y);
            if (away <= least) {
                least = away;
                nearest = &lamp;
            }
        }
    }
    return nearest;
}

// The tool that fits this kind of light: a point light has no direction, a sun no place. Sizes have
// their own handles.
GizmoTool tool_for(LightKind kind, GizmoTool chosen) {
    if (chosen == GizmoTool::None) {
        return GizmoTool::None;
    }
    const bool turns =
        kind == LightKind::Directional || (kind == LightKind::Spot && chosen == GizmoTool::Turn);
    return turns ? GizmoTool::Turn : GizmoTool::Move;
}

// The light's place, with its direction as the third axis.
scene::Affine matrix_of(const Lamp& lamp) {
    const Vec3 z = normalised(lamp.light->direction, {0, 0, -1});
    const Vec3 x = normalised(cross(std::abs(z[1]) < 0.9F ? Vec3{0, 1, 0} : Vec3{1, 0, 0}, z));
    const Vec3 y = cross(z, x);
    scene::Affine matrix{};
    for (u32 row = 0; row < 3; ++row) {
        matrix[4 * row] = x[row];
        matrix[4 * row + 1] = y[row];
        matrix[4 * row + 2] = z[row];
        matrix[4 * row + 3] = lamp.at[row];
    }
    return matrix;
}

// Handles of a move end in dots; rings do not.
void draw_handles(const Gizmo& gizmo, const std::optional<u32>& hot) {
    constexpr std::array<ImU32, 4> kAxisColours = {IM_COL32(226, 84, 76, 255),
                                                   IM_COL32(116, 190, 84, 255),
                                                   IM_COL32(82, 138, 230, 255),
                                                   IM_COL32(225, 225, 225, 255)};
    for (const Gizmo::Handle& handle : gizmo.handles()) {
        const ImU32 colour = handle.axis == hot ? kSelectedColour : kAxisColours[handle.axis];
        for (std::size_t k = 1; k < handle.line.size(); ++k) {
            draw_line(handle.line[k - 1], handle.line[k], colour);
        }
        if (handle.line.size() <= 2) {
            const ScreenPoint& end = handle.line.back();
            ImGui::GetWindowDrawList()->AddCircleFilled(
                {end.x, end.y}, 5.5F * interface_scale(), colour);
        }
    }
}

void pull(Session& session, Ui& ui, LampState& lamps, const ScreenPoint& mouse) {
    LampState& held = lamps;
    const scene::Affine matrix = held.gizmo.pulled(mouse, ImGui::GetIO().KeyCtrl);
    const bool turns = held.gizmo.tool == GizmoTool::Turn;
    const Vec3 value = turns ? normalised(column(matrix, 2)) : column(matrix, 3);
    const base::Status done = session.document.edit(
        {held.path + (turns ? "/direction" : "/position"), scene::edits::floats_text(value)},
        held.has_moved);
    if (done.is_ok()) {
        held.has_moved = true;
    } else {
        ui.say(done.error());
    }
}

// Draws the gizmo and reacts to the mouse. Returns the handle that is held or under the mouse.
std::optional<u32> use_handles(ViewState& state,
                               const GizmoView& view,
                               const Lamp& lamp,
                               bool is_over_picture) {
    LampState& kept = state.panels.lamps;
    if (!kept.gizmo.is_held()) {
        kept.gizmo.tool = tool_for(lamp.light->kind, state.panels.gizmo.gizmo.tool);
    }
    kept.gizmo.place(view, matrix_of(lamp), lamp.at);
    const ImVec2 at = ImGui::GetIO().MousePos;
    const ScreenPoint mouse{at.x, at.y};
    if (kept.gizmo.is_held()) {
        if (!ImGui::IsMouseDown(ImGuiMouseButton_Left) || kept.path != lamp.path) {
            kept.gizmo.release();
        } else if (is_pulled(kept.gizmo, kept.has_moved)) {
            pull(state.session, state.ui, state.panels.lamps, mouse);
        }
    } else if (is_over_picture && ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
               kept.gizmo.grab(mouse)) {
        kept.path = lamp.path;
        kept.has_moved = false;
    }
    const std::optional<u32> hot = kept.gizmo.is_held() ? kept.gizmo.held_axis()
                                   : is_over_picture    ? kept.gizmo.handle_at(mouse)
                                                        : std::nullopt;
    draw_handles(kept.gizmo, hot);
    if (kept.gizmo.is_held() && kept.has_moved) {
        tell_beside(state, mouse, kept.gizmo.readout(), "Lamp/Readout");
    }
    return hot;
}

const char* find_size(const std::vector<LampSize>& sizes, const ScreenPoint& mouse) {
    const char* nearest = nullptr;
    float least = Gizmo::kGrab * interface_scale();
    for (const LampSize& size : sizes) {
        const float away = std::hypot(mouse.x - size.dot.x, mouse.y - size.dot.y);
        if (away <= least) {
            least = away;
            nearest = size.field;
        }
    }
    return nearest;
}

void draw_sizes(ViewState& state, const std::vector<LampSize>& sizes, const char* maybe_hot) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float dot = 5 * interface_scale();  // radius
    for (const LampSize& size : sizes) {
        const bool is_hot = maybe_hot != nullptr && std::string_view(maybe_hot) == size.field;
        const ImU32 colour = is_hot ? kSelectedColour : kLampColour;
        for (std::size_t k = 1; k < size.line.size(); ++k) {
            draw_line(size.line[k - 1], size.line[k], colour);
        }
        list.AddCircleFilled({size.dot.x, size.dot.y}, dot * 1.3F, kShadow);
        list.AddCircleFilled({size.dot.x, size.dot.y}, dot, colour);
        state.ui.marks.mark(
            std::string("Lamp/Size ") + size.field,
            {{size.dot.x - dot, size.dot.y - dot}, {size.dot.x + dot, size.dot.y + dot}});
        if (is_hot) {
            tell_beside(state,
                        size.dot,
                        fmt::format("{} {:.3g}{}", size.title, size.value, size.unit),
                        "Lamp/Size");
        }
    }
}

void pull_size(Session& session, Ui& ui, LampState& lamps, const ScreenPoint& mouse) {
    LampState& held = lamps;
    const HeldSize& taken = *held.size;
    const base::Status done = session.document.edit(
        {held.path + "/" + taken.size.field,
         pulled_size(taken.view, taken.light, taken.at, taken.size, taken.mouse, mouse)},
        held.has_moved);
    if (done.is_ok()) {
        held.has_moved = true;
    } else {
        ui.say(done.error());
    }
}

// Draws the size handles and reacts to the mouse. True while one is held or under the mouse.
bool use_sizes(ViewState& state, const GizmoView& view, const Lamp& lamp, bool is_over_picture) {
    LampState& kept = state.panels.lamps;
    if (state.panels.gizmo.gizmo.tool == GizmoTool::None) {
        kept.size.reset();
        return false;
    }
    const std::vector<LampSize> sizes = lamp_sizes(view, *lamp.light, lamp.at);
    const ImGuiIO& io = ImGui::GetIO();
    const ScreenPoint mouse{io.MousePos.x, io.MousePos.y};
    if (kept.size && (!ImGui::IsMouseDown(ImGuiMouseButton_Left) || kept.path != lamp.path)) {
        kept.size.reset();
    }
    const char* const maybe_hot = kept.size         ? kept.size->size.field
                                  : is_over_picture ? find_size(sizes, mouse)
                                                    : nullptr;
    draw_sizes(state, sizes, maybe_hot);
    if (kept.size && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
        pull_size(state.session, state.ui, state.panels.lamps, mouse);
    } else if (!kept.size && maybe_hot != nullptr && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        const auto taken = std::find_if(sizes.begin(), sizes.end(), [&](const LampSize& size) {
            return std::string_view(size.field) == maybe_hot;
        });
        kept.size = HeldSize{*taken, view, *lamp.light, lamp.at, mouse};
        kept.path = lamp.path;
        kept.has_moved = false;
    }
    return maybe_hot != nullptr;
}

}  // namespace

bool use_lamps(ViewState& state, bool is_over_picture) {
    LampState& kept = state.panels.lamps;
    const bool is_asked_for = std::exchange(kept.is_panel_seen, false);
    if (!state.session.document.is_open() ||
        (!is_asked_for && family_of(state.selection.path) != "lights")) {
        kept.gizmo.release();
        kept.size.reset();
        return false;
    }
    const GizmoView view = view_of(state.session, state.sight);
    // Keep the scene of this frame's start, since edits below replace it.
    const std::shared_ptr<const scene::Scene> scene = state.session.document.shared_scene();
    const std::vector<Lamp> lamps = seen_lamps(state.session, state.selection, state.motion, view);
    for (const Lamp& lamp : lamps) {
        draw_sign(state.session, state.ui, view, lamp);
    }
    const auto selected =
        std::find_if(lamps.begin(), lamps.end(), [](const Lamp& lamp) { return lamp.is_selected; });
    if (selected == lamps.end()) {
        kept.gizmo.release();
        kept.size.reset();
    } else {
        const bool is_free = is_over_picture && !kept.gizmo.is_held();
        const bool is_size = use_sizes(state, view, *selected, is_free);
        if (use_handles(state, view, *selected, is_over_picture && !is_size) || is_size) {
            return true;
        }
    }
    const Lamp* const under =
        is_over_picture ? lamp_under(lamps, ImGui::GetIO().MousePos) : nullptr;
    if (under != nullptr && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        state.selection = {};
        state.selection.path = under->path;
        state.ui.say_while(shown_name(under->path),
                           [&state, path = under->path] { return state.selection.path == path; });
    }
    return under != nullptr;
}

}  // namespace weft::app
