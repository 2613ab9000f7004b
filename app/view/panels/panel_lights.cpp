// panel_lights.cpp — the lights of the scene: list, add, duplicate, delete; colour, power, size,
// angles.
//
// Emissive triangles are materials; the environment has its own panel. Interface thread.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <imgui.h>

#include "app/view/models/object_name.h"
#include "app/view/models/placement.h"
#include "app/view/models/view_camera.h"
#include "app/view/panels/panel_fields.h"
#include "app/view/panels/panel_rows.h"
#include "app/view/panels/panels.h"
#include "app/view/session/camera_motion.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/selection.h"
#include "app/view/session/send_edit.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "engine/scene/edit/edit_path.h"
#include "shaders/host/scalar_math.h"

namespace weft::app {

namespace {

using Json = nlohmann::json;

constexpr std::array<const char*, 3> kKinds = {"point", "spot", "directional"};
constexpr std::array<const char*, 3> kKindTitles = {"Point", "Spot", "Sun"};

float two_digits(float value) {
    return std::stof(fmt::format("{:.2g}", value));
}

// Places a new light between the camera and its pivot, a little above: it is visible at once, and
// inside a room.
void add_light(
    Session& session, Selection& selection, const CameraMotion& motion, Ui& ui, std::size_t kind) {
    const scene::Camera& camera = session.document.context().camera;
    const Vec3 seen = point_ahead(camera, motion.pivot_m);
    const Vec3 at =
        point_ahead(camera, motion.pivot_m * 0.75F) + Vec3{0, motion.pivot_m * 0.15F, 0};
    const Vec3 way = seen - at;
    // Choose the power such that a white diffuse surface there appears white at the present
    // exposure.
    const float lux =
        static_cast<float>(shaders::kPi) * std::exp2(-session.document.context().exposure_stops);
    const float power = two_digits(kind == 2 ? lux : lux * dot(way, way));
    Json light = {{"kind", kKinds[kind]}, {"intensity", {power, power, power}}};
    if (kind != 2) {
        light["position"] = {at.x, at.y, at.z};
    }
    if (kind != 0) {
        const Vec3 towards = kind == 1 ? math::normalize(way) : Vec3{0, -1, 0};
        light["direction"] = {towards.x, towards.y, towards.z};
    }
    if (kind == 1) {
        light["inner_deg"] = 25;
        light["outer_deg"] = 35;
    }
    const std::string name = free_light_name(session.document.scene(), kKindTitles[kind]);
    add_object(session, selection, ui, scene::edits::object_path("lights", name, 1), light.dump());
}

void draw_add_buttons(Session& session, Selection& selection, const CameraMotion& motion, Ui& ui) {
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
        const std::string label = std::string("+ ") + kKindTitles[kind];
        if (kind > 0) {
            same_line_if_fits(ImGui::CalcTextSize(label.c_str()).x +
                              2 * ImGui::GetStyle().FramePadding.x);
        }
        if (ImGui::Button(label.c_str())) {
            add_light(session, selection, motion, ui, kind);
        }
        ui.marks.mark(std::string("Lights/Add ") + kKindTitles[kind]);
    }
}

const char* kind_title(shaders::LightKind kind) {
    return kKindTitles[std::min<std::size_t>(static_cast<std::size_t>(kind), 2)];
}

void draw_eye(Session& session, Ui& ui, const std::string& path, const scene::Light& light) {
    const bool is_on = is_light_on(session, light);
    if (eye_button("eye", is_on)) {
        session.dragged.clear();
        send_edit(session, ui, path + "/visible", is_on ? "false" : "true");
        session.dragged.clear();
    }
    ui.marks.mark("Lights/Eye " + shown_name(path));
    ImGui::SameLine(0, 4);
}

void draw_list(Session& session,
               Selection& selection,
               Ui& ui,
               const std::vector<std::string>& paths) {
    const std::vector<scene::Light>& lights = session.document.scene().lights;
    const auto rows = static_cast<float>(std::clamp<std::size_t>(paths.size(), 1, 8));
    const float frame = 2 * ImGui::GetStyle().WindowPadding.y;
    ImGui::BeginChild(
        "lights", ImVec2(0, rows * ImGui::GetTextLineHeightWithSpacing() + frame), true);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(paths.size()));
    while (clipper.Step()) {
        for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k) {
            const auto index = static_cast<std::size_t>(k);
            const std::string& given = lights[index].given_name;
            const std::string name = given.empty() ? shown_name(paths[index]) : given;
            ImGui::PushID(k);
            draw_eye(session, ui, paths[index], lights[index]);
            if (ImGui::Selectable(name.c_str(), selection.path == paths[index])) {
                selection = {};
                selection.path = paths[index];
            }
            ImGui::PopID();
            ui.marks.mark("Lights/" + name);
            const char* const kind = kind_title(lights[index].kind);
            ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - ImGui::CalcTextSize(kind).x);
            ImGui::TextDisabled("%s", kind);
        }
    }
    clipper.End();
    ImGui::EndChild();
}

// Whether a field applies to this kind of light.
bool has_field(shaders::LightKind kind, std::string_view field) {
    const bool is_spot = kind == shaders::LightKind::Spot;
    if (field == "position" || field == "radius_m") {
        return kind != shaders::LightKind::Directional;
    }
    if (field == "angle_deg") {
        return kind == shaders::LightKind::Directional;
    }
    if (field == "direction") {
        return kind != shaders::LightKind::Point;
    }
    if (field == "name") {
        return false;  // the outliner renames
    }
    return (field != "inner_deg" && field != "outer_deg") || is_spot;
}

void draw_selected(Session& session,
                   Selection& selection,
                   Ui& ui,
                   const std::vector<std::string>& paths) {
    const auto found = std::find(paths.begin(), paths.end(), selection.path);
    if (found == paths.end()) {
        return;
    }
    const std::string path = *found;
    if (ImGui::Button("Duplicate")) {
        duplicate_light(session, selection, ui);
        return;
    }
    ui.marks.mark("Lights/Duplicate");
    ImGui::SameLine();
    if (ImGui::Button("Delete")) {
        delete_selected(session, selection, ui);
        return;
    }
    ui.marks.mark("Lights/Delete");
    const auto index = static_cast<std::size_t>(found - paths.begin());
    const shaders::LightKind kind = session.document.scene().lights[index].kind;
    const bool is_sun = kind == shaders::LightKind::Directional;
    for (scene::EditField field :
         scene::editable_fields(session.document.scene(), session.document.context(), path)) {
        if (has_field(kind, field_name(field))) {
            if (field_name(field) == "intensity") {
                field.unit = is_sun ? "lx" : "cd";
            }
            draw_field(session, ui, "Lights", field);
        }
    }
}

}  // namespace

void draw_lights(Session& session, Selection& selection, const CameraMotion& motion, Ui& ui) {
    draw_add_buttons(session, selection, motion, ui);
    const std::vector<std::string> paths = scene::object_paths(session.document.scene(), "lights");
    if (paths.empty()) {
        faint_text(
            "The scene has no lights; it is lit by its environment and by what glows in it.");
        return;
    }
    draw_list(session, selection, ui, paths);
    draw_selected(session, selection, ui, paths);
}

}  // namespace weft::app
