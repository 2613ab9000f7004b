#include "tests/style/source_rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

namespace weft::style {

namespace {

// By rank, lowest first. Tests may include anything.
constexpr std::array<std::string_view, 24> kRooms = {"scheduler/base",
                                                     "scheduler/unit",
                                                     "scheduler/fibre",
                                                     "scheduler/task",
                                                     "scheduler/compute",
                                                     "scheduler/command",
                                                     "shaders",
                                                     "engine/math",
                                                     "engine/colour",
                                                     "engine/image",
                                                     "engine/scene",
                                                     "engine/pages",
                                                     "engine/accel",
                                                     "engine/film",
                                                     "engine/denoise",
                                                     "engine/trace",
                                                     "engine/frame",
                                                     "engine/live",
                                                     "engine/bench",
                                                     "app/command",
                                                     "app/serve",
                                                     "app/view",
                                                     "app",
                                                     "integrations/python"};

// Folders within a room that have ranks of their own, lowest first. The room itself stands for the
// files beside its folders; a room without an entry here has no such order.
constexpr std::array<std::string_view, 27> kFolders = {
    "shaders/host",      "shaders/lanes",          "shaders/surface",         "shaders/lights",
    "shaders/traverse",  "shaders/kernels",        "engine/scene/files",      "engine/scene/model",
    "engine/scene",      "engine/scene/parts",     "engine/scene/gltf",       "engine/scene/assimp",
    "engine/scene/pbrt", "engine/scene/mitsuba",   "engine/scene/procedural", "engine/scene/edit",
    "engine/trace",      "engine/trace/reference", "app/view/background",     "app/view/models",
    "app/view/window",   "app/view/session",       "app/view/handles",        "app/view/viewport",
    "app/view/panels",   "app/view/script",        "app/view/shell"};

constexpr std::array<std::string_view, 6> kTops = {
    "scheduler", "shaders", "engine", "app", "integrations", "tests"};
constexpr std::array<std::string_view, 8> kBannedFolders = {
    "util", "utils", "common", "helper", "helpers", "manager", "managers", "misc"};

constexpr std::size_t kMostLines = 500;
constexpr std::size_t kLeastPageLines = 40;
constexpr std::size_t kMostPageLines = 100;

bool is_in(std::string_view path, std::string_view folder) {
    return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

// True if the line calls a function of this name without the namespace in front.
bool has_bare_call(std::string_view line, std::string_view name) {
    const std::string call = std::string(name) + "(";
    for (auto at = line.find(call); at != line.npos; at = line.find(call, at + 1)) {
        const char before = at == 0 ? ' ' : line[at - 1];
        if (std::isalnum(static_cast<unsigned char>(before)) == 0 && before != '_' &&
            before != ':') {
            return true;
        }
    }
    return false;
}

std::size_t rank_of(std::string_view room) {
    return static_cast<std::size_t>(std::find(kRooms.begin(), kRooms.end(), room) - kRooms.begin());
}

// Whether kFolders orders the folders of the room.
bool has_folders(std::string_view room) {
    return std::any_of(kFolders.begin(), kFolders.end(), [&](std::string_view folder) {
        return room_of(folder) == room;
    });
}

// The rank in kFolders of the folder that holds the file; none: it has no entry there.
std::optional<std::size_t> folder_rank_of(std::string_view path) {
    const std::string_view folder = path.substr(0, path.rfind('/'));
    const auto* const found = std::find_if(
        kFolders.begin(), kFolders.end(), [&](std::string_view name) { return folder == name; });
    return found == kFolders.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(found - kFolders.begin()));
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return lines;
}

std::string_view trimmed(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

// The path between the quotes of an include line; empty for other lines and angle brackets.
std::string_view quoted_include(std::string_view line) {
    line = trimmed(line);
    if (!line.starts_with('#')) {
        return {};
    }
    line = trimmed(line.substr(1));
    if (!line.starts_with("include")) {
        return {};
    }
    const std::size_t begin = line.find('"');
    const std::size_t end = line.find('"', begin + 1);
    if (begin == std::string_view::npos || end == std::string_view::npos) {
        return {};
    }
    return line.substr(begin + 1, end - begin - 1);
}

// The text without blanks, so that a page may break lines elsewhere.
std::string joined(const std::vector<std::string_view>& lines) {
    std::string text;
    for (const std::string_view line : lines) {
        std::copy_if(line.begin(), line.end(), std::back_inserter(text), [](char letter) {
            return letter != ' ' && letter != '\t';
        });
    }
    return text;
}

// The lines after each line that equals `begin` up to the next that equals `end`, joined without
// indentation.
std::vector<std::string> regions(std::string_view text,
                                 std::string_view begin,
                                 std::string_view end) {
    std::vector<std::string> found;
    std::vector<std::string_view> region;
    bool is_inside = false;
    for (const std::string_view line : lines_of(text)) {
        if (!is_inside && trimmed(line) == begin) {
            is_inside = true;
            region.clear();
        } else if (is_inside && trimmed(line) == end) {
            is_inside = false;
            found.push_back(joined(region));
        } else if (is_inside) {
            region.push_back(line);
        }
    }
    return found;
}

}  // namespace

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string_view room_of(std::string_view path) {
    const auto room = std::find_if(
        kRooms.begin(), kRooms.end(), [&](std::string_view folder) { return is_in(path, folder); });
    return room == kRooms.end() ? std::string_view() : *room;
}

Faults rank_faults(std::string_view path, std::string_view text) {
    Faults faults;
    const bool is_test = is_in(path, "tests");
    const std::string_view own = room_of(path);
    if (!is_test && own.empty()) {
        faults.push_back(std::string(path) + " lies in no room that has a rank");
        return faults;
    }
    const std::optional<std::size_t> own_folder = folder_rank_of(path);
    if (!is_test && has_folders(own) && !own_folder) {
        faults.push_back(std::string(path) + " lies in no folder of " + std::string(own) +
                         " that has a rank");
    }
    for (const std::string_view line : lines_of(text)) {
        const std::string_view target = quoted_include(line);
        // Highway's headers are included by quotes, since its macros name some of them so.
        if (target.empty() || is_in(target, "hwy")) {
            continue;
        }
        const std::string edge = std::string(path) + " includes " + std::string(target);
        const bool is_from_root = std::any_of(
            kTops.begin(), kTops.end(), [&](std::string_view top) { return is_in(target, top); });
        if (!is_from_root) {
            faults.push_back(edge + ", which is no path from the root");
        } else if (is_test) {
            continue;
        } else if (room_of(target).empty()) {
            faults.push_back(edge + ", which lies in no room");
        } else if (rank_of(room_of(target)) > rank_of(own)) {
            faults.push_back(edge + ", which is of higher rank");
        } else if (own_folder && room_of(target) == own && folder_rank_of(target) > own_folder) {
            faults.push_back(edge + ", whose folder is of higher rank");
        }
    }
    return faults;
}

Faults package_faults(std::string_view path, std::string_view text) {
    // The reference tracer has a vector of its own, which no namespace of GLM can mistake.
    const bool can_mistake = (is_in(path, "engine") || is_in(path, "app")) &&
                             room_of(path) != "engine/math" &&
                             !is_in(path, "engine/trace/reference");
    Faults faults;
    for (const std::string_view line : lines_of(text)) {
        if (can_mistake && has_bare_call(line, "normalize")) {
            faults.push_back(std::string(path) +
                             " calls normalize(); expected math::normalize() or glm::normalize()");
        }
        if (line.starts_with("#include <glm/") && room_of(path) != "engine/math") {
            faults.push_back(std::string(path) +
                             " includes GLM, whose settings engine/math/vector.h defines");
        }
    }
    return faults;
}

Faults whole_state_faults(std::string_view path, std::string_view text) {
    const bool is_below_shell = is_in(path, "app/view") && !is_in(path, "app/view/shell");
    if (!is_below_shell || text.find("ViewState") == std::string_view::npos) {
        return {};
    }
    return {std::string(path) + " knows ViewState; expected the parts that it uses"};
}

Faults length_faults(std::string_view path, std::string_view text) {
    const std::size_t count = lines_of(text).size();
    if (count <= kMostLines) {
        return {};
    }
    return {std::string(path) + " has " + std::to_string(count) + " lines, expected 500 at most"};
}

Faults name_faults(std::string_view path) {
    Faults faults;
    for (std::size_t end = path.find('/'); end != std::string_view::npos; end = path.find('/')) {
        const std::string_view folder = path.substr(0, end);
        if (std::find(kBannedFolders.begin(), kBannedFolders.end(), folder) !=
            kBannedFolders.end()) {
            faults.push_back("a folder is called " + std::string(folder) + ": say what it is for");
        }
        path = path.substr(end + 1);
    }
    return faults;
}

Faults readme_faults(std::string_view room, const std::string* maybe_text) {
    const std::string page = std::string(room) + "/README.md";
    if (!maybe_text) {
        return {page + " is missing"};
    }
    const std::size_t count = lines_of(*maybe_text).size();
    if (count < kLeastPageLines || count > kMostPageLines) {
        return {page + " has " + std::to_string(count) + " lines, expected 40 to 100"};
    }
    return {};
}

Faults example_faults(std::string_view path,
                      std::string_view page,
                      const std::vector<std::string>& test_texts) {
    Faults faults;
    for (const std::string& example : regions(page, "```cpp", "```")) {
        const bool is_tested =
            std::any_of(test_texts.begin(), test_texts.end(), [&](const std::string& text) {
                const std::vector<std::string> tested =
                    regions(text, "// README example begins", "// README example ends");
                return std::find(tested.begin(), tested.end(), example) != tested.end();
            });
        if (!is_tested) {
            faults.push_back(std::string(path) +
                             " has an example that no test compiles: " + example.substr(0, 60));
        }
    }
    return faults;
}

}  // namespace weft::style
