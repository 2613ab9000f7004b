// output_files.h — whether the files that a command writes get in each other's way.
//
// Asks the file system, changes nothing. Any thread.
#pragma once

#include <string>
#include <vector>

#include "scheduler/base/result.h"

namespace weft::app {

// A file as an option names it; without a path it is left out.
struct NamedFile {
    std::string option;
    std::string path;
};

// Usage error where two outputs are one file, or an output is an input: by any spelling and through
// links. Devices take several. `prints` says that the command prints its result on the standard
// output, which then is no output file.
base::Status check_outputs(const std::vector<NamedFile>& outputs,
                           const std::vector<NamedFile>& inputs,
                           bool prints);

}  // namespace weft::app
