#include "scheduler/base/cache_folder.h"

#include <cstdlib>

namespace weft::base {

namespace fs = std::filesystem;

fs::path default_cache_folder() {
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    if (cache && fs::path(cache).is_absolute()) {
        return fs::path(cache) / "weft";
    }
    const char* const home = std::getenv("HOME");
    return home && fs::path(home).is_absolute() ? fs::path(home) / ".cache" / "weft" : fs::path();
}

}  // namespace weft::base
