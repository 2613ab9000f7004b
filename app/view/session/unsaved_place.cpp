// unsaved_place.cpp — a lock file beside each file in use; the system releases the lock with the
// process, however that ends.
#include "app/view/session/unsaved_place.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/command/edit_file.h"
#include "scheduler/base/ids.h"

namespace weft::app {

namespace {

namespace fs = std::filesystem;

// The most files of one scene that sessions running side by side may leave behind.
constexpr u32 kMostLeft = 16;

// One name per scene, from its whole path.
std::string unsaved_name(const std::string& scene) {
    const fs::path whole = whole_scene_name(scene);
    return whole.stem().string() + "-" + hash_digits(whole.string());
}

// Whether the path still names the opened file: a session removes its lock file when it releases
// it.
bool is_named(int file, const std::string& path) {
    struct stat opened {};

    struct stat named {};

    return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

UnsavedPlace::UnsavedPlace(const std::string& folder, const std::string& scene) {
    if (folder.empty()) {
        return;
    }
    std::error_code problem;
    fs::create_directories(folder, problem);  // a failure here reappears on writing, with a message
    const std::string stem = (fs::path(folder) / unsaved_name(scene)).string();
    const auto path = [&stem](u32 number) {
        return stem + (number == 1 ? "" : "-" + std::to_string(number)) + ".json";
    };
    for (u32 number = 1; number <= kMostLeft; ++number) {
        if (fs::is_regular_file(path(number), problem) && take(path(number))) {
            return;
        }
    }
    for (u32 number = 1; path_.empty(); ++number) {
        take(path(number));
    }
}

UnsavedPlace::~UnsavedPlace() {
    if (lock_ >= 0) {
        ::unlink(lock_path_.c_str());
        ::close(lock_);
    }
}

// False: a running session holds it. If the file system has no locks, takes it without one.
bool UnsavedPlace::take(const std::string& path) {
    const std::string lock_path = path + ".lock";
    for (;;) {
        const int file = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        const bool is_locked = file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0;
        const bool is_in_use = file >= 0 && !is_locked && errno == EWOULDBLOCK;
        if (is_locked && !is_named(file, lock_path)) {
            ::close(file);
            continue;
        }
        if (is_locked) {
            lock_ = file;
            lock_path_ = lock_path;
        } else if (file >= 0) {
            ::close(file);
        }
        path_ = is_in_use ? "" : path;
        return !is_in_use;
    }
}

}  // namespace weft::app
