#include "app/view/shell/view_command.h"

#include <CLI/CLI.hpp>
#include <new>
#include <system_error>

#include "app/command/exit_code.h"
#include "app/command/messages.h"
#include "app/command/option_checks.h"
#include "app/view/shell/view_stats.h"
#include "app/view/shell/viewer.h"

namespace weft::app {

namespace {

int view(const ViewOptions& options, const std::string& command_line) {
    auto viewer = Viewer::open(options);
    if (!viewer.is_ok()) {
        return fail(viewer.error());
    }
    const base::Status ran = viewer.value()->run();
    if (!options.render.stats_file.empty()) {
        const base::Status written =
            write_view_stats(options.render.stats_file, viewer.value()->state(), command_line);
        if (!written.is_ok()) {
            return fail(written.error());
        }
    }
    return ran.is_ok() ? kExitDone : fail(ran.error());
}

}  // namespace

void add_view_options(CLI::App& command, ViewOptions& options) {
    options.render.missing_file = "checker";  // opens scenes with missing pictures, and lists those
    add_render_options(command, options.render);
    command.get_option("SCENE")->required(false);
    // Reject the options that only make sense for a program that writes a picture and ends.
    for (const char* const name : {"--output",
                                   "--no-clobber",
                                   "--dry-run",
                                   "--debug-pixel",
                                   "--trace",
                                   "--progress",
                                   "--time-limit",
                                   "--pixelbounds"}) {
        command.remove_option(command.get_option(name));
    }
    command.add_option(
        "--script", options.script_file, "carry out a file of input events (app/view/README.md)");
    command.add_option("--ui-scale", options.interface_scale, "size of text and handles")
        ->check(number_between(0, kMostInterfaceScale))
        ->default_str("as remembered, else as the monitor says");
}

int run_view(const ViewOptions& options, const std::string& command_line) {
    try {
        return view(options, command_line);
    } catch (const std::bad_alloc&) {
        return fail({base::ErrorKind::Memory,
                     "out of memory: the scene or the picture is too large for this machine"});
    } catch (const std::system_error& error) {
        return fail(no_thread(error));
    }
}

}  // namespace weft::app
