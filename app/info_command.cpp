#include "app/info_command.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/command/exit_code.h"
#include "app/command/messages.h"
#include "app/command/standard_output.h"
#include "engine/frame/frame_runtime.h"
#include "engine/pages/page_folder.h"
#include "engine/scene/model/scene_report.h"

namespace weft::app {

int run_info(const RenderOptions& options) {
    auto scene = read_scenes(options, import_config(options));
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

int run_cache(const RenderOptions& options) {
    const std::string folder = page_folder(options);
    const std::vector<pages::FolderFile> files = pages::page_files(folder);
    u64 size_bytes = 0;
    std::string list;
    for (const pages::FolderFile& file : files) {
        size_bytes += file.size_bytes;
        list += fmt::format("  {}  {:>8.1f} MiB  used {:%Y-%m-%d %H:%M}\n",
                            file.name,
                            static_cast<double>(file.size_bytes) / (1 << 20),
                            fmt::localtime(file.used_at));
    }
    const std::string head = fmt::format("page files in {}: {}, {:.1f} MiB\n",
                                         folder,
                                         files.size(),
                                         static_cast<double>(size_bytes) / (1 << 20));
    return put_on_stdout(head + list) ? kExitDone : kExitOutput;
}

}  // namespace weft::app
