// panel_fields.h — one row per field that edits can change: slider, swatch, tick, choice, picture.
//
// The table of fields comes from the scene (engine/scene/edit/edit.h), so a new parameter appears
// here by itself. What was changed since the file was read has a button that puts it back.
// Interface thread.
#pragma once

#include <string_view>
#include <vector>

#include "app/view/session/view_state.h"
#include "engine/scene/edit/edit.h"

namespace weft::app {

// The last part of a field's path: "roughness".
std::string_view field_name(const scene::EditField& field);

// The row of one field, marked "panel/label".
void draw_field(Session& session,
                Ui& ui,
                PanelState& panels,
                std::string_view panel,
                const scene::EditField& field);

// What is shown while the mouse is over a field's label: what it does, and its name for --set.
std::string tip_of(const scene::EditField& field);

// The button that puts a field back, at the end of its row; nothing where it is as in the file.
void draw_reset(Session& session, Ui& ui, std::string_view panel, const scene::EditField& field);

// The field of this name, if there is one.
const scene::EditField* find_field(const std::vector<scene::EditField>& fields,
                                   std::string_view name);

// Linear light as a swatch shows it, and back; beyond 1 both stay what they are in ratio.
float shown_of_linear(float linear);
float linear_of_shown(float shown);

}  // namespace weft::app
