#include "app/view/session/put_aside.h"

#include <filesystem>

#include "scheduler/base/ids.h"

namespace weft::app {

namespace {

namespace fs = std::filesystem;

}  // namespace

base::Result<std::string> move_aside(const std::string& path) {
    std::error_code problem;
    for (u32 number = 1;; ++number) {
        const std::string aside = path + ".old" + (number == 1 ? "" : std::to_string(number));
        if (fs::exists(aside, problem)) {
            continue;
        }
        fs::rename(path, aside, problem);
        if (problem) {
            return base::Error{base::ErrorKind::Output,
                               path + ": cannot be moved to " + aside + " (" + problem.message() +
                                   "); expected a folder with write permission"};
        }
        return aside;
    }
}

std::string set_aside(const std::string& path, const std::string& fault) {
    const base::Result<std::string> moved = move_aside(path);
    return fault + (moved.is_ok() ? "; it is set aside as " + moved.value()
                                  : "; it stays there: " + moved.error().sentence);
}

}  // namespace weft::app
