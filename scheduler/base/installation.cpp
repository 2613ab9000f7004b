// installation.cpp — see installation.h.
#include "scheduler/base/installation.h"

#include <system_error>
#include <utility>

namespace weft::base {

namespace {

namespace fs = std::filesystem;

// Empty: that of the process.
fs::path& stated_folder() {
    static fs::path folder;
    return folder;
}

// The folder of the running program; empty if it is unknown.
fs::path program_folder() {
    std::error_code problem;
    return stated_folder().empty() ? fs::read_symlink("/proc/self/exe", problem).parent_path()
                                   : stated_folder();
}

// A file below the prefix of the installation; empty if the program is not installed or has no such
// file.
fs::path installed_file(const char* place, std::string_view name) {
    const fs::path folder = program_folder();
    const fs::path file = folder.parent_path() / place / name;
    std::error_code problem;
    return folder.filename() == "bin" && fs::exists(file, problem) ? file : fs::path();
}

}  // namespace

void set_program_folder(fs::path folder) {
    stated_folder() = std::move(folder);
}

bool is_own_program() {
    return stated_folder().empty();
}

std::string installed_part(std::string_view name) {
    const fs::path installed = installed_file("lib/weft", name);
    const fs::path folder = program_folder();
    return !installed.empty() ? installed.string()
           : folder.empty()   ? std::string()
                              : (folder / name).string();
}

std::string shared_path(std::string_view name) {
    const fs::path installed = installed_file("share/weft", name);
    return installed.empty() ? (fs::path(WEFT_SOURCE_DIR) / name).string() : installed.string();
}

}  // namespace weft::base
