#include "app/command/output_lock.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/film/film_hash.h"
#include "engine/film/whole_file.h"

namespace weft::app {

OutputLock::~OutputLock() {
    if (socket_ >= 0) {
        ::close(socket_);
    }
}

base::Result<OutputLock> OutputLock::take(const std::string& path) {
    if (path.empty() || film::is_standard_output(path)) {
        return OutputLock();
    }
    namespace fs = std::filesystem;
    const fs::path target = film::end_of_links(path);
    const std::string folder = target.parent_path().empty() ? "." : target.parent_path().string();
    struct stat file = {};
    struct stat place = {};
    const bool is_special = ::stat(target.c_str(), &file) == 0 && !S_ISREG(file.st_mode);
    if (is_special || ::stat(folder.c_str(), &place) != 0) {
        return OutputLock();  // opening the file tells what is wrong with the folder
    }
    film::Hash128 hash;
    hash.absorb(place.st_dev);
    hash.absorb(place.st_ino);
    hash.absorb(target.filename().string());

    // A name that begins with a zero is abstract: it is in no folder.
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const std::string name = "weft-output-" + hash.hex();
    std::copy(name.begin(), name.end(), std::begin(address.sun_path) + 1);
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    OutputLock lock(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (lock.socket_ >= 0 &&
        ::bind(lock.socket_, reinterpret_cast<const sockaddr*>(&address), length) != 0 &&
        errno == EADDRINUSE) {
        return base::Error{base::ErrorKind::Output,
                           path +
                               ": another weft is writing it at present; expected an output "
                               "of its own"};
    }
    return lock;
}

}  // namespace weft::app
