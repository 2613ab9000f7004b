#include "app/view/shell/picture_pane.h"

#include <string>
#include <vector>

#include <imgui.h>

#include "app/view/session/multi_selection.h"
#include "app/view/shell/view_state.h"

namespace weft::app {

namespace {

// Selects or focuses where the mouse was clicked.
void take_click(ViewState& state, const ImVec2& at) {
    const Surface surface = surface_under(state.link, state.sight, at.x, at.y);
    if (state.motion.tool == Tool::Focus || ImGui::GetIO().KeyCtrl) {
        focus_on(state.session, state.selection, state.ui, surface);
        state.motion.tool = Tool::Orbit;
    } else if (ImGui::GetIO().KeyShift) {
        toggle_surface(state.session, state.selection, surface);
    } else {
        select_surface(state.session, state.selection, state.motion, state.ui, surface);
    }
}

void use_mouse(ViewState& state, bool is_over) {
    if (!state.press.is_held() && state.viewport.snapshot().use_mouse(state.sight, is_over)) {
        return;
    }
    state.press.begin(is_over);
    state.camera_mouse.use(is_over, state.press.is_turning());
    if (const auto clicked = state.press.end()) {
        take_click(state, *clicked);
    }
    if (const auto box = state.press.take_box()) {
        state.box.start(*state.link.live, *box, ImGui::GetIO().KeyShift);
    }
}

// Selects what was found in the box.
void take_seen(ViewState& state) {
    const auto seen = state.box.poll();
    if (!seen || seen->scene == nullptr || !state.session.document.is_open()) {
        return;
    }
    std::vector<std::string> paths;
    for (const u32 instance : seen->instances) {
        paths.push_back(scene::node_path(*seen->scene, instance));
    }
    select_all(state.session, state.selection, paths, state.box.adds());
    const std::size_t count = all_selected(state.selection).size();
    say_of_view(state.ui,
                state.session,
                state.selection,
                std::to_string(count) + (count == 1 ? " thing is" : " things are") + " selected");
}

// Whether the mouse is on a handle of the selection or a sign of a light, or holds one.
bool use_handles(ViewState& state, bool is_over) {
    const GizmoTool tool = state.node_handles.gizmo.tool;
    return state.node_handles.use(is_over) || state.light_handles.use(state.motion, tool, is_over);
}

}  // namespace

void draw_picture_pane(ViewState& state) {
    const bool is_over = state.viewport.place(state.link, state.sight, state.ui);
    state.viewport.keep_snapshot(state.link, state.sight, state.ui);
    state.viewport.draw(state.link, state.sight);
    take_seen(state);
    state.press.draw();
    state.heat_overlay.draw(state.link, state.heat, state.sight, state.ui);
    state.viewport.snapshot().draw(state.sight);
    // The mouse belongs to the first that wants it; a press keeps it.
    if (state.link.scene != nullptr && !state.compare_overlay.use(is_over) &&
        (state.press.is_held() || !use_handles(state, is_over))) {
        use_mouse(state, is_over);
    }
}

}  // namespace weft::app
