// panel_view.cpp — how the picture is shown: exposure, view transform, layer, false colours; and
// what of the scene is cut away.
//
// Interface thread.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include <imgui.h>

#include "app/view/panels/panel_fields.h"
#include "app/view/panels/panel_rows.h"
#include "app/view/panels/panels.h"
#include "app/view/session/send_edit.h"
#include "engine/live/layer_colours.h"
#include "engine/scene/edit/edit_value.h"

namespace weft::app {

namespace {

// One line of the list; an empty name is the beauty.
void draw_layer_choice(ViewState& state, const char* layer) {
    const char* const title = *layer == '\0' ? "Beauty" : layer;
    if (ImGui::Selectable(title, state.view.layer == layer)) {
        state.view.layer = layer;
        state.effect |= scene::kEffectView;
    }
    state.marks.mark(std::string("View/Layer ") + title);
}

// What the false colours stand for.
void draw_scale(ViewState& state, const std::array<float, 2>& range) {
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
    state.marks.mark("View/Scale");
    begin_row("");
    const char* const unit = state.view.layer == "depth" ? " m"
                             : state.view.layer.empty()  ? " cd/m²"
                                                         : "";
    const std::string most = fmt::format("{:.3g}{}", range[1], unit);
    ImGui::TextDisabled("%.3g", static_cast<double>(range[0]));
    ImGui::SameLine(low.x - ImGui::GetWindowPos().x + size.x - ImGui::CalcTextSize(most.c_str()).x);
    ImGui::TextDisabled("%s", most.c_str());
    state.marks.mark(fmt::format("View/Scale {:.3g} to {}", range[0], most));
}

void draw_layer(ViewState& state) {
    const int flags = begin_choice(
        "Layer",
        "What the picture shows. Beauty: its light. Others: what the first surface is, its colour, "
        "the way it faces, where it is (metres), how far away (metres), which object.",
        "position");
    const char* const shown = state.view.layer.empty() ? "Beauty" : state.view.layer.c_str();
    if (ImGui::BeginCombo("##layer", shown, flags)) {
        draw_layer_choice(state, "");
        for (const char* const layer : live::kLayers) {
            draw_layer_choice(state, layer);
        }
        ImGui::EndCombo();
    }
    mark_row(state, "View", "Layer");
    end_numbers();
    begin_row(
        "False colours",
        "Shows brightness, or the number of the layer, as a scale of colours from dark blue to "
        "white; the scale stands below.");
    if (ImGui::Checkbox("##false", &state.view.has_false_colours)) {
        state.effect |= scene::kEffectView;
    }
    mark_row(state, "View", "False colours");
    if (const auto range = live::false_colour_range(state.shown_view())) {
        draw_scale(state, *range);
    }
}

using Plane = std::array<float, 4>;

std::vector<Plane> planes_of(const ViewState& state) {
    std::vector<Plane> planes;
    for (const shaders::ClipPlane& plane : state.document.context().clip_planes) {
        planes.push_back({plane.normal[0], plane.normal[1], plane.normal[2], plane.offset});
    }
    return planes;
}

void send_planes(ViewState& state, const std::vector<Plane>& planes) {
    std::string text;
    for (const Plane& plane : planes) {
        text += (text.empty() ? "" : ", ") + scene::edits::floats_text(plane);
    }
    send_edit(state, "view/clip_planes", "[" + text + "]");
}

// A plane through the point that the camera turns about, cutting away what is on the camera's side
// of one of the axes.
Plane new_plane(const ViewState& state, u32 axis) {
    const scene::Camera& camera = state.document.context().camera;
    const Vec3 at = point_ahead(camera, state.pivot_m);
    const float side = eye_of(camera)[axis] > at[axis] ? -1.0F : 1.0F;
    Plane plane{};
    plane[axis] = side;
    plane[3] = -side * at[axis];
    return plane;
}

void draw_plane(ViewState& state, std::vector<Plane>& planes, std::size_t index) {
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
    mark_row(state, "Section", title + " normal");
    begin_row(
        "distance",
        "How far the plane is moved against its normal from the origin of the scene, in metres.");
    const NumberLook look = look_of_places(state);
    is_changed =
        ImGui::DragFloat("##offset", &plane[3], look.speed, 0, 0, look.format(" m").c_str()) ||
        is_changed;
    mark_row(state, "Section", title + " distance");
    const bool has_length = plane[0] != 0 || plane[1] != 0 || plane[2] != 0;
    if (is_changed && has_length) {
        send_planes(state, planes);
    }
    end_drag(state);
    ImGui::SameLine(0, 2);
    if (sign_button("turn", "↔", "Cut the other side away")) {
        std::transform(
            plane.begin(), plane.end(), plane.begin(), [](float value) { return -value; });
        send_planes(state, planes);
        state.panels.dragged.clear();
    }
    ImGui::PopID();
}

}  // namespace

void draw_view_panel(ViewState& state) {
    for (const scene::EditField& field :
         scene::editable_fields(state.document.scene(), state.document.context(), "view")) {
        const bool is_of_section =
            field.kind == scene::EditKind::PlaneList || field_name(field) == "clip_cap";
        if (!is_of_section) {
            draw_field(state, "View", field);
        }
    }
    draw_layer(state);
}

void draw_section(ViewState& state) {
    std::vector<Plane> planes = planes_of(state);
    for (std::size_t index = 0; index < planes.size(); ++index) {
        draw_plane(state, planes, index);
    }
    if (planes.size() < shaders::kMaxClipPlanes) {
        constexpr std::array<const char*, 3> kTitles = {"+ across X", "+ across Y", "+ across Z"};
        for (u32 axis = 0; axis < 3; ++axis) {
            if (axis > 0) {
                same_line_if_fits(ImGui::CalcTextSize(kTitles[axis]).x +
                                  2 * ImGui::GetStyle().FramePadding.x);
            }
            if (ImGui::Button(kTitles[axis])) {
                planes.push_back(new_plane(state, axis));
                send_planes(state, planes);
                state.panels.dragged.clear();
            }
            state.marks.mark(std::string("Section/") + kTitles[axis]);
        }
    }
    if (!planes.empty()) {
        begin_row("Closed", "Solids that the planes cut show a face instead of their inside");
        bool is_closed = state.document.context().has_clip_cap;
        if (ImGui::Checkbox("##closed", &is_closed)) {
            send_edit(state, "view/clip_cap", is_closed ? "true" : "false");
            state.panels.dragged.clear();
        }
        mark_row(state, "Section", "Closed");
        if (ImGui::Button("Remove the last")) {
            planes.pop_back();
            send_planes(state, planes);
            state.panels.dragged.clear();
        }
        state.marks.mark("Section/Remove the last");
    }
}

}  // namespace weft::app
