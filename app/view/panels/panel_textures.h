// panel_textures.h — rows of fields that name files: pictures of materials, environment maps.
//
// A picture has a thumbnail, a button to swap it for a file of the disk, and one to take it away.
// Interface thread, while the window's context lives.
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

// A file chosen for a field since the last frame becomes an edit. Draws the chooser; once per
// frame, outside of all panels.
void draw_file_chooser(Session& session, Ui& ui, PanelState& panels);

}  // namespace weft::app
