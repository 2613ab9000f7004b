// object_name.h — readable names of objects from the paths that edits use.
//
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace weft::app {

// "nodes/Chair~1old" becomes "Chair/old"; the second object of a name keeps its "#2".
std::string shown_name(std::string_view path);

// "nodes" for "nodes/Chair"; the whole path if it has no slash.
std::string_view family_of(std::string_view path);

}  // namespace weft::app
