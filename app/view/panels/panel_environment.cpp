// panel_environment.cpp — the environment light: map or colour, rotation and strength.
//
// Interface thread.
#include <imgui.h>

#include "app/view/panels/panel_rows.h"
#include "app/view/panels/panel_textures.h"
#include "app/view/panels/panels.h"
#include "app/view/session/session.h"

namespace weft::app {

void draw_environment(const Session& session, PictureRows& pictures) {
    const scene::Environment& map = session.document.scene().environment;
    for (const scene::EditField& field : scene::editable_fields(
             session.document.scene(), session.document.context(), "environment")) {
        pictures.draw("Environment", field);
    }
    ImGui::Spacing();
    if (map.width > 1) {
        faint_text(std::to_string(map.width) + " × " + std::to_string(map.height) +
                   " pixels. A map can be dropped on the window, too.");
    }
}

}  // namespace weft::app
