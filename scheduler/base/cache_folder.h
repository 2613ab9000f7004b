// cache_folder.h — the folder of this user for files that the program can make again.
#pragma once

#include <filesystem>

namespace weft::base {

// $XDG_CACHE_HOME/weft where that is set to an absolute path, else $HOME/.cache/weft. Empty:
// neither.
std::filesystem::path default_cache_folder();

}  // namespace weft::base
