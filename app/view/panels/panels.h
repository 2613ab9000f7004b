// panels.h — the table of panels, and the side of the window for each.
//
// A panel draws itself from the view state and changes the scene through it alone. To add one:
// declare its function here and put a row into panels.cpp. Interface thread only.
#pragma once

#include <span>

#include "app/view/session/view_state.h"

namespace weft::app {

enum class PanelSide { Left, Right, Bottom };

struct Panel {
    const char* name;  // on its tab; a script clicks on "Panel/NAME"
    PanelSide side;
    void (*draw)(ViewState& state);
};

std::span<const Panel> panels();

// The panels, each in the panel_*.cpp of its name.
void draw_outliner(ViewState& state);
void draw_history(ViewState& state);
void draw_transform(ViewState& state);
void draw_material(ViewState& state);
void draw_lights(ViewState& state);
void draw_environment(ViewState& state);
void draw_camera(ViewState& state);
void draw_view_panel(ViewState& state);
void draw_section(ViewState& state);
void draw_frame(Session& session, Ui& ui, PanelState& panels);
void draw_render_settings(ViewState& state);
void draw_inspector(ViewState& state);
void draw_scheduler(ViewState& state);
void draw_timeline(ViewState& state);
void draw_heat(ViewState& state);
void draw_compare(ViewState& state);

// Shows only this node; shows all nodes again.
void solo_node(Session& session, Ui& ui, OutlinerState& outliner, const std::string& node);
void show_all_nodes(ViewState& state);

}  // namespace weft::app
