// installed_maps.h — environment maps that come with the program and are known by name.
//
// assets/environments/make_studios.py makes them. Reads the file system only. Any thread.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace weft::scene {

inline constexpr std::array<std::string_view, 3> kInstalledMaps = {
    "studio", "studio-soft", "studio-contrast"};

// Whether this is a bare word: no path and no name with an ending.
bool is_map_name(const std::string& name);

// The file of the installed map of this name; empty: there is none.
std::string installed_map(const std::string& name);

// The file that `name` means. A file of that name wins over an installed map, so that a map which a
// later version adds never changes what a command means; another name is returned as it is.
std::string find_environment(const std::string& name);

}  // namespace weft::scene
