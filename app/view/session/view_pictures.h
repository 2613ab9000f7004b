// view_pictures.h — files that become the environment or a picture of a material.
//
// Each is read by a thread of its own (picture_reader.h); when it is there it becomes an edit, a
// step of undo as any other. Panels, drops and the file chooser call these. Interface thread only.
#pragma once

#include <string>

#include "app/view/session/view_state.h"

namespace weft::app {

// Begins to read a map; it becomes the environment.
void light_with(Session& session, Ui& ui, const std::string& map);

// Begins to read a picture for a field, "materials/NAME/FIELD", unless the scene has it already.
void paint_with(Session& session,
                Ui& ui,
                const std::string& field,
                scene::TexelMeaning meaning,
                const std::string& file);

// What was read becomes an edit; says why, where it could not. Once per turn.
void take_read(Session& session, Ui& ui);

}  // namespace weft::app
