#include "scheduler/base/cache_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace weft::base {

namespace fs = std::filesystem;

namespace {

Error refused(const fs::path& folder, const std::string& why) {
    return {ErrorKind::Output, folder.string() + ": " + why};
}

}  // namespace

fs::path default_cache_folder() {
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    if (cache && fs::path(cache).is_absolute()) {
        return fs::path(cache) / "weft";
    }
    const char* const home = std::getenv("HOME");
    return home && fs::path(home).is_absolute() ? fs::path(home) / ".cache" / "weft" : fs::path();
}

Status check_private_folder(const fs::path& folder) {
    struct stat status {};

    if (lstat(folder.c_str(), &status) != 0) {
        return refused(folder, std::strerror(errno));
    }
    if (!S_ISDIR(status.st_mode)) {
        return refused(folder, "expected a folder, found something else or a link");
    }
    if (status.st_uid != geteuid()) {
        return refused(folder,
                       "it belongs to user " + std::to_string(status.st_uid) +
                           ", expected the user who runs this program");
    }
    if ((status.st_mode & 077) != 0) {
        return refused(folder, "others may enter it, expected mode 0700");
    }
    return Done{};
}

Status make_private_folder(const fs::path& named) {
    // The parent of "a/" is "a", which would then be made with another mode.
    const fs::path folder = named.has_filename() ? named : named.parent_path();
    if (!folder.is_absolute()) {
        return refused(folder, "expected an absolute path; are XDG_CACHE_HOME and HOME unset?");
    }
    std::error_code failed;
    fs::create_directories(folder.parent_path(), failed);
    if (failed) {
        return refused(folder, failed.message());
    }
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
        return refused(folder, std::strerror(errno));
    }
    return check_private_folder(folder);
}

}  // namespace weft::base
