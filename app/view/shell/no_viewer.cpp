// no_viewer.cpp — `weft view` in a build without the viewer's packages.
#include "app/command/exit_code.h"
#include "app/command/messages.h"
#include "app/command/option_values.h"
#include "app/view/shell/view_command.h"

namespace weft::app {

void add_view_options(Command& command, ViewOptions& options) {
    command.add({"SCENE", "a scene, as for weft render"}, any_texts(options.render.scenes));
}

int run_view(const ViewOptions& /*options*/, const std::string& /*command_line*/) {
    say(Level::Error,
        "view is not in this build; expected libglfw3-dev, libimgui-dev and libgl-dev when it was "
        "configured");
    return kExitUsage;
}

}  // namespace weft::app
