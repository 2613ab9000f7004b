// scene_folders.cpp — bare scene names become files; see scene_folders.h.
#include "engine/scene/files/scene_folders.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "scheduler/base/installation.h"

namespace weft::scene {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kExtensions = {".gltf", ".glb"};

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

}  // namespace

std::vector<std::string> scene_folders() {
    std::vector<std::string> folders = {"scenes"};
    if (const char* path = std::getenv("WEFT_SCENE_PATH")) {
        std::istringstream parts(path);
        for (std::string part; std::getline(parts, part, ':');) {
            if (!part.empty()) {
                folders.push_back(part);
            }
        }
    }
    folders.push_back(base::shared_path("scenes"));
    return folders;
}

std::vector<std::string> scene_names() {
    std::vector<std::string> names;
    for (const std::string& folder : scene_folders()) {
        std::error_code problem;
        for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
             entry.increment(problem)) {
            const std::string extension = entry->path().extension().string();
            if (std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end()) {
                names.push_back(entry->path().stem().string());
            }
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

base::Result<std::string> find_scene(const std::string& source) {
    std::error_code problem;
    const bool is_path = source.find('/') != std::string::npos || fs::path(source).has_extension();
    if (fs::is_regular_file(source, problem)) {
        return source;
    }
    if (!is_path && !source.empty()) {
        for (const std::string& folder : scene_folders()) {
            for (const std::string_view extension : kExtensions) {
                const std::string path = folder + "/" + source + std::string(extension);
                if (fs::is_regular_file(path, problem)) {
                    return path;
                }
            }
        }
    }
    if (fs::exists(source, problem)) {
        return source;  // a folder or a device: the importer says what is wrong with it
    }
    return base::Error{
        base::ErrorKind::Scene,
        source + ": no such file" +
            (is_path ? std::string("; expected a scene file.")
                     : ", and no scene of that name; expected a file, procedural:NAME or one of " +
                           joined(scene_names()) + ".")};
}

}  // namespace weft::scene
