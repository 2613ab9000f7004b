// cache_folder.h — the folder of this user for files that the program can make again, and folders
// that nobody else may enter. Any thread.
#pragma once

#include <filesystem>

#include "scheduler/base/result.h"

namespace weft::base {

// $XDG_CACHE_HOME/weft where that is set to an absolute path, else $HOME/.cache/weft. Empty:
// neither.
std::filesystem::path default_cache_folder();

// Whether the folder itself (not what a link leads to) is a folder of this user with mode 0700.
// Errors of kind Output say "FOLDER: why".
Status check_private_folder(const std::filesystem::path& folder);

// Makes the folder, with mode 0700, and its parents where they are missing; then checks it.
Status make_private_folder(const std::filesystem::path& folder);

}  // namespace weft::base
