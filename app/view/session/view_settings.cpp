#include "app/view/session/view_settings.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/film/whole_file.h"
#include "engine/scene/files/json_text.h"

namespace weft::app {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kFile = "view.json";

// Keeps the default if the member is missing, of another type or out of range.
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

void read_display(const json& object, live::LiveDisplay& display) {
    const auto found = object.find("display");
    for (std::size_t k = 0; k < kDisplayNames.size(); ++k) {
        if (found != object.end() && *found == kDisplayNames[k]) {
            display = static_cast<live::LiveDisplay>(k);
        }
    }
}

void read_pixel_side(const json& object, u32& side) {
    const auto found = object.find("pixel_side");
    const bool is_known =
        found != object.end() &&
        std::find(kPixelSides.begin(), kPixelSides.end(), *found) != kPixelSides.end();
    side = is_known ? found->get<u32>() : side;
}

void read_texts(const json& object,
                const char* name,
                std::size_t most,
                std::vector<std::string>& texts) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_array()) {
        return;
    }
    for (const json& text : *found) {
        if (text.is_string() && texts.size() < most) {
            texts.push_back(text.get<std::string>());
        }
    }
}

void to_top(std::vector<std::string>& list, const std::string& text, std::size_t most) {
    std::erase(list, text);
    list.insert(list.begin(), text);
    list.resize(std::min(list.size(), most));
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
                    {bookmark["name"].get<std::string>(), scene::json_to_text(bookmark["camera"])});
            }
        }
    }
}

void read_folders(const json& object, ViewSettings& settings) {
    const auto folders = object.find("folders");
    if (folders == object.end() || !folders->is_object()) {
        return;
    }
    for (const auto& [kind, folder] : folders->items()) {
        if (folder.is_string()) {
            settings.folders[kind] = folder.get<std::string>();
        }
    }
}

json bookmarks_text(const ViewSettings& settings) {
    json scenes = json::object();
    for (const auto& [scene, list] : settings.bookmarks) {
        for (const Bookmark& bookmark : list) {
            if (const auto camera = scene::parse_json(bookmark.camera); camera.is_ok()) {
                scenes[scene].push_back({{"name", bookmark.name}, {"camera", camera.value()}});
            }
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

std::string settings_file() {
    return (fs::path(settings_folder()) / kFile).string();
}

ViewSettings read_settings(const ViewSettings& otherwise) {
    const auto read = scene::read_json_file(settings_file(), "a file of settings");
    if (!read.is_ok() || !read.value().is_object()) {
        return otherwise;
    }
    const json& object = read.value();
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
    read_display(object, settings.display);
    read_pixel_side(object, settings.pixel_side);
    read_texts(object, "recent", kMostRecent, settings.recent);
    read_texts(object, "pictures", kMostPictures, settings.pictures);
    read_folders(object, settings);
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
    fs::create_directories(folder, problem);  // a failure here reappears below, with a message
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
                         {"display", kDisplayNames[static_cast<std::size_t>(settings.display)]},
                         {"pixel_side", settings.pixel_side},
                         {"recent", settings.recent},
                         {"pictures", settings.pictures},
                         {"folders", settings.folders},
                         {"bookmarks", bookmarks_text(settings)}};
    const std::string text = scene::json_to_text(object, 2) + '\n';
    auto file = film::WholeFile::open(settings_file());
    WEFT_TRY(file);
    file.value().write_at(text.data(), text.size(), 0);
    return file.value().commit();
}

void remember_scene(ViewSettings& settings, const std::string& scene) {
    to_top(settings.recent, scene, kMostRecent);
}

void remember_picture(ViewSettings& settings, const std::string& file) {
    std::error_code problem;
    const fs::path whole = fs::weakly_canonical(file, problem);
    if (!problem) {
        to_top(settings.pictures, whole.string(), kMostPictures);
    }
}

}  // namespace weft::app
