// asset_root.cpp — see asset_root.h.
#include "engine/scene/files/asset_root.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace weft::scene {
namespace {

namespace fs = std::filesystem;

// Names longer than this are cut in sentences.
constexpr std::size_t kShownLetters = 60;

// The path without links, "." and ".."; its last parts need not exist. Empty where it cannot be
// followed.
fs::path resolved(const fs::path& path) {
    std::error_code problem;
    fs::path whole = fs::weakly_canonical(fs::absolute(path, problem), problem);
    return problem ? fs::path() : whole;
}

bool lies_in(const fs::path& file, const fs::path& folder) {
    const auto [rest_of_folder, rest] =
        std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
    return rest_of_folder == folder.end();
}

bool has_drive(const std::string& name) {
    return name.size() > 2 && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
           name[1] == ':' && (name[2] == '/' || name[2] == '\\');
}

std::string with_slashes(std::string name) {
    std::replace(name.begin(), name.end(), '\\', '/');
    return name;
}

// The file of this name below the folder: the one in the fewest folders, then the first by name.
// Folders behind links, folders deeper than kMostDepth and files beyond kMostEntries are left out.
fs::path file_below(const fs::path& folder, const fs::path& name) {
    constexpr int kMostDepth = 4;
    constexpr int kMostEntries = 4096;
    std::error_code problem;
    fs::recursive_directory_iterator entry(
        folder, fs::directory_options::skip_permission_denied, problem);
    std::pair<int, fs::path> best = {kMostDepth + 1, {}};
    for (int count = 0;
         !problem && entry != fs::recursive_directory_iterator() && count < kMostEntries;
         ++count, entry.increment(problem)) {
        if (entry.depth() >= kMostDepth) {
            entry.disable_recursion_pending();
        }
        std::error_code unknown;
        if (entry->path().filename() == name && entry->is_regular_file(unknown)) {
            best = std::min(best, {entry.depth(), entry->path()});
        }
    }
    return best.second;
}

}  // namespace

AssetRoots::AssetRoots(const std::string& scene_file, const std::vector<std::string>& more_folders)
    : scene_folder_(fs::path(scene_file).parent_path()),
      more_folders_(more_folders.begin(), more_folders.end()) {
    whole_folders_.push_back(resolved(scene_folder_.empty() ? fs::path(".") : scene_folder_));
    for (const fs::path& folder : more_folders_) {
        // "textures/" without its last slash, which would count as one more part.
        whole_folders_.push_back(resolved(folder.has_filename() ? folder : folder.parent_path()));
    }
    std::erase(whole_folders_, fs::path());
}

bool AssetRoots::holds(const std::string& path) const {
    const fs::path whole = resolved(path);
    return !whole.empty() &&
           std::any_of(whole_folders_.begin(), whole_folders_.end(), [&](const fs::path& folder) {
               return lies_in(whole, folder);
           });
}

std::vector<fs::path> AssetRoots::candidates(const std::string& name) const {
    const std::string slashed = with_slashes(name);
    std::vector<fs::path> files;
    const auto add_in_all_folders = [&](const fs::path& relative) {
        files.push_back(scene_folder_ / relative);
        for (const fs::path& folder : more_folders_) {
            files.push_back(folder / relative);
        }
    };
    if (slashed.starts_with('/') || has_drive(name)) {
        add_in_all_folders(fs::path(slashed).filename());
        files.emplace_back(name.starts_with('/') ? name : "");
        return files;
    }
    add_in_all_folders(name);
    if (slashed != name) {
        add_in_all_folders(slashed);
    }
    // A folder named for a scene's missing files may be the one that they lie in.
    for (const fs::path& folder : more_folders_) {
        files.push_back(folder / fs::path(slashed).filename());
    }
    return files;
}

std::optional<std::string> AssetRoots::find(const std::string& name) const {
    // The system would read such a name only to its zero byte, and open another file than was
    // judged.
    if (name.find('\0') != std::string::npos) {
        return std::nullopt;
    }
    std::vector<fs::path> files = candidates(name);
    std::erase_if(files, [&](const fs::path& file) { return !holds(file.string()); });
    for (const fs::path& file : files) {
        std::error_code problem;
        if (fs::is_regular_file(file, problem)) {
            return file.string();
        }
    }
    for (const fs::path& folder : more_folders_) {
        const fs::path file = file_below(folder, fs::path(with_slashes(name)).filename());
        if (!file.empty() && holds(file.string())) {
            return file.string();
        }
    }
    // No file exists: judge the path that the name says. Of an absolute name from another system
    // only the last part counts.
    const std::string slashed = with_slashes(name);
    const fs::path said = name.starts_with('/') ? fs::path(name)
                          : has_drive(name)     ? scene_folder_ / fs::path(slashed).filename()
                                                : scene_folder_ / name;
    const bool is_allowed = holds(said.string()) && (has_drive(name) || slashed == name ||
                                                     holds((scene_folder_ / slashed).string()));
    return is_allowed ? std::optional(said.string()) : std::nullopt;
}

base::Error outside_error(const std::string& place, const std::string& name) {
    const std::string shown =
        name.size() <= kShownLetters ? name : name.substr(0, kShownLetters - 3) + "...";
    return {base::ErrorKind::Scene,
            place + " is \"" + shown +
                "\", which lies outside of the scene's folder; expected a file inside of it (or "
                "--asset-root DIR, which allows the files of one more folder)."};
}

}  // namespace weft::scene
