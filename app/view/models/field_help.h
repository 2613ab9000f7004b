// field_help.h — what each field of the scene does, in a sentence for artists.
//
// The tip of a field's label: its effect, its range, its unit. The table of fields itself comes
// from the scene (engine/scene/edit/edit.h). Pure; any thread.
#pragma once

#include <string_view>

namespace weft::app {

// The help for a path such as "materials/NAME/roughness" or "environment/strength"; empty if the
// field has none.
std::string_view field_help(std::string_view path);

}  // namespace weft::app
