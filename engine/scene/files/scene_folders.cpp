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
constexpr const char* kScenePath = "WEFT_SCENE_PATH";

std::string joined(const std::vector<std::string>& words, const char* separator) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : separator) + word;
    }
    return text;
}

// The folders of WEFT_SCENE_PATH.
std::vector<std::string> named_folders() {
    std::vector<std::string> folders;
    const char* const path = std::getenv(kScenePath);
    std::istringstream parts(path != nullptr ? path : "");
    for (std::string part; std::getline(parts, part, ':');) {
        if (!part.empty()) {
            folders.push_back(part);
        }
    }
    return folders;
}

// The files in a folder that a word may mean.
std::vector<std::string> matches_in(const std::string& folder, const std::string& word) {
    std::vector<std::string> names = {word};
    if (!fs::path(word).has_extension()) {
        names.clear();
        for (const std::string_view extension : kExtensions) {
            names.push_back(word + std::string(extension));
        }
    }
    std::error_code problem;
    std::erase_if(names, [&](const std::string& name) {
        return !fs::is_regular_file(fs::path(folder) / name, problem);
    });
    return names;
}

// What is wrong with WEFT_SCENE_PATH, as the end of a sentence; empty: nothing.
std::string complaint_of_path() {
    std::vector<std::string> absent = named_folders();
    std::error_code problem;
    std::erase_if(absent,
                  [&](const std::string& folder) { return fs::is_directory(folder, problem); });
    return absent.empty() ? ""
                          : std::string("; ") + kScenePath + " also names " +
                                joined(absent, " and ") + ", where no folder is";
}

// What may stand in place of a name that no scene has.
std::string names_instead() {
    const std::vector<std::string> names = scene_names();
    return names.empty() ? "a file or procedural:NAME"
                         : "a file, procedural:NAME or one of " + joined(names, ", ");
}

base::Error not_found(const std::string& source, bool is_path) {
    const std::string expected = is_path ? "; expected a scene file"
                                 : fs::path(source).has_extension()
                                     ? std::string(" here, in ./scenes or in the folders of ") +
                                           kScenePath + "; expected a scene file"
                                     : ", and no scene of that name; expected " + names_instead();
    return {base::ErrorKind::Scene,
            source + ": no such file" + expected + (is_path ? "" : complaint_of_path()) + "."};
}

}  // namespace

std::vector<std::string> scene_folders() {
    std::vector<std::string> folders = named_folders();
    folders.insert(folders.begin(), "scenes");
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
    if (fs::is_regular_file(source, problem)) {
        return source;
    }
    const bool is_path = source.empty() || source.find('/') != std::string::npos;
    for (const std::string& folder : is_path ? std::vector<std::string>() : scene_folders()) {
        const std::vector<std::string> matches = matches_in(folder, source);
        if (matches.size() > 1) {
            return base::Error{base::ErrorKind::Scene,
                               source + ": may mean " + joined(matches, " or ") + " in " + folder +
                                   "; expected one of these names."};
        }
        if (!matches.empty()) {
            return (fs::path(folder) / matches[0]).string();
        }
    }
    if (fs::exists(source, problem)) {
        return source;  // a folder or a device: the importer says what is wrong with it
    }
    return not_found(source, is_path);
}

}  // namespace weft::scene
