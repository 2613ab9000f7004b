#include "app/view/handles/light_handles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>

#include <imgui.h>

#include "app/view/handles/gizmo_drawing.h"
#include "app/view/models/gizmo.h"
#include "app/view/models/light_sizes.h"
#include "app/view/models/object_name.h"
#include "app/view/models/view_camera.h"
#include "app/view/session/camera_motion.h"
#include "app/view/session/multi_selection.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/picture_sight.h"
#include "app/view/session/selection.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/window/theme.h"
#include "engine/scene/edit/edit.h"
#include "engine/scene/edit/edit_value.h"

namespace weft::app {

struct SeenLight {
    const scene::Light* light = nullptr;
    std::string path;
    Vec3 at{};  // the light's place; for a sun, the camera's pivot
    std::optional<ScreenPoint> sign;
    bool is_selected = false;
};

namespace {

using shaders::LightKind;

constexpr float kSign = 7;  // radius of a light's sign, and of its click area, at scale 1
constexpr u32 kRays = 8;
constexpr ImU32 kLightColour = IM_COL32(255, 214, 130, 255);
constexpr ImU32 kSelectedColour = IM_COL32(255, 170, 60, 255);
constexpr ImU32 kOffColour = IM_COL32(150, 150, 150, 160);
constexpr ImU32 kShadow = IM_COL32(0, 0, 0, 130);

GizmoView view_of(const Session& session, const PictureSight& sight) {
    return {session.document.context().camera,
            {sight.place.x, sight.place.y},
            sight.place.width,
            sight.place.height,
            interface_scale()};
}

// The visible lights. A sun has no place, so it shows only while it is selected.
std::vector<SeenLight> seen_lights(const Session& session,
                                   const Selection& selection,
                                   const CameraMotion& motion,
                                   const GizmoView& view) {
    const scene::Scene& scene = session.document.scene();
    const std::vector<std::string> paths = scene::object_paths(scene, "lights");
    std::vector<SeenLight> lights;
    for (std::size_t k = 0; k < paths.size(); ++k) {
        const scene::Light& light = scene.lights[k];
        const bool is_selected = app::is_selected(selection, paths[k]);
        const bool is_sun = light.kind == LightKind::Directional;
        if (is_sun && !is_selected) {
            continue;
        }
        const Vec3 at = is_sun ? point_ahead(view.camera, motion.pivot_m) : light.position;
        lights.push_back({&light, paths[k], at, project(view, at), is_selected});
    }
    return lights;
}

void draw_line(const ScreenPoint& from, const ScreenPoint& to, ImU32 colour) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float scale = interface_scale();
    list.AddLine({from.x, from.y}, {to.x, to.y}, kShadow, 3.5F * scale);
    list.AddLine({from.x, from.y}, {to.x, to.y}, colour, 1.5F * scale);
}

// Draws a circle with rays; spots and suns also get a line along their direction.
void draw_sign(const Session& session, Ui& ui, const GizmoView& view, const SeenLight& light) {
    if (!light.sign) {
        return;
    }
    const ScreenPoint& at = *light.sign;
    const float sign = kSign * view.scale;
    const ImU32 colour = light.is_selected                    ? kSelectedColour
                         : is_light_on(session, *light.light) ? kLightColour
                                                              : kOffColour;
    if (light.light->kind != LightKind::Point) {
        const float away = length(light.at - eye_of(view.camera)) * 0.15F;
        if (const auto tip = project(view, light.at + light.light->direction * away)) {
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
    ui.marks.mark("Light/" + shown_name(light.path),
                  {{at.x - sign, at.y - sign}, {at.x + sign, at.y + sign}});
}

const SeenLight* light_under(const std::vector<SeenLight>& lights, const ImVec2& mouse) {
    const SeenLight* nearest = nullptr;
    float least = kSign * 1.5F * interface_scale();
    for (const SeenLight& light : lights) {
        if (light.sign) {
            const float away = std::hypot(mouse.x - light.sign->x, mouse.y - light.sign->y);
            if (away <= least) {
                least = away;
                nearest = &light;
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
math::Affine matrix_of(const SeenLight& light) {
    const Vec3 z = math::normalize(light.light->direction, {0, 0, -1});
    const Vec3 x = math::normalize(cross(std::abs(z.y) < 0.9F ? Vec3{0, 1, 0} : Vec3{1, 0, 0}, z));
    return math::from_columns(x, cross(z, x), z, light.at);
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

const char* find_size(const std::vector<LightSize>& sizes, const ScreenPoint& mouse) {
    const char* nearest = nullptr;
    float least = Gizmo::kGrab * interface_scale();
    for (const LightSize& size : sizes) {
        const float away = std::hypot(mouse.x - size.dot.x, mouse.y - size.dot.y);
        if (away <= least) {
            least = away;
            nearest = size.field;
        }
    }
    return nearest;
}

void draw_sizes(Ui& ui,
                const PictureSight& sight,
                const std::vector<LightSize>& sizes,
                const char* maybe_hot) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float dot = 5 * interface_scale();  // radius
    for (const LightSize& size : sizes) {
        const bool is_hot = maybe_hot != nullptr && std::string_view(maybe_hot) == size.field;
        const ImU32 colour = is_hot ? kSelectedColour : kLightColour;
        for (std::size_t k = 1; k < size.line.size(); ++k) {
            draw_line(size.line[k - 1], size.line[k], colour);
        }
        list.AddCircleFilled({size.dot.x, size.dot.y}, dot * 1.3F, kShadow);
        list.AddCircleFilled({size.dot.x, size.dot.y}, dot, colour);
        ui.marks.mark(std::string("Light/Size ") + size.field,
                      {{size.dot.x - dot, size.dot.y - dot}, {size.dot.x + dot, size.dot.y + dot}});
        if (is_hot) {
            tell_beside(ui,
                        sight,
                        size.dot,
                        fmt::format("{} {:.3g}{}", size.title, size.value, size.unit),
                        "Light/Size");
        }
    }
}

}  // namespace

void LightHandles::pull(const ScreenPoint& mouse) {
    const math::Affine matrix = gizmo.pulled(mouse, ImGui::GetIO().KeyCtrl);
    const bool turns = gizmo.tool == GizmoTool::Turn;
    const Vec3 value = turns ? math::normalize(math::column(matrix, 2)) : math::column(matrix, 3);
    const base::Status done =
        session_.document.edit({path_ + (turns ? "/direction" : "/position"),
                                scene::edits::floats_text(math::components(value))},
                               has_moved_);
    if (done.is_ok()) {
        has_moved_ = true;
    } else {
        ui_.say(done.error());
    }
}

// Draws the gizmo and reacts to the mouse. Returns the handle that is held or under the mouse.
std::optional<u32> LightHandles::use_gizmo(const GizmoView& view,
                                           const SeenLight& light,
                                           GizmoTool tool,
                                           bool is_over_picture) {
    if (!gizmo.is_held()) {
        gizmo.tool = tool_for(light.light->kind, tool);
    }
    gizmo.place(view, matrix_of(light), light.at);
    const ImVec2 at = ImGui::GetIO().MousePos;
    const ScreenPoint mouse{at.x, at.y};
    if (gizmo.is_held()) {
        if (!ImGui::IsMouseDown(ImGuiMouseButton_Left) || path_ != light.path) {
            gizmo.release();
        } else if (is_pulled(gizmo, has_moved_)) {
            pull(mouse);
        }
    } else if (is_over_picture && ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
               gizmo.grab(mouse)) {
        path_ = light.path;
        has_moved_ = false;
    }
    const std::optional<u32> hot = gizmo.is_held()   ? gizmo.held_axis()
                                   : is_over_picture ? gizmo.handle_at(mouse)
                                                     : std::nullopt;
    draw_handles(gizmo, hot);
    if (gizmo.is_held() && has_moved_) {
        tell_beside(ui_, sight_, mouse, gizmo.readout(), "Light/Readout");
    }
    return hot;
}

void LightHandles::pull_size(const ScreenPoint& mouse) {
    const HeldSize& taken = *size_;
    const base::Status done = session_.document.edit(
        {path_ + "/" + taken.size.field,
         pulled_size(taken.view, taken.light, taken.at, taken.size, taken.mouse, mouse)},
        has_moved_);
    if (done.is_ok()) {
        has_moved_ = true;
    } else {
        ui_.say(done.error());
    }
}

// Draws the size handles and reacts to the mouse. True while one is held or under the mouse.
bool LightHandles::use_sizes(const GizmoView& view,
                             const SeenLight& light,
                             GizmoTool tool,
                             bool is_over_picture) {
    if (tool == GizmoTool::None) {
        size_.reset();
        return false;
    }
    const std::vector<LightSize> sizes = light_sizes(view, *light.light, light.at);
    const ImGuiIO& io = ImGui::GetIO();
    const ScreenPoint mouse{io.MousePos.x, io.MousePos.y};
    if (size_ && (!ImGui::IsMouseDown(ImGuiMouseButton_Left) || path_ != light.path)) {
        size_.reset();
    }
    const char* const maybe_hot = size_             ? size_->size.field
                                  : is_over_picture ? find_size(sizes, mouse)
                                                    : nullptr;
    draw_sizes(ui_, sight_, sizes, maybe_hot);
    if (size_ && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
        pull_size(mouse);
    } else if (!size_ && maybe_hot != nullptr && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        const auto taken = std::find_if(sizes.begin(), sizes.end(), [&](const LightSize& size) {
            return std::string_view(size.field) == maybe_hot;
        });
        size_ = HeldSize{*taken, view, *light.light, light.at, mouse};
        path_ = light.path;
        has_moved_ = false;
    }
    return maybe_hot != nullptr;
}

void LightHandles::release() {
    gizmo.release();
    size_.reset();
}

bool LightHandles::use(const CameraMotion& motion, GizmoTool tool, bool is_over_picture) {
    const bool are_signs_wanted = std::exchange(are_signs_wanted_, false);
    const std::vector<std::string> selected_paths = all_selected(selection_);
    const bool has_light =
        std::any_of(selected_paths.begin(), selected_paths.end(), [](const std::string& path) {
            return family_of(path) == "lights";
        });
    if (!session_.document.is_open() || (!are_signs_wanted && !has_light)) {
        release();
        return false;
    }
    const GizmoView view = view_of(session_, sight_);
    // Keep the scene of this frame's start, since edits below replace it.
    const std::shared_ptr<const scene::Scene> scene = session_.document.shared_scene();
    const std::vector<SeenLight> lights = seen_lights(session_, selection_, motion, view);
    for (const SeenLight& light : lights) {
        draw_sign(session_, ui_, view, light);
    }
    const auto selected = std::find_if(
        lights.begin(), lights.end(), [](const SeenLight& light) { return light.is_selected; });
    if (selected == lights.end() || !selection_.others.empty()) {
        release();
    } else {
        const bool is_free = is_over_picture && !gizmo.is_held();
        const bool is_size = use_sizes(view, *selected, tool, is_free);
        if (use_gizmo(view, *selected, tool, is_over_picture && !is_size) || is_size) {
            return true;
        }
    }
    const SeenLight* const under =
        is_over_picture ? light_under(lights, ImGui::GetIO().MousePos) : nullptr;
    if (under != nullptr && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        if (ImGui::GetIO().KeyShift) {
            toggle_selected(session_, selection_, under->path);
            return true;
        }
        selection_ = {};
        selection_.path = under->path;
        ui_.say_while(shown_name(under->path), [&selection = selection_, path = under->path] {
            return selection.path == path;
        });
    }
    return under != nullptr;
}

}  // namespace weft::app
