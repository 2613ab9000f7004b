#include "app/command/output_files.h"

#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "app/command/messages.h"
#include "engine/film/whole_file.h"

namespace weft::app {

namespace {

// The identity of a file name's target: an existing file, or a name in an existing folder.
struct Place {
    bool exists = false;
    bool is_device = false;
    dev_t device = 0;  // of the file, else of the folder
    ino_t inode = 0;
    std::string name;  // in the folder

    bool operator==(const Place&) const = default;
};

Place place_of(const std::string& path) {
    Place place;

    struct stat status {};

    place.exists = film::is_standard_output(path) ? ::fstat(STDOUT_FILENO, &status) == 0
                                                  : ::stat(path.c_str(), &status) == 0;
    if (!place.exists) {
        const std::filesystem::path target = film::end_of_links(path);
        const std::filesystem::path folder = target.parent_path();
        place.name = target.filename().string();
        if (::stat(folder.empty() ? "." : folder.c_str(), &status) != 0) {
            place.name = path;  // opening the file will report the missing folder
        }
    }
    place.is_device = place.exists && S_ISCHR(status.st_mode);
    place.device = status.st_dev;
    place.inode = status.st_ino;
    return place;
}

base::Error clash(const NamedFile& first, const NamedFile& second, const char* what) {
    return {base::ErrorKind::Usage,
            with_page(fmt::format("{} {} and {} {} are the same file; expected {}",
                                  first.option,
                                  first.path,
                                  second.option,
                                  second.path,
                                  what),
                      kFilesPage)};
}

}  // namespace

base::Status check_outputs(const std::vector<NamedFile>& outputs,
                           const std::vector<NamedFile>& inputs,
                           bool prints) {
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        const NamedFile& output = outputs[k];
        if (output.path.empty()) {
            continue;
        }
        if (prints && film::is_standard_output(output.path)) {
            return base::Error{
                base::ErrorKind::Usage,
                fmt::format("{} {}: the standard output carries the result; expected a file name",
                            output.option,
                            output.path)};
        }
        const Place place = place_of(output.path);
        if (place.is_device) {
            continue;
        }
        for (std::size_t other = 0; other < k; ++other) {
            if (!outputs[other].path.empty() && place_of(outputs[other].path) == place) {
                return clash(outputs[other], output, "two names");
            }
        }
        for (const NamedFile& input : inputs) {
            if (!input.path.empty() && place.exists && place_of(input.path) == place) {
                return clash(input, output, "an output that replaces no input");
            }
        }
    }
    return base::Done{};
}

base::Status check_picture_file(const std::string& path, const film::ImageConfig& config) {
    const base::Status checked = film::check_image_target(path, config);
    if (checked.is_ok()) {
        return checked;
    }
    return base::Error{checked.error().kind, with_page(checked.error().sentence, kFilesPage)};
}

bool keeps_existing(const std::string& output, bool no_clobber) {
    std::error_code unknown;
    if (!no_clobber || film::is_standard_output(output) ||
        !std::filesystem::exists(output, unknown)) {
        return false;
    }
    say(Level::Info, output + " exists and is kept (--no-clobber)");
    return true;
}

}  // namespace weft::app
