// panel_environment.cpp — the environment light: map or colour, rotation and strength.
//
// Interface thread.
#include <imgui.h>

#include "app/view/panels/panel_fields.h"
#include "app/view/panels/panel_rows.h"
#include "app/view/panels/panels.h"

namespace weft::app {

void draw_environment(ViewState& state) {
    const scene::Environment& map = state.session.document.scene().environment;
    for (const scene::EditField& field : scene::editable_fields(
             state.session.document.scene(), state.session.document.context(), "environment")) {
        draw_field(state.session, state.ui, state.panels, "Environment", field);
    }
    ImGui::Spacing();
    if (map.width > 1) {
        faint_text(std::to_string(map.width) + " × " + std::to_string(map.height) +
                   " pixels. A map can be dropped on the window, too.");
    }
}

}  // namespace weft::app
