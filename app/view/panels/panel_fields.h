// panel_fields.h — one row per editable field: slider, swatch, checkbox, choice, picture.
//
// The table of fields comes from the scene (engine/scene/edit/edit.h), so a new parameter appears
// here automatically. A field changed since the file was read has a reset button. Interface thread.
#pragma once

#include <string_view>
#include <vector>

#include "engine/scene/edit/edit.h"

namespace weft::app {

struct Session;
struct Ui;

// The last part of a field's path: "roughness".
std::string_view field_name(const scene::EditField& field);

// Draws the row of one field that names no file, marked "panel/label" (files: panel_textures.h).
void draw_field(Session& session, Ui& ui, std::string_view panel, const scene::EditField& field);

// The tip of a field's label: what it does, and its name for --set.
std::string tip_of(const scene::EditField& field);

// Draws the reset button at the end of a field's row, if the value differs from the file's.
void draw_reset(Session& session, Ui& ui, std::string_view panel, const scene::EditField& field);

// The field of this name, if any.
const scene::EditField* find_field(const std::vector<scene::EditField>& fields,
                                   std::string_view name);

// Converts linear light to the value that a swatch shows, and back; both scale values beyond 1 in
// proportion.
float shown_of_linear(float linear);
float linear_of_shown(float shown);

}  // namespace weft::app
