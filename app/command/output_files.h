// output_files.h — refuses outputs that would overwrite each other or an input.
//
// Reads the file system and changes nothing. Any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/film/image_file.h"
#include "scheduler/base/result.h"

namespace weft::app {

// A file that an option names. check_outputs() skips entries with an empty path.
struct NamedFile {
    std::string option;
    std::string path;
};

// Returns a usage error if two outputs are the same file, or if an output is an input, through any
// spelling and any link. A device may be the target of several outputs. If `prints`, the command
// prints its result on stdout, so stdout cannot be an output file as well.
base::Status check_outputs(const std::vector<NamedFile>& outputs,
                           const std::vector<NamedFile>& inputs,
                           bool prints);

// film::check_image_target(); a name that no picture can have ends with the page that helps, too.
base::Status check_picture_file(const std::string& path, const film::ImageConfig& config);

// Whether --no-clobber keeps an output that exists already; then it says so.
bool keeps_existing(const std::string& output, bool no_clobber);

}  // namespace weft::app
