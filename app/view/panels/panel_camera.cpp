// panel_camera.cpp — the camera of the render: lens, focus, projection, bookmarks.
//
// Interface thread.
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/view/models/view_camera.h"
#include "app/view/panels/panel_fields.h"
#include "app/view/panels/panel_rows.h"
#include "app/view/panels/panels.h"
#include "app/view/session/selection.h"
#include "app/view/session/send_edit.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/session/view_cameras.h"
#include "app/view/window/number_bar.h"

namespace weft::app {

namespace {

constexpr float kSensorHeight_mm = 24;  // of 35 mm film, to which quoted focal lengths refer

float focal_length_mm(float yfov_rad) {
    return kSensorHeight_mm / 2 / std::tan(yfov_rad / 2);
}

// The lens in photographers' terms: focal length and f-number.
void draw_lens(Session& session, Ui& ui) {
    const scene::Camera& camera = session.document.context().camera;
    float focal_mm = focal_length_mm(camera.yfov_rad);
    begin_numbers(
        "Focal length",
        "The lens by its focal length on film of 36 × 24 mm, 10 to 300 mm: 24 is wide, 50 "
        "as the eye sees, 135 brings far things near. It sets the field of view.",
        1,
        "888 mm");
    if (bar_number("##focal", focal_mm, {10, 300, "%.0f mm", true})) {
        const float yfov_rad = 2 * std::atan(kSensorHeight_mm / 2 / std::max(focal_mm, 1.0F));
        send_edit(session,
                  ui,
                  "camera/yfov_deg",
                  nlohmann::json(yfov_rad * 180 / std::numbers::pi_v<float>).dump());
    }
    end_numbers();
    mark_row(ui, "Camera", "Focal length");
    end_drag(session);
    const float diameter_mm = 2000 * camera.lens_radius_m;
    float f_number = diameter_mm > 0 ? focal_mm / diameter_mm : 64;
    begin_numbers(
        "Aperture",
        "Opening of the lens as an f-number, f/0.7 to f/64: the smaller the number, the more is "
        "blurred in front of and behind the distance in focus. At the right end the lens is "
        "a pinhole, and all is sharp.",
        1,
        "pinhole");
    const char* const format = diameter_mm > 0 ? "f/%.1f" : "pinhole";
    if (bar_number("##stop", f_number, {0.7F, 64, format, true})) {
        const float radius_m = f_number >= 63.9F ? 0 : focal_mm / std::max(f_number, 0.1F) / 2000;
        send_edit(session, ui, "camera/lens_radius_m", nlohmann::json(radius_m).dump());
    }
    end_numbers();
    mark_row(ui, "Camera", "Aperture");
    end_drag(session);
}

void draw_places(Session& session, Ui& ui, CameraMotion& motion) {
    const std::vector<scene::Camera>& cameras = session.document.scene().cameras;
    if (!cameras.empty()) {
        ImGui::Spacing();
        ImGui::TextDisabled("Cameras of the file");
    }
    for (std::size_t k = 0; k < cameras.size(); ++k) {
        const std::string title =
            cameras[k].name.empty() ? "Camera " + std::to_string(k + 1) : cameras[k].name;
        ImGui::PushID(static_cast<int>(k));
        if (ImGui::Selectable(title.c_str(), is_same_view(cameras[k], session.camera()))) {
            go_to_camera(session, ui, motion, cameras[k]);
        }
        ImGui::PopID();
        ui.marks.mark("Camera/" + title);
    }
}

// Shows a field for the bookmark's name after a right click; Enter closes it.
void draw_name(Ui& ui, Bookmark& bookmark) {
    if (ImGui::BeginPopupContextItem("name")) {
        if (ImGui::IsWindowAppearing()) {
            ImGui::SetKeyboardFocusHere();
            ui.keyboard.await_text();
        }
        const ImGuiInputTextFlags flags =
            ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_EnterReturnsTrue;
        if (ImGui::InputText("##name", &bookmark.name, flags)) {
            ImGui::CloseCurrentPopup();
        }
        ui.marks.mark("Camera/Bookmark name");
        ImGui::EndPopup();
    } else if (ImGui::IsItemHovered()) {
        ImGui::SetTooltip("A click goes there; the right button changes the name");
    }
}

void draw_bookmarks(Session& session, const Selection& selection, CameraMotion& motion, Ui& ui) {
    std::vector<Bookmark>& bookmarks = bookmarks_of(session);
    ImGui::Spacing();
    ImGui::TextDisabled("Bookmarks");
    ImGui::SameLine();
    if (ImGui::SmallButton("+ this view")) {
        add_bookmark(session, selection, ui);
    }
    ui.marks.mark("Camera/Add bookmark");
    std::size_t removed = bookmarks.size();
    for (std::size_t k = 0; k < bookmarks.size(); ++k) {
        ImGui::PushID(static_cast<int>(k) + 10000);
        const float width = ImGui::GetContentRegionAvail().x - reset_width() - 8;
        const auto camera = camera_of(bookmarks[k], session.camera());
        const bool is_here = camera && is_same_view(*camera, session.camera());
        if (ImGui::Selectable(bookmarks[k].name.c_str(), is_here, 0, ImVec2(width, 0))) {
            go_to_bookmark(session, selection, ui, motion, k);
        }
        ui.marks.mark("Camera/" + bookmarks[k].name);
        draw_name(ui, bookmarks[k]);
        ImGui::SameLine();
        if (ImGui::SmallButton("×")) {
            removed = k;
        }
        ui.marks.mark("Camera/Remove " + bookmarks[k].name);
        ImGui::PopID();
    }
    ImGui::Spacing();
    if (removed < bookmarks.size()) {
        bookmarks.erase(bookmarks.begin() + static_cast<std::ptrdiff_t>(removed));
    }
}

bool is_shown(const scene::Camera& camera, std::string_view field) {
    if (field == "to_world" || field == "xmag" || field == "aspect" || field == "pixel_aspect") {
        return false;
    }
    if (field == "ymag") {
        return camera.is_orthographic;
    }
    return field != "yfov_deg" || !camera.is_orthographic;
}

}  // namespace

void draw_camera(Session& session, const Selection& selection, CameraMotion& motion, Ui& ui) {
    const scene::Camera& camera = session.document.context().camera;
    if (!camera.is_orthographic) {
        draw_lens(session, ui);
    }
    for (const scene::EditField& field :
         scene::editable_fields(session.document.scene(), session.document.context(), "camera")) {
        if (is_shown(camera, field_name(field))) {
            draw_field(session, ui, "Camera", field);
        }
    }
    if (ImGui::Button("Focus by a click")) {
        begin_focus(ui, motion);
    }
    ui.marks.mark("Camera/Focus by a click");
    draw_places(session, ui, motion);
    draw_bookmarks(session, selection, motion, ui);
}

}  // namespace weft::app
