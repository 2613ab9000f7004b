// render_command.h — `weft render`: renders a scene to a picture.
#pragma once

#include <string>

#include "app/command/render_options.h"

namespace weft::app {

// Returns the exit code.
int run_render(const RenderOptions& options, const std::string& command_line);

}  // namespace weft::app
