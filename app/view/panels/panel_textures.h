// panel_textures.h — rows of fields that name files: material pictures, environment maps.
//
// A picture has a thumbnail, a button to replace it by a file, and one to remove it. Interface
// thread, while the window's context lives.
#pragma once

#include <string_view>

#include "app/view/session/view_state.h"
#include "engine/scene/edit/edit.h"

namespace weft::app {

void draw_file_field(Session& session,
                     Ui& ui,
                     PanelState& panels,
                     std::string_view panel,
                     const scene::EditField& field);

// Sets a field to the file chosen for it since the last frame. Call once per frame, outside of all
// panels: it also draws the chooser.
void draw_file_chooser(Session& session, Ui& ui, PanelState& panels);

}  // namespace weft::app
