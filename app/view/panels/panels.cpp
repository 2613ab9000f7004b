#include "app/view/panels/panels.h"

#include <array>

#include <imgui.h>

#include "app/view/panels/panel_rows.h"

namespace weft::app {

namespace {

// Draws everything of the selected object, one part below another.
void draw_object(ViewState& state) {
    if (begin_part(state.ui, "Object", "Transform")) {
        draw_transform(state);
    }
    draw_material(state);
}

void draw_light_tab(ViewState& state) {
    if (begin_part(state.ui, "Light", "Environment")) {
        draw_environment(state);
    }
    if (begin_part(state.ui, "Light", "Lamps")) {
        draw_lights(state);
    }
}

void draw_view_tab(ViewState& state) {
    if (begin_part(state.ui, "View", "Display")) {
        draw_view_panel(state);
    }
    if (begin_part(state.ui, "View", "Camera")) {
        draw_camera(state);
    }
    if (begin_part(state.ui, "View", "Section planes")) {
        draw_section(state);
    }
}

// Wraps panels that need a scene: they stay empty while none is open.
template <void (*kDraw)(ViewState&)>
void with_scene(ViewState& state) {
    if (state.session.document.is_open()) {
        kDraw(state);
    } else {
        ImGui::TextDisabled("No scene is open.");
    }
}

constexpr std::array kPanels = {
    Panel{"Scene", PanelSide::Left, with_scene<draw_outliner>},
    Panel{"History", PanelSide::Left, with_scene<draw_history>},
    Panel{"Object", PanelSide::Right, with_scene<draw_object>},
    Panel{"Light", PanelSide::Right, with_scene<draw_light_tab>},
    Panel{"View", PanelSide::Right, with_scene<draw_view_tab>},
    Panel{"Render", PanelSide::Right, with_scene<draw_render_settings>},
    Panel{"Pixel", PanelSide::Right, with_scene<draw_inspector>},
    Panel{"Scheduler", PanelSide::Bottom, with_scene<draw_scheduler>},
    Panel{"Timeline", PanelSide::Bottom, draw_timeline},
    Panel{"Heat", PanelSide::Bottom, with_scene<draw_heat>},
    Panel{"Compare", PanelSide::Bottom, with_scene<draw_compare>},
};

}  // namespace

std::span<const Panel> panels() {
    return kPanels;
}

}  // namespace weft::app
