// panel_transform.cpp — the transform of the selected node in numbers, and the choice of handles.
//
// Interface thread.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <imgui.h>

#include "app/view/handles/gizmo_drawing.h"
#include "app/view/panels/panel_fields.h"
#include "app/view/panels/panel_rows.h"
#include "app/view/panels/panels.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/send_edit.h"
#include "engine/scene/edit/edit_value.h"

namespace weft::app {

namespace {

float largest(const Vec3& values) {
    return std::max({std::abs(values[0]), std::abs(values[1]), std::abs(values[2])});
}

bool numbers_row(Ui& ui, const char* label, const char* tip, Vec3& values, const NumberLook& look) {
    ImGui::PushID(label);
    const bool fits = begin_numbers(label, tip, 3, look.widest().c_str());
    take_keyboard(ui);
    const bool is_changed = drag_numbers(values, look.speed, 0, 0, look.format().c_str(), fits);
    end_numbers();
    mark_row(ui, "Transform", label);
    ImGui::PopID();
    return is_changed;
}

// The numbers as typed or dragged, while the node has their matrix; else the nearest equivalent
// ones.
ShownPlacement& shown_placement(TransformState& transform, const SelectedNode& node) {
    const auto [at, is_new] = transform.shown.try_emplace(node.path);
    ShownPlacement& shown = at->second;
    if (is_new) {
        shown = {node.matrix, placement_of(node.matrix)};
    } else if (shown.matrix != node.matrix) {
        shown = {node.matrix, placement_near(node.matrix, shown.placement.angles_deg)};
    }
    return shown;
}

void draw_tools(Ui& ui, GizmoState& gizmo) {
    constexpr std::array<const char*, 4> kTitles = {"None", "Move", "Rotate", "Scale"};
    constexpr std::array<GizmoTool, 4> kTools = {
        GizmoTool::None, GizmoTool::Move, GizmoTool::Turn, GizmoTool::Scale};
    GizmoTool& tool = gizmo.gizmo.tool;
    const auto now =
        static_cast<std::size_t>(std::find(kTools.begin(), kTools.end(), tool) - kTools.begin());
    begin_row("Handles",
              "What is drawn over the selected object to pull at: to move, turn or scale it.");
    tool = kTools[choice_buttons(ui, "Transform", kTitles, now)];
}

}  // namespace

void draw_transform(ViewState& state) {
    const std::optional<SelectedNode> node = selected_node(state.session, state.selection);
    if (!node) {
        faint_text("Select an object to move, rotate or scale it.");
        return;
    }
    ShownPlacement& shown = shown_placement(state.panels.transform, *node);
    const Placement before = shown.placement;
    Placement after = before;
    draw_tools(state.ui, state.panels.gizmo);
    bool is_changed = numbers_row(state.ui,
                                  "Position (m)",
                                  "Where the object stands: x, y (up) and z in metres.",
                                  after.position_m,
                                  look_of_places(state.session));
    is_changed = numbers_row(state.ui,
                             "Rotation (°)",
                             "How far the object is turned about x, y and z, in degrees.",
                             after.angles_deg,
                             {3, 1, 0.5F}) ||
                 is_changed;
    NumberLook scale = look_of(10 * largest(after.scale));
    scale.speed /= 4;
    is_changed = numbers_row(state.ui,
                             "Scale",
                             "How large the object is along its own x, y and z: 1 is as it was "
                             "made, 2 twice as large, below 0 mirrored.",
                             after.scale,
                             scale) ||
                 is_changed;
    if (is_changed) {
        const scene::Affine matrix = replaced(node->matrix, before, after);
        send_edit(
            state.session, state.ui, node->path + "/transform", scene::edits::floats_text(matrix));
        // Store the typed numbers with the new matrix.
        shown = {matrix, after};
    }
    end_drag(state.session);
    for (const scene::EditField& field : scene::editable_fields(
             state.session.document.scene(), state.session.document.context(), node->path)) {
        if (field_name(field) == "transform") {
            draw_reset(state.session, state.ui, "Transform", field);
        }
    }
}

}  // namespace weft::app
