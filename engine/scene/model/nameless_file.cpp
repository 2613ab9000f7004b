#include "engine/scene/model/nameless_file.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace weft::scene {

int open_nameless(const std::string& folder) {
    // Make the folder for this user alone; a slash at its end is no name below it.
    const std::filesystem::path path(folder);
    const std::filesystem::path whole = path.has_filename() ? path : path.parent_path();
    std::error_code ignored;  // opening the file finds what is wrong
    std::filesystem::create_directories(whole.parent_path(), ignored);
    ::mkdir(whole.c_str(), S_IRWXU);
    const int descriptor =
        ::open(folder.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) {
        return descriptor;
    }
    // File systems that know no such files get one that loses its name at once.
    std::string name = folder + "/weft-XXXXXX";
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0) {
        ::unlink(name.c_str());
    }
    return named;
}

}  // namespace weft::scene
