#include "app/view/view_settings.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/film/whole_file.h"

namespace weft::app {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kFile = "view.json";

// Keeps the default where the member is missing, of another type or out of range.
template <typename T>
void read_number(const json& object, const char* name, T low, T high, T& value) {
    const auto found = object.find(name);
    if (found != object.end() && found->is_number()) {
        const auto number = found->get<double>();
        if (number >= static_cast<double>(low) && number <= static_cast<double>(high)) {
            value = static_cast<T>(number);
        }
    }
}

void read_flag(const json& object, const char* name, bool& value) {
    const auto found = object.find(name);
    if (found != object.end() && found->is_boolean()) {
        value = found->get<bool>();
    }
}

void read_bookmarks(const json& object, ViewSettings& settings) {
    const auto scenes = object.find("bookmarks");
    if (scenes == object.end() || !scenes->is_object()) {
        return;
    }
    for (const auto& [scene, list] : scenes->items()) {
        for (const json& bookmark : list) {
            const bool is_whole = bookmark.is_object() &&
                                  bookmark.value("name", json()).is_string() &&
                                  bookmark.value("camera", json()).is_object();
            if (is_whole) {
                settings.bookmarks[scene].push_back(
                    {bookmark["name"].get<std::string>(), bookmark["camera"].dump()});
            }
        }
    }
}

json bookmarks_text(const ViewSettings& settings) {
    json scenes = json::object();
    for (const auto& [scene, list] : settings.bookmarks) {
        for (const Bookmark& bookmark : list) {
            scenes[scene].push_back({{"name", bookmark.name},
                                     {"camera", json::parse(bookmark.camera, nullptr, false)}});
        }
    }
    return scenes;
}

}  // namespace

std::string settings_folder() {
    const char* const config = std::getenv("XDG_CONFIG_HOME");
    if (config != nullptr && *config != '\0') {
        return (fs::path(config) / "weft").string();
    }
    const char* const home = std::getenv("HOME");
    return home != nullptr && *home != '\0' ? (fs::path(home) / ".config" / "weft").string() : "";
}

ViewSettings read_settings(const ViewSettings& otherwise) {
    std::ifstream file(fs::path(settings_folder()) / kFile);
    const json object = json::parse(file, nullptr, false);
    if (!object.is_object()) {
        return otherwise;
    }
    ViewSettings settings;
    read_number(object, "window_width", 320U, 16384U, settings.window_width);
    read_number(object, "window_height", 240U, 16384U, settings.window_height);
    read_flag(object, "has_left", settings.has_left);
    read_flag(object, "has_right", settings.has_right);
    read_flag(object, "has_bottom", settings.has_bottom);
    read_number(object, "left_width", 120.0F, 2000.0F, settings.left_width);
    read_number(object, "right_width", 160.0F, 2000.0F, settings.right_width);
    read_number(object, "bottom_height", 80.0F, 2000.0F, settings.bottom_height);
    read_number(object, "orbit_speed", 0.1F, 10.0F, settings.orbit_speed);
    read_number(object, "interface_scale", 0.0F, kMostInterfaceScale, settings.interface_scale);
    const auto recent = object.find("recent");
    if (recent != object.end() && recent->is_array()) {
        for (const json& scene : *recent) {
            if (scene.is_string() && settings.recent.size() < kMostRecent) {
                settings.recent.push_back(scene.get<std::string>());
            }
        }
    }
    read_bookmarks(object, settings);
    return settings;
}

base::Status write_settings(const ViewSettings& settings) {
    const std::string folder = settings_folder();
    if (folder.empty()) {
        return base::Error{base::ErrorKind::Output,
                           "settings: neither XDG_CONFIG_HOME nor HOME is set; expected one of "
                           "them to name a folder"};
    }
    std::error_code problem;
    fs::create_directories(folder, problem);  // what fails here fails below, with a sentence
    const json object = {{"window_width", settings.window_width},
                         {"window_height", settings.window_height},
                         {"has_left", settings.has_left},
                         {"has_right", settings.has_right},
                         {"has_bottom", settings.has_bottom},
                         {"left_width", settings.left_width},
                         {"right_width", settings.right_width},
                         {"bottom_height", settings.bottom_height},
                         {"orbit_speed", settings.orbit_speed},
                         {"interface_scale", settings.interface_scale},
                         {"recent", settings.recent},
                         {"bookmarks", bookmarks_text(settings)}};
    const std::string text =
        object.dump(2, ' ', false, json::error_handler_t::replace) + '\n';  // names may be no UTF-8
    auto file = film::WholeFile::open((fs::path(folder) / kFile).string());
    if (!file.is_ok()) {
        return file.error();
    }
    file.value().write_at(text.data(), text.size(), 0);
    return file.value().commit();
}

void remember_scene(ViewSettings& settings, const std::string& scene) {
    std::erase(settings.recent, scene);
    settings.recent.insert(settings.recent.begin(), scene);
    settings.recent.resize(std::min(settings.recent.size(), kMostRecent));
}

}  // namespace weft::app
