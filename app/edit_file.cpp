#include "app/edit_file.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/film/whole_file.h"

namespace weft::app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kSuffix = ".weft-edits.json";
constexpr const char* kVersionMember = "weft_edits";
constexpr int kVersion = 1;

base::Error wrong(const std::string& path, const std::string& sentence) {
    return {base::ErrorKind::Scene, path + ": " + sentence};
}

std::string dump(const Json& value, int indent) {
    return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

base::Result<Json> read_json(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return wrong(path, "cannot be opened, expected a file of edits");
    }
    std::ostringstream bytes;
    bytes << file.rdbuf();
    const std::string text = bytes.str();
    try {
        return Json::parse(text);
    } catch (const Json::parse_error& problem) {
        // byte counts from 1 and names the last one that was read.
        const std::size_t end = std::min(problem.byte, text.size());
        const auto lines =
            1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
        return wrong(path,
                     "line " + std::to_string(lines) + " is no JSON, expected " +
                         std::string("{\"weft_edits\": 1, \"edits\": [...]}"));
    }
}

// The names of pictures inside an edit's value, to change them: of a field, or of those of a
// material as a whole.
std::vector<Json*> files_inside(const std::string& path, Json& value) {
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
        Json value = Json::parse(edit.value, nullptr, false);
        for (Json* const file : files_inside(edit.path, value)) {
            *file = renamed(file->get<std::string>());
            edit.value = dump(value, -1);
        }
    }
    return edits;
}

}  // namespace

std::string edit_file_beside(const std::string& scene) {
    std::error_code problem;
    // A file that is just being written anew may not be there.
    if (fs::exists(scene, problem) || fs::path(scene).has_parent_path()) {
        return scene + kSuffix;
    }
    std::string name = fs::path(scene).filename().string();
    std::replace_if(
        name.begin(),
        name.end(),
        [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) == 0; },
        '_');
    return name + kSuffix;
}

base::Result<EditFile> read_edit_file(const std::string& path) {
    const base::Result<Json> read = read_json(path);
    if (!read.is_ok()) {
        return read.error();
    }
    const Json& whole = read.value();
    if (!whole.is_object() || !whole.contains(kVersionMember)) {
        return wrong(path, "found no /weft_edits, expected {\"weft_edits\": 1, \"edits\": [...]}");
    }
    if (whole[kVersionMember] != kVersion) {
        return wrong(path, "/weft_edits is " + dump(whole[kVersionMember], -1) + ", expected 1");
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
        file.edits.push_back({edit["path"].get<std::string>(), dump(edit["value"], -1)});
    }
    return file;
}

base::Status write_edit_file(const std::string& path, const EditFile& file) {
    Json whole = {{kVersionMember, kVersion}, {"scene", file.scene}, {"edits", Json::array()}};
    for (const scene::Edit& edit : file.edits) {
        whole["edits"].push_back(
            {{"path", edit.path}, {"value", Json::parse(edit.value, nullptr, false)}});
    }
    const std::string text = dump(whole, 1) + "\n";
    base::Result<film::WholeFile> target = film::WholeFile::open(path);
    if (!target.is_ok()) {
        return target.error();
    }
    target.value().write_at(text.data(), text.size(), 0);
    return target.value().commit();
}

base::Status apply_edit_file(const std::string& path,
                             scene::Scene& scene,
                             scene::EditContext& context) {
    const base::Result<EditFile> file = read_edit_file(path);
    if (!file.is_ok()) {
        return file.error();
    }
    scene::Scene changed = scene;
    scene::EditContext changed_context = context;
    changed_context.folder = fs::path(path).parent_path().string();
    for (std::size_t i = 0; i < file.value().edits.size(); ++i) {
        const base::Result<u32> applied =
            scene::apply_edit(changed, changed_context, file.value().edits[i]);
        if (!applied.is_ok()) {
            return wrong(path, "/edits/" + std::to_string(i) + ": " + applied.error().sentence);
        }
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

}  // namespace weft::app
