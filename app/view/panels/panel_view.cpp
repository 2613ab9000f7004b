// panel_view.cpp — how the picture is shown: display, exposure, view transform, layer, false
// colours; and the section planes.
//
// Interface thread.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include <imgui.h>

#include "app/view/models/view_camera.h"
#include "app/view/panels/panel_fields.h"
#include "app/view/panels/panel_rows.h"
#include "app/view/panels/panels.h"
#include "app/view/session/camera_motion.h"
#include "app/view/session/render_link.h"
#include "app/view/session/send_edit.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/session/view_scene.h"
#include "engine/film/light_groups.h"
#include "engine/live/layer_colours.h"
#include "engine/scene/edit/edit_value.h"

namespace weft::app {

namespace {

constexpr std::array kLightParts = {film::Aov::Direct,
                                    film::Aov::Indirect,
                                    film::Aov::Emission,
                                    film::Aov::Diffuse,
                                    film::Aov::Specular,
                                    film::Aov::Transmission};

// The name of a layer in the list, of a light group by its name; none: the beauty.
std::string layer_title(const RenderLink& link, std::optional<film::Aov> layer) {
    if (layer && film::is_light_group(*layer)) {
        const auto group = static_cast<u32>(*layer) - static_cast<u32>(film::Aov::Light0);
        return film::light_layer_names(link.settings.light_groups)[group];
    }
    return layer ? film::aov_name(*layer) : "Beauty";
}

// One entry of the list.
void draw_layer_choice(RenderLink& link, Ui& ui, std::optional<film::Aov> layer) {
    const std::string title = layer_title(link, layer);
    if (ImGui::Selectable(title.c_str(), link.view.layer == layer)) {
        link.view.layer = layer;
        link.effect |= scene::kEffectView;
    }
    ui.marks.mark("View/Layer " + title);
}

// Draws the scale of the false colours.
void draw_scale(RenderLink& link, Ui& ui, const std::array<float, 2>& range) {
    constexpr int kSteps = 48;
    begin_row("");
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const ImVec2 size(ImGui::GetContentRegionAvail().x - reset_width() - 2,
                      ImGui::GetFrameHeight());
    for (int k = 0; k < kSteps; ++k) {
        const auto colour = live::false_colour((static_cast<float>(k) + 0.5F) / kSteps);
        const float x = low.x + size.x * static_cast<float>(k) / kSteps;
        ImGui::GetWindowDrawList()->AddRectFilled(
            {x, low.y},
            {x + size.x / kSteps + 1, low.y + size.y},
            ImGui::ColorConvertFloat4ToU32({colour[0], colour[1], colour[2], 1}));
    }
    ImGui::Dummy(size);
    ui.marks.mark("View/Scale");
    begin_row("");
    const char* const unit = link.view.layer == film::Aov::Depth                        ? " m"
                             : !link.view.layer || film::is_light_aov(*link.view.layer) ? " cd/m²"
                                                                                        : "";
    const std::string most = fmt::format("{:.3g}{}", range[1], unit);
    ImGui::TextDisabled("%.3g", static_cast<double>(range[0]));
    ImGui::SameLine(low.x - ImGui::GetWindowPos().x + size.x - ImGui::CalcTextSize(most.c_str()).x);
    ImGui::TextDisabled("%s", most.c_str());
    ui.marks.mark(fmt::format("View/Scale {:.3g} to {}", range[0], most));
}

void draw_display(Session& session, RenderLink& link, Ui& ui) {
    begin_row(
        "Display",
        "rendered: with light. solid: the colours of materials under a lamp at the camera, at "
        "once, for placing things. wireframe: with the edges of triangles over it.");
    const auto now = static_cast<std::size_t>(link.view.display);
    const std::size_t chosen = choice_buttons(ui, "View", kDisplayNames, now);
    if (chosen != now) {
        show_display(session, link, static_cast<live::LiveDisplay>(chosen));
    }
}

void draw_pixels(Session& session, Ui& ui) {
    begin_row("Pixels",
              "How many are rendered. frame: those of the frame, which saved pictures have. 1 : 1: "
              "as many as the window shows. 1 : 2, 1 : 4: half and a quarter of them to a side, so "
              "that pictures come 4 and 16 times as fast.");
    u32& side = session.remembered.pixel_side;
    const auto now = static_cast<std::size_t>(
        std::find(kPixelSides.begin(), kPixelSides.end(), side) - kPixelSides.begin());
    side = kPixelSides[choice_buttons(ui, "View", kPixelSideNames, now)];
}

void draw_denoise(RenderLink& link, Ui& ui) {
    begin_row("Denoise",
              "Takes the noise out of the picture that is shown. Files keep it. fast: of each "
              "picture, at once. quality: the same, and by the quality filter of weft denoise once "
              "nothing moves.");
    const auto now = static_cast<std::size_t>(link.view.denoise);
    const std::size_t chosen = choice_buttons(ui, "View", kDenoiseNames, now);
    if (chosen != now) {
        show_denoised(link, static_cast<live::LiveDenoise>(chosen));
    }
    mark_row(ui, "View", "Denoise");
}

void draw_layer(Session& session, RenderLink& link, Ui& ui) {
    const int flags = begin_choice(
        "Layer",
        "What the picture shows. Beauty: its light. Others: what the first surface is, its colour, "
        "the way it faces, where it is (metres), how far away (metres), which object; the noise "
        "that is left in blocks of pixels, 0.1 a preview, 0.01 clean; and parts of the light, and "
        "the groups of --light-groups, which start the picture anew.",
        "transmission");
    if (ImGui::BeginCombo("##layer",
                          layer_title(link, link.view.layer).c_str(),
                          flags | ImGuiComboFlags_HeightLargest)) {
        draw_layer_choice(link, ui, std::nullopt);
        for (const film::Aov layer : film::kSurfaceAovs) {
            draw_layer_choice(link, ui, layer);
        }
        draw_layer_choice(link, ui, film::Aov::Noise);
        for (const film::Aov part : kLightParts) {
            draw_layer_choice(link, ui, part);
        }
        for (const film::Aov group : film::light_layers(link.settings.light_groups)) {
            draw_layer_choice(link, ui, group);
        }
        ImGui::EndCombo();
    }
    mark_row(ui, "View", "Layer");
    end_numbers();
    draw_denoise(link, ui);
    begin_row(
        "False colours",
        "Shows brightness, or the number of the layer, as a scale of colours from dark blue to "
        "white; the scale stands below.");
    if (ImGui::Checkbox("##false", &link.view.has_false_colours)) {
        link.effect |= scene::kEffectView;
    }
    mark_row(ui, "View", "False colours");
    if (const auto range = live::false_colour_range(shown_view(link, session.document))) {
        draw_scale(link, ui, *range);
    }
}

using Plane = std::array<float, 4>;

std::vector<Plane> planes_of(const Session& session) {
    std::vector<Plane> planes;
    for (const shaders::ClipPlane& plane : session.document.context().clip_planes) {
        planes.push_back({plane.normal[0], plane.normal[1], plane.normal[2], plane.offset});
    }
    return planes;
}

void send_planes(Session& session, Ui& ui, const std::vector<Plane>& planes) {
    std::string text;
    for (const Plane& plane : planes) {
        text += (text.empty() ? "" : ", ") + scene::edits::floats_text(plane);
    }
    send_edit(session, ui, "view/clip_planes", "[" + text + "]");
}

// A plane through the camera's pivot, perpendicular to an axis, that cuts away the camera's side.
Plane new_plane(const Session& session, const CameraMotion& motion, u32 axis) {
    const scene::Camera& camera = session.document.context().camera;
    const Vec3 at = point_ahead(camera, motion.pivot_m);
    const float side = eye_of(camera)[axis] > at[axis] ? -1.0F : 1.0F;
    Plane plane{};
    plane[axis] = side;
    plane[3] = -side * at[axis];
    return plane;
}

void draw_plane(Session& session, Ui& ui, std::vector<Plane>& planes, std::size_t index) {
    Plane& plane = planes[index];
    const std::string title = "Plane " + std::to_string(index + 1);
    ImGui::PushID(static_cast<int>(index));
    const bool fits = begin_numbers(title + " normal",
                                    "The side that stays, as x, y and z, each -1 to 1: what lies "
                                    "against this direction is cut away.",
                                    3,
                                    "-0.88");
    bool is_changed = drag_numbers({plane.data(), 3}, 0.01F, -1, 1, "%.2f", fits);
    end_numbers();
    mark_row(ui, "Section", title + " normal");
    begin_row(
        "distance",
        "How far the plane is moved against its normal from the origin of the scene, in metres.");
    const NumberLook look = look_of_places(session);
    is_changed =
        ImGui::DragFloat("##offset", &plane[3], look.speed, 0, 0, look.format(" m").c_str()) ||
        is_changed;
    mark_row(ui, "Section", title + " distance");
    const bool has_length = plane[0] != 0 || plane[1] != 0 || plane[2] != 0;
    if (is_changed && has_length) {
        send_planes(session, ui, planes);
    }
    end_drag(session);
    ImGui::SameLine(0, 2);
    if (sign_button("turn", "↔", "Cut the other side away")) {
        std::transform(
            plane.begin(), plane.end(), plane.begin(), [](float value) { return -value; });
        send_planes(session, ui, planes);
        session.dragged.clear();
    }
    ImGui::PopID();
}

}  // namespace

void draw_view_panel(Session& session, RenderLink& link, Ui& ui) {
    for (const scene::EditField& field :
         scene::editable_fields(session.document.scene(), session.document.context(), "view")) {
        const bool is_of_section =
            field.kind == scene::EditKind::PlaneList || field_name(field) == "clip_cap";
        if (!is_of_section) {
            draw_field(session, ui, "View", field);
        }
    }
    draw_layer(session, link, ui);
    draw_display(session, link, ui);
    draw_pixels(session, ui);
}

void draw_section(Session& session, const CameraMotion& motion, Ui& ui) {
    std::vector<Plane> planes = planes_of(session);
    for (std::size_t index = 0; index < planes.size(); ++index) {
        draw_plane(session, ui, planes, index);
    }
    if (planes.size() < shaders::kMaxClipPlanes) {
        constexpr std::array<const char*, 3> kTitles = {"+ across X", "+ across Y", "+ across Z"};
        for (u32 axis = 0; axis < 3; ++axis) {
            if (axis > 0) {
                same_line_if_fits(ImGui::CalcTextSize(kTitles[axis]).x +
                                  2 * ImGui::GetStyle().FramePadding.x);
            }
            if (ImGui::Button(kTitles[axis])) {
                planes.push_back(new_plane(session, motion, axis));
                send_planes(session, ui, planes);
                session.dragged.clear();
            }
            ui.marks.mark(std::string("Section/") + kTitles[axis]);
        }
    }
    if (!planes.empty()) {
        begin_row("Closed", "Solids that the planes cut show a face instead of their inside");
        bool is_closed = session.document.context().has_clip_cap;
        if (ImGui::Checkbox("##closed", &is_closed)) {
            send_edit(session, ui, "view/clip_cap", is_closed ? "true" : "false");
            session.dragged.clear();
        }
        mark_row(ui, "Section", "Closed");
        if (ImGui::Button("Remove the last")) {
            planes.pop_back();
            send_planes(session, ui, planes);
            session.dragged.clear();
        }
        ui.marks.mark("Section/Remove the last");
    }
}

}  // namespace weft::app
