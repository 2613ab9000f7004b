// denoise_file_command.h — `weft denoise`: takes the noise out of a picture that holds its film.
#pragma once

#include <string>

#include "app/command/render_options.h"

namespace weft::app {

struct DenoiseFileOptions {
    std::string input;      // an EXR of --keep-film or --slice, a merged one, or a checkpoint
    RenderOptions picture;  // output, and how it is written: type, compression, view, no_clobber
};

// Returns the exit code.
int run_denoise(const DenoiseFileOptions& options, const std::string& command_line);

}  // namespace weft::app
