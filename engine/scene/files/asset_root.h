// asset_root.h — which files a scene may read: those in its own folder, and in the folders that the
// person who opens it names with --asset-root.
//
// A scene file is often a stranger's. Every file name in it passes through find() (or holds(),
// where a library has already made a path of it) before anything is opened. Symbolic links, "." and
// ".." are resolved first; what then lies outside is refused, whether it exists or not. Reads the
// file system. Immutable after construction: any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/base/result.h"

namespace weft::scene {

class AssetRoots {
public:
    // The folder of `scene_file` (empty: the current one) and `more_folders`; "/" allows all.
    AssetRoots(const std::string& scene_file, const std::vector<std::string>& more_folders);

    // The path of the file that the scene calls `name`. A relative name is searched in the scene's
    // folder, then in the others, and there by its last part as well, at last in the folders below
    // them; '\' also separates folders unless a file has it in its name. An absolute one
    // ("/home/ann/wood.png", "C:\wood.png") was written on another machine: its last part is
    // searched in all folders first, then the name as it stands. Where no file exists, the path
    // that the name says; empty where that is not allowed, and for a name with a zero byte.
    [[nodiscard]] std::optional<std::string> find(const std::string& name) const;

    // Whether `path`, with its links resolved, lies in one of the folders.
    [[nodiscard]] bool holds(const std::string& path) const;

private:
    // Where a file of this name may lie, allowed or not; best first.
    [[nodiscard]] std::vector<std::filesystem::path> candidates(const std::string& name) const;

    std::filesystem::path scene_folder_;                // as it was written
    std::vector<std::filesystem::path> more_folders_;   // as they were written
    std::vector<std::filesystem::path> whole_folders_;  // all of them, absolute, without links
};

// "PLACE is "NAME", which lies outside of the scene's folder; expected ... --asset-root DIR ...".
base::Error outside_error(const std::string& place, const std::string& name);

}  // namespace weft::scene
