// installed_maps.cpp — see installed_maps.h.
#include "engine/scene/files/installed_maps.h"

#include <algorithm>
#include <filesystem>

#include "scheduler/base/installation.h"

namespace weft::scene {

bool is_map_name(const std::string& name) {
    return name.find('/') == std::string::npos && !std::filesystem::path(name).has_extension();
}

std::string installed_map(const std::string& name) {
    const bool is_installed =
        std::find(kInstalledMaps.begin(), kInstalledMaps.end(), name) != kInstalledMaps.end();
    return is_installed ? base::shared_path("assets/environments/" + name + ".hdr") : "";
}

std::string find_environment(const std::string& name) {
    std::error_code problem;
    const std::string installed = installed_map(name);
    return !installed.empty() && !std::filesystem::exists(name, problem) ? installed : name;
}

}  // namespace weft::scene
