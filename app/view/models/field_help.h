// field_help.h — what each field of the scene does, in a sentence for artists.
//
// Shown while the mouse is over a field's label: what it does, its range, its unit. The fields
// themselves come from the scene (engine/scene/edit/edit.h). Pure; any thread.
#pragma once

#include <string_view>

namespace weft::app {

// Of "materials/NAME/roughness", "environment/strength"; empty where nothing is known of it.
std::string_view field_help(std::string_view path);

}  // namespace weft::app
