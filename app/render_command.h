// render_command.h — `weft render`: scene in, picture out. Returns the exit code.
#pragma once

#include <string>

#include "app/command/render_options.h"

namespace weft::app {

int run_render(const RenderOptions& options, const std::string& command_line);

}  // namespace weft::app
