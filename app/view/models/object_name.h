// object_name.h — names of objects as people read them, out of the paths that edits use.
//
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace weft::app {

// "nodes/Chair~1old" is "Chair/old"; the second of a name keeps its "#2".
std::string shown_name(std::string_view path);

// "nodes" of "nodes/Chair"; all of it where there is no slash.
std::string_view family_of(std::string_view path);

}  // namespace weft::app
