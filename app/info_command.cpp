#include "app/info_command.h"

#include "app/command/exit_code.h"
#include "app/command/messages.h"
#include "app/command/standard_output.h"
#include "engine/frame/frame_runtime.h"
#include "engine/scene/model/scene_report.h"

namespace weft::app {

int run_info(const RenderOptions& options) {
    auto scene = scene::import_scene(options.scenes, import_config(options));
    base::Status environment =
        scene.is_ok() ? apply_environment(options, scene.value()) : scene.error();
    if (!environment.is_ok()) {
        return fail(environment.error());
    }
    scene::complete_scene(scene.value());
    return put_on_stdout(scene::scene_report(scene.value())) ? kExitDone : kExitOutput;
}

int run_devices(const RenderOptions& options) {
    const base::Result<frame::RenderSettings> settings = pick_settings(options, scene::Camera{});
    if (!settings.is_ok()) {
        return fail(settings.error());
    }
    frame::FrameRuntime runtime(settings.value());
    base::Status chosen = runtime.choose(settings.value());
    if (!chosen.is_ok()) {
        return fail(chosen.error());
    }
    return put_on_stdout(runtime.report(settings.value())) ? kExitDone : kExitOutput;
}

}  // namespace weft::app
