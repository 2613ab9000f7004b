// merge_command.h — `weft merge`: joins slices of one picture, exactly.
#pragma once

#include <string>
#include <vector>

#include "app/command/render_options.h"

namespace weft::app {

struct MergeOptions {
    std::vector<std::string> files;  // OUT, then IN…
    RenderOptions picture;  // how OUT is written: type, compression, view, exposure, no_clobber
};

// Returns the exit code.
int run_merge(const MergeOptions& options, const std::string& command_line);

}  // namespace weft::app
