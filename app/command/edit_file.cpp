#include "app/command/edit_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/film/whole_file.h"
#include "engine/scene/files/json_text.h"
#include "scheduler/base/ensure.h"
#include "scheduler/base/ids.h"

namespace weft::app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using scene::json_to_text;

constexpr const char* kSuffix = ".weft-edits.json";
constexpr const char* kVersionMember = "weft_edits";
constexpr int kVersion = 1;
constexpr const char* kExpectedFile = "a file of edits: {\"weft_edits\": 1, \"edits\": [...]}";
constexpr const char* kProcedural = "procedural:";

base::Error wrong(const std::string& path, const std::string& sentence) {
    return {base::ErrorKind::Scene, path + ": " + sentence};
}

// The folder of edit files for scenes that are no file; the current folder if no home is set.
fs::path data_folder() {
    const char* const data = std::getenv("XDG_DATA_HOME");
    const char* const home = std::getenv("HOME");
    if (data != nullptr && *data != '\0') {
        return fs::path(data) / "weft" / "edits";
    }
    return home != nullptr && *home != '\0' ? fs::path(home) / ".local/share/weft/edits"
                                            : fs::path();
}

// Finds the picture names inside an edit's value, so that the caller can change them. The value is
// one field or a whole material.
std::vector<Json*> files_inside(std::string_view path, Json& value) {
    path.remove_prefix(path.starts_with('/') ? 1 : 0);
    std::vector<Json*> files;
    if (path.ends_with("_texture") || path == "environment/file") {
        Json* const file = value.is_object() && value.contains("file") ? &value["file"] : &value;
        if (file->is_string()) {
            files.push_back(file);
        }
    } else if (path.starts_with("materials/") && value.is_object()) {
        for (auto&& member : value.items()) {
            const auto inner = files_inside(member.key(), member.value());
            files.insert(files.end(), inner.begin(), inner.end());
        }
    }
    return files;
}

std::string whole_file(const std::string& name, const std::string& from) {
    std::error_code problem;
    const fs::path file = fs::path(from) / name;
    const bool is_inside_scene = !fs::is_regular_file(file, problem);
    return is_inside_scene ? name : fs::weakly_canonical(file, problem).string();
}

std::string moved_file(const std::string& name, const std::string& from, const std::string& to) {
    std::error_code problem;
    const fs::path whole = whole_file(name, from);
    if (!whole.is_absolute()) {
        return name;
    }
    const fs::path folder =
        fs::weakly_canonical(to.empty() ? fs::current_path(problem) : fs::path(to), problem);
    const fs::path inside = whole.lexically_relative(folder);
    const bool is_inside = !inside.empty() && *inside.begin() != "..";
    return (is_inside ? inside : whole).string();
}

template <typename Renamed>
std::vector<scene::Edit> with_names(std::vector<scene::Edit> edits, const Renamed& renamed) {
    for (scene::Edit& edit : edits) {
        base::Result<Json> value = scene::parse_json(edit.value);
        if (!value.is_ok()) {
            continue;  // apply_edits() will report it
        }
        const std::vector<Json*> files = files_inside(edit.path, value.value());
        for (Json* const file : files) {
            *file = renamed(file->get<std::string>());
        }
        if (!files.empty()) {
            edit.value = json_to_text(value.value());
        }
    }
    return edits;
}

// Distinguishes the scenes after the first; empty if there are none. Names seen from the first
// scene's folder stay the same when all of it is moved.
std::string others_ending(const std::vector<std::string>& scenes) {
    if (scenes.size() == 1) {
        return "";
    }
    const fs::path folder = fs::path(whole_scene_name(scenes.front())).parent_path();
    std::string others;
    for (auto scene = scenes.begin() + 1; scene != scenes.end(); ++scene) {
        const fs::path whole = whole_scene_name(*scene);
        const bool is_seen = whole.is_absolute() && folder.is_absolute();
        others += (is_seen ? whole.lexically_relative(folder) : whole).string() + '\n';
    }
    return '+' + hash_digits(others);
}

}  // namespace

bool is_scene_file(const std::string& scene) {
    std::error_code problem;
    // A program may be rewriting the file just now, so a missing file may still be a file's name.
    // Use the same rule as find_scene().
    const bool is_path = scene.find('/') != std::string::npos || fs::path(scene).has_extension();
    return fs::is_regular_file(scene, problem) || (is_path && !scene.starts_with(kProcedural));
}

std::string whole_scene_name(const std::string& scene) {
    std::error_code problem;
    return is_scene_file(scene)
               ? fs::weakly_canonical(fs::absolute(scene, problem), problem).string()
               : scene;
}

std::string hash_digits(const std::string& text) {
    u64 hash = 0xcbf29ce484222325U;
    for (const char letter : text) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
    }
    std::array<char, 16> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16);
    ENSURE(error == std::errc{}, ==, true);
    return {digits.data(), end};
}

std::string default_edit_file(const std::vector<std::string>& scenes) {
    const std::string& first = scenes.front();
    const std::string ending = others_ending(scenes) + kSuffix;
    if (is_scene_file(first)) {
        return first + ending;
    }
    std::string name = first;
    std::replace_if(
        name.begin(),
        name.end(),
        [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) == 0; },
        '_');
    return (data_folder() / (name + ending)).string();
}

base::Result<EditFile> read_edit_file(const std::string& path) {
    const base::Result<Json> read = scene::read_json_file(path, kExpectedFile);
    WEFT_TRY(read);
    const Json& whole = read.value();
    if (!whole.is_object() || !whole.contains(kVersionMember)) {
        return wrong(path, std::string("found no /weft_edits, expected ") + kExpectedFile);
    }
    if (whole[kVersionMember] != kVersion) {
        return wrong(path,
                     "/weft_edits is " + json_to_text(whole[kVersionMember]) + ", expected 1");
    }
    const auto list = whole.find("edits");
    if (list == whole.end() || !list->is_array()) {
        return wrong(path, "/edits is no list, expected [{\"path\": ..., \"value\": ...}, ...]");
    }
    EditFile file;
    if (const auto scene = whole.find("scene"); scene != whole.end() && scene->is_string()) {
        file.scene = scene->get<std::string>();
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
        const Json& edit = (*list)[i];
        const bool is_edit = edit.is_object() && edit.contains("path") &&
                             edit["path"].is_string() && edit.contains("value");
        if (!is_edit) {
            return wrong(path,
                         "/edits/" + std::to_string(i) +
                             " is no edit, expected {\"path\": \"...\", \"value\": ...}");
        }
        for (const auto& member : edit.items()) {
            if (member.key() != "path" && member.key() != "value") {
                return wrong(path,
                             "/edits/" + std::to_string(i) + "/" + member.key() +
                                 " is no member of an edit, expected path and value alone");
            }
        }
        file.edits.push_back({edit["path"].get<std::string>(), json_to_text(edit["value"])});
    }
    return file;
}

base::Status write_edit_file(const std::string& path, const EditFile& file) {
    // Write one edit per line, so that people can find and diff edits.
    std::string text = std::string("{\n \"") + kVersionMember + "\": " + std::to_string(kVersion) +
                       ",\n \"scene\": " + json_to_text(file.scene) + ",\n \"edits\": [";
    for (const scene::Edit& edit : file.edits) {
        const base::Result<Json> value = scene::parse_json(edit.value);
        if (!value.is_ok()) {
            return base::Error{base::ErrorKind::Output,
                               path + ": the value of " + edit.path + " cannot be written as JSON"};
        }
        text += (&edit == file.edits.data() ? "\n  {\"path\": " : ",\n  {\"path\": ") +
                json_to_text(edit.path) + ", \"value\": " + json_to_text(value.value()) + "}";
    }
    text += "\n ]\n}\n";
    base::Result<film::WholeFile> target = film::WholeFile::open(path);
    WEFT_TRY(target);
    target.value().write_at(text.data(), text.size(), 0);
    return target.value().commit();
}

base::Status apply_edit_file(const std::string& path,
                             scene::Scene& scene,
                             scene::EditContext& context) {
    const base::Result<EditFile> file = read_edit_file(path);
    WEFT_TRY(file);
    scene::Scene changed = scene;
    scene::EditContext changed_context = context;
    changed_context.folder = fs::path(path).parent_path().string();
    const scene::EditsMade made = scene::apply_edits(
        changed, changed_context, file.value().edits, scene::OnFault::Stop, false);
    if (!made.faults.empty()) {
        const auto& [index, error] = made.faults.front();
        return wrong(path, "/edits/" + std::to_string(index) + ": " + error.sentence);
    }
    changed_context.folder = context.folder;
    scene = std::move(changed);
    context = std::move(changed_context);
    return base::Done{};
}

std::vector<scene::Edit> with_files_from(const std::vector<scene::Edit>& edits,
                                         const std::string& from,
                                         const std::string& to) {
    return with_names(edits, [&](const std::string& name) { return moved_file(name, from, to); });
}

std::vector<scene::Edit> with_whole_files(const std::vector<scene::Edit>& edits,
                                          const std::string& from) {
    return with_names(edits, [&](const std::string& name) { return whole_file(name, from); });
}

std::vector<std::string> picture_files(const std::vector<scene::Edit>& edits,
                                       const std::string& from) {
    std::vector<std::string> files;
    with_names(edits, [&](const std::string& name) {
        std::string whole = whole_file(name, from);
        if (fs::path(whole).is_absolute()) {
            files.push_back(whole);
        }
        return whole;
    });
    return files;
}

}  // namespace weft::app
