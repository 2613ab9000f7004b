#include "app/view/shell/panel_table.h"

#include <imgui.h>

#include "app/view/panels/panel_rows.h"
#include "app/view/panels/panels.h"
#include "app/view/shell/view_state.h"

namespace weft::app {

namespace {

// Draws everything of the selected object, one part below another.
void draw_object(Ui& ui, TransformPanel& transform, MaterialPanel& material) {
    if (begin_part(ui, "Object", "Transform")) {
        transform.draw();
    }
    material.draw();
}

void draw_light_tab(ViewState& state) {
    if (begin_part(state.ui, "Light", "Environment")) {
        draw_environment(state.session, state.picture_rows);
    }
    if (begin_part(state.ui, "Light", "Lights")) {
        state.light_handles.show_signs();
        draw_lights(state.session, state.selection, state.motion, state.ui);
    }
}

void draw_view_tab(ViewState& state) {
    if (begin_part(state.ui, "View", "Display")) {
        draw_view_panel(state.session, state.link, state.ui);
    }
    if (begin_part(state.ui, "View", "Camera")) {
        draw_camera(state.session, state.selection, state.motion, state.ui);
    }
    if (begin_part(state.ui, "View", "Section planes")) {
        draw_section(state.session, state.motion, state.ui);
    }
}

}  // namespace

std::vector<Panel> panel_table(ViewState& s) {
    // Panels that need a scene stay empty while none is open.
    const auto with_scene = [&session = s.session](std::function<void()> draw) {
        return [&session, draw = std::move(draw)] {
            if (session.document.is_open()) {
                draw();
            } else {
                ImGui::TextDisabled("No scene is open.");
            }
        };
    };
    return {
        {"Scene", PanelSide::Left, with_scene([&s] { s.outliner.draw(); })},
        {"History", PanelSide::Left, with_scene([&s] { draw_history(s.session, s.ui); })},
        {"Object", PanelSide::Right, with_scene([&s] {
             draw_object(s.ui, s.transform, s.material);
         })},
        {"Light", PanelSide::Right, with_scene([&s] { draw_light_tab(s); })},
        {"View", PanelSide::Right, with_scene([&s] { draw_view_tab(s); })},
        {"Render", PanelSide::Right, with_scene([&s] {
             draw_render_settings(s.session, s.link, s.ui);
         })},
        {"Pixel", PanelSide::Right, with_scene([&s] { s.inspector.draw(); })},
        {"Scheduler", PanelSide::Bottom, with_scene([&s] { s.scheduler.draw(); })},
        {"Timeline", PanelSide::Bottom, [&s] { s.timeline.draw(); }},
        {"Heat", PanelSide::Bottom, with_scene([&s] { s.heat_panel.draw(s.link, s.heat); })},
        {"Compare", PanelSide::Bottom, with_scene([&s] {
             draw_compare(s.session, s.link, s.comparison, s.ui);
         })},
    };
}

}  // namespace weft::app
