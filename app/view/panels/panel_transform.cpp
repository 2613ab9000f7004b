#include "app/view/panels/panel_transform.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <imgui.h>

#include "app/view/models/gizmo.h"
#include "app/view/models/object_name.h"
#include "app/view/panels/panel_fields.h"
#include "app/view/panels/panel_rows.h"
#include "app/view/session/multi_selection.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/selection.h"
#include "app/view/session/send_edit.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
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
    const bool is_changed =
        drag_numbers(math::components(values), look.speed, 0, 0, look.format().c_str(), fits);
    end_numbers();
    mark_row(ui, "Transform", label);
    ImGui::PopID();
    return is_changed;
}

// The selected node, or the selected group or camera in its stead.
std::optional<SelectedNode> shown_thing(const Session& session, const Selection& selection) {
    const std::string_view family = family_of(selection.path);
    if (!selection.others.empty() || (family != "groups" && family != "cameras")) {
        return selection.others.empty() ? selected_node(session, selection) : std::nullopt;
    }
    const std::vector<MovedThing> things = moved_things(session, selection);
    return things.empty()
               ? std::nullopt
               : std::optional(SelectedNode{things[0].path, things[0].index, things[0].matrix});
}

}  // namespace

// The numbers as typed or dragged, while the node has their matrix; else the nearest equivalent
// ones.
ShownPlacement& TransformPanel::shown_placement(const SelectedNode& node) {
    const auto [at, is_new] = shown_.try_emplace(node.path);
    ShownPlacement& placed = at->second;
    if (is_new) {
        placed = {node.matrix, placement_of(node.matrix)};
    } else if (placed.matrix != node.matrix) {
        placed = {node.matrix, placement_near(node.matrix, placed.placement.angles_deg)};
    }
    return placed;
}

void TransformPanel::draw_tools() {
    constexpr std::array<const char*, 4> kTitles = {"None", "Move", "Rotate", "Scale"};
    constexpr std::array<GizmoTool, 4> kTools = {
        GizmoTool::None, GizmoTool::Move, GizmoTool::Turn, GizmoTool::Scale};
    const auto now =
        static_cast<std::size_t>(std::find(kTools.begin(), kTools.end(), tool_) - kTools.begin());
    begin_row("Handles",
              "Which handles lie over the selected object: those that move, rotate or scale it.");
    tool_ = kTools[choice_buttons(ui_, "Transform", kTitles, now)];
}

void TransformPanel::draw() {
    const std::optional<SelectedNode> node = shown_thing(session_, selection_);
    if (!node) {
        faint_text(selection_.others.empty()
                       ? "Select an object to move, rotate or scale it."
                       : "Several things are selected: the handles move them as one.");
        return;
    }
    ShownPlacement& placed = shown_placement(*node);
    const Placement before = placed.placement;
    Placement after = before;
    draw_tools();
    bool is_changed = numbers_row(ui_,
                                  "Position (m)",
                                  "Where the object stands: x, y (up) and z in metres.",
                                  after.position_m,
                                  look_of_places(session_));
    is_changed = numbers_row(ui_,
                             "Rotation (°)",
                             "How far the object is rotated about x, y and z, in degrees.",
                             after.angles_deg,
                             {3, 1, 0.5F}) ||
                 is_changed;
    NumberLook scale = look_of(10 * largest(after.scale));
    scale.speed /= 4;
    is_changed = numbers_row(ui_,
                             "Scale",
                             "How large the object is along its own x, y and z: 1 is as it was "
                             "made, 2 twice as large, below 0 mirrored.",
                             after.scale,
                             scale) ||
                 is_changed;
    if (is_changed) {
        const math::Affine matrix = replaced(node->matrix, before, after);
        send_edit(session_, ui_, node->path + "/transform", scene::edits::floats_text(matrix));
        // Store the typed numbers with the new matrix.
        placed = {matrix, after};
    }
    end_drag(session_);
    for (const scene::EditField& field : scene::editable_fields(
             session_.document.scene(), session_.document.context(), node->path)) {
        if (field_name(field) == "transform") {
            draw_reset(session_, ui_, "Transform", field);
        }
    }
}

}  // namespace weft::app
