#include "app/view/shell/view_command.h"

#include <new>
#include <system_error>

#include "app/command/exit_code.h"
#include "app/command/messages.h"
#include "app/command/option_values.h"
#include "app/command/signals.h"
#include "app/view/shell/view_stats.h"
#include "app/view/shell/viewer.h"

namespace weft::app {

namespace {

int view(const ViewOptions& options, const std::string& command_line) {
    auto viewer = Viewer::open(options, command_line);
    if (!viewer.is_ok()) {
        return fail(viewer.error());
    }
    const base::Status ran = viewer.value()->run();
    if (!options.render.stats_file.empty()) {
        const ViewState& state = viewer.value()->state();
        const base::Status written = write_view_stats(
            options.render.stats_file, state.link, state.ui.frame_times, command_line);
        if (!written.is_ok()) {
            return fail(written.error());
        }
    }
    if (!ran.is_ok()) {
        return fail(ran.error());
    }
    return was_interrupted() ? kExitSignal : kExitDone;
}

}  // namespace

void add_view_options(Command& command, ViewOptions& options) {
    // Open scenes with missing pictures, and list those.
    options.render.missing_file = scene::MissingFile::Checker;
    add_render_options(command, options.render);
    command.set_required("SCENE", false);
    // Reject the options that only make sense for a program that writes a picture and ends.
    for (const char* const name : {"--output",
                                   "--no-clobber",
                                   "--dry-run",
                                   "--debug-pixel",
                                   "--trace",
                                   "--progress",
                                   "--time-limit",
                                   "--pixelbounds",
                                   "--slice",
                                   "--checkpoint",
                                   "--checkpoint-interval",
                                   "--resume",
                                   "--denoise-command",
                                   "--guiding",
                                   "--frames",
                                   "--frame-start",
                                   "--frame-end",
                                   "--frame-jump",
                                   "--fps",
                                   "--animation",
                                   "--shutter",
                                   "--shutter-moments",
                                   "--skip-bad-frames"}) {
        command.remove(name);
    }
    command.set_help("--denoise",
                     "=quality|fast|off: take the noise out of the pictures that are shown, not of "
                     "files; quality: fast while they change, and as weft denoise once they rest; "
                     "without a value, and without this option, quality");
    command.add({"--script", "carry out a file of input events (app/view/README.md)"},
                any_text(options.script_file, "FILE"));
    command.add(
        {"--ui-scale", "size of text and handles", "", "as remembered, else as the monitor says"},
        number_between(options.interface_scale, 0, kMostInterfaceScale));
}

int run_view(const ViewOptions& options, const std::string& command_line) {
    try {
        return view(options, command_line);
    } catch (const std::bad_alloc&) {
        return fail_without_memory(
            "out of memory: the scene or the picture is too large for this machine");
    } catch (const std::system_error& error) {
        return fail(no_thread(error));
    }
}

}  // namespace weft::app
