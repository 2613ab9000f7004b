#include "app/view/viewport/picture_press.h"

#include <cmath>
#include <fmt/format.h>

#include <GLFW/glfw3.h>

#include "app/view/models/view_camera.h"
#include "app/view/session/camera_motion.h"
#include "app/view/session/multi_selection.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/render_link.h"
#include "app/view/session/selection.h"
#include "app/view/session/send_edit.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/session/view_scene.h"
#include "app/view/viewport/picture_region.h"
#include "app/view/window/theme.h"
#include "engine/scene/edit/edit_value.h"

namespace weft::app {

namespace {

constexpr float kDragThreshold = 4;  // pixels; a shorter drag is a click

}  // namespace

bool PicturePress::is_turning() const {
    return is_dragged_ && pressed_ && !is_attending_ && motion_.tool == Tool::Orbit;
}

void PicturePress::begin(bool is_over) {
    const ImGuiIO& io = ImGui::GetIO();
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
        attend_to(link_, region_between(link_, sight_, *pressed_, io.MousePos));
    }
}

std::optional<ImVec2> PicturePress::end() {
    if (!pressed_ || ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
        return std::nullopt;
    }
    std::optional<ImVec2> clicked;
    if (is_attending_) {
        tell_attention();
    } else if (motion_.tool == Tool::Region && is_dragged_) {
        choose_region();
    } else if (motion_.tool == Tool::Box && is_dragged_) {
        box_ = region_between(link_, sight_, *pressed_, ImGui::GetIO().MousePos);
        motion_.tool = Tool::Orbit;
    } else if (!is_dragged_) {
        clicked = pressed_;
    }
    pressed_.reset();
    is_dragged_ = false;
    is_attending_ = false;
    return clicked;
}

void PicturePress::tell_attention() {
    const bool has_part = link_.attended.has_value();
    ui_.say_while(has_part ? "Refining this part first; Space and a click ends it"
                           : "Refining all parts alike",
                  [&link = link_, has_part] { return link.attended.has_value() == has_part; });
}

void PicturePress::choose_region() {
    const auto part = region_between(link_, sight_, *pressed_, ImGui::GetIO().MousePos);
    if (!part) {
        return;
    }
    link_.settings.crop = part;
    link_.effect |= scene::kEffectCamera;
    motion_.tool = Tool::Orbit;
    ui_.say_while(
        fmt::format("Rendering only the region of {} × {} pixels; Esc renders the whole picture",
                    part->width(),
                    part->height()),
        [&link = link_] { return link.settings.crop.has_value(); });
}

void PicturePress::draw() const {
    const bool draws = motion_.tool == Tool::Region || motion_.tool == Tool::Box;
    if (pressed_ && is_dragged_ && draws) {
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        ImDrawList& list = *ImGui::GetWindowDrawList();
        const ImVec4 inside{kAccent.x, kAccent.y, kAccent.z, 0.12F};
        list.AddRectFilled(*pressed_, mouse, ImGui::ColorConvertFloat4ToU32(inside));
        list.AddRect(*pressed_, mouse, ImGui::ColorConvertFloat4ToU32(kAccent));
    }
}

void select_surface(
    Session& session, Selection& selection, CameraMotion& motion, Ui& ui, const Surface& surface) {
    if (!surface) {
        selection = {};
        return;
    }
    // The picture may be older than the last edits; a cap represents the solid that it closes.
    const scene::Instance& instance = surface->scene->instances[surface->instance];
    select_path(session,
                selection,
                scene::node_path(*surface->scene, surface->instance),
                surface->instance);
    prefer_material(session, selection, instance.material);
    motion.pivot_m = depth_of(session.camera(), surface->position);
    say_of_view(ui,
                session,
                selection,
                fmt::format("{} · {} · {:.3g} m away",
                            instance.node,
                            surface->scene->materials[instance.material].name,
                            surface->distance_m));
}

void toggle_surface(Session& session, Selection& selection, const Surface& surface) {
    if (surface) {
        toggle_selected(session,
                        selection,
                        scene::node_path(*surface->scene, surface->instance),
                        surface->instance);
    }
}

void focus_on(Session& session, const Selection& selection, Ui& ui, const Surface& surface) {
    if (!surface) {
        ui.say("There is nothing to focus on");
        return;
    }
    const float focus_m = depth_of(session.camera(), surface->position);
    send_edit(session, ui, "camera/focus_m", scene::edits::floats_text({&focus_m, 1}));
    session.dragged.clear();
    say_of_view(ui,
                session,
                selection,
                fmt::format("In focus: {:.3g} m{}",
                            focus_m,
                            session.camera().lens_radius_m > 0 ? "" : " (the lens is a pinhole)"));
}

}  // namespace weft::app
