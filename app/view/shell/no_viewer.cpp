// no_viewer.cpp — `weft view` in a build without the viewer's packages.
#include <CLI/CLI.hpp>

#include "app/command/exit_code.h"
#include "app/command/messages.h"
#include "app/view/shell/view_command.h"

namespace weft::app {

void add_view_options(CLI::App& command, ViewOptions& options) {
    command.add_option("SCENE", options.render.scenes, "a scene, as for weft render");
}

int run_view(const ViewOptions& /*options*/, const std::string& /*command_line*/) {
    say(Level::Error,
        "view is not in this build; expected libglfw3-dev, libimgui-dev and libgl-dev when it was "
        "configured");
    return kExitUsage;
}

}  // namespace weft::app
