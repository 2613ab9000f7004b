// view_pictures.h — makes files the environment map or pictures of materials.
//
// Each file is read on its own thread (picture_reader.h) and then set by an edit, a step of undo
// like any other. Panels, drops and the file chooser call these. Interface thread only.
#pragma once

#include <string>

#include "engine/scene/model/scene.h"

namespace weft::app {

struct Session;
struct Ui;

// Starts to read a map; it becomes the environment.
void light_with(Session& session, Ui& ui, const std::string& map);

// Starts to read a picture for a field, "materials/NAME/FIELD": also one that the scene has, since
// the file may have changed; undo gives back what was there before.
void paint_with(Session& session,
                const std::string& field,
                scene::TexelMeaning meaning,
                const std::string& file);

// Makes the edit once the file is read, or reports why it could not be. Call once per turn.
void take_read(Session& session, Ui& ui);

}  // namespace weft::app
