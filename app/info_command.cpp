#include "app/info_command.h"

#include <fmt/format.h>

#include "app/exit_code.h"
#include "app/standard_output.h"
#include "engine/scene/scene_report.h"

namespace weft::app {

int run_info(const RenderOptions& options) {
    auto scene = scene::import_scene(options.scenes, import_config(options));
    base::Status environment =
        scene.is_ok() ? apply_environment(options, scene.value()) : scene.error();
    if (!environment.is_ok()) {
        fmt::print(stderr, "weft: {}\n", environment.error().sentence);
        return exit_code(environment.error().kind);
    }
    scene::complete_scene(scene.value());
    return put_on_stdout(scene::scene_report(scene.value())) ? kExitDone : kExitOutput;
}

}  // namespace weft::app
