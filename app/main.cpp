// main.cpp — the program `weft`: reads the command line, runs one command, returns a documented
// exit code.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "app/bench_command.h"
#include "app/command/exit_code.h"
#include "app/command/memory_option.h"
#include "app/command/messages.h"
#include "app/command/option_checks.h"
#include "app/command/option_help.h"
#include "app/command/render_options.h"
#include "app/command/shell_word.h"
#include "app/command/signals.h"
#include "app/command/standard_output.h"
#include "app/command/standard_streams.h"
#include "app/command/thread_budget.h"
#include "app/command/usage_error.h"
#include "app/command/version.h"
#include "app/compare_command.h"
#include "app/info_command.h"
#include "app/render_command.h"
#include "app/verify_command.h"
#include "app/view/shell/view_command.h"
#include "scheduler/base/trace_log.h"

namespace {

constexpr const char* kFooter =
    "Exit codes: 0 done, 1 failed while rendering (verify: a hash differs), 2 wrong usage, 3 scene "
    "or input cannot be used,\n"
    "4 output cannot be written, 5 ended by a signal with what there was saved, 130 ended by the "
    "second SIGINT,\n"
    "33 out of memory.";

using weft::app::CompareOptions;
using weft::app::RenderOptions;

CLI::App* add_info(CLI::App& program, RenderOptions& options, bool& is_of_devices) {
    CLI::App* info = program.add_subcommand(
        "info",
        "what is in a scene, what was repaired or ignored on import; what devices there are");
    add_scene_options(*info, options);
    add_device_options(*info, options);
    info->add_flag("--devices",
                   is_of_devices,
                   "devices, their scores for a frame, and what each kernel would run on them");
    info->get_option("SCENE")->required(false);  // main() requires it unless --devices is given
    return info;
}

CLI::App* add_compare(CLI::App& program, CompareOptions& options, std::string& memory_limit) {
    CLI::App* compare =
        program.add_subcommand("compare", "how far two pictures are apart, `NAME VALUE` per line");
    compare->add_option("A", options.first, "picture")->required();
    compare->add_option("B", options.second, "picture (the reference)")->required();
    compare->add_option("--metric", options.metric, "which measure")
        ->check(weft::app::one_of({"all", "rmse", "relmse", "psnr", "flip"}));
    compare->add_flag("--hdr", options.is_hdr, "HDR-FLIP instead of LDR-FLIP");
    compare
        ->add_option("--view-transform", options.view_transform, "what psnr and flip look through")
        ->check(weft::app::one_of({"standard", "filmic", "aces", "raw"}));
    compare->add_option("--exposure", options.exposure_stops, "stops before that view")
        ->check(weft::app::finite());
    compare->add_option("-o,--output", options.output, "write the difference as a picture")
        ->type_name("FILE");
    compare
        ->add_option("--memory-limit",
                     memory_limit,
                     "what the program may take of the machine's memory, for example 8G")
        ->default_str("what is free");
    return compare;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace weft::app;
    protect_standard_streams();
    weft::base::name_traced_thread("main");
    CLI::App program("weft - a path tracer that treats every ray as a fibre with a scheduling key");
    program.set_version_flag("--version", fmt::format("weft {}", kVersion));
    // Report a missing command below, after CLI11 has reported unknown words.
    program.require_subcommand(0, 1);
    program.footer(kFooter);

    RenderOptions render_options;
    CLI::App* render = program.add_subcommand("render", "path trace scenes to a picture");
    add_render_options(*render, render_options);
    render->footer(kFooter);

    ViewOptions view_options;
    CLI::App* view = program.add_subcommand("view", "light and render a scene in a window");
    add_view_options(*view, view_options);
    view->footer(kFooter);

    BenchOptions bench_options;
    CLI::App* bench = program.add_subcommand(
        "bench", "keyed against unkeyed against Embree, as a table and as JSON");
    add_bench_options(*bench, bench_options);
    bench->footer(kFooter);

    RenderOptions info_options;
    bool is_info_of_devices = false;
    CLI::App* info = add_info(program, info_options, is_info_of_devices);

    CompareOptions compare_options;
    CLI::App* compare = add_compare(program, compare_options, info_options.memory_limit);

    std::string verify_file;
    CLI::App* verify = program.add_subcommand(
        "verify", "recompute the hashes of a picture and hold them against its metadata");
    verify->add_option("FILE", verify_file, "an EXR written by weft")->required();

    for (CLI::App* const command : program.get_subcommands({})) {
        finish_options(*command);
    }
    const std::vector<std::string> words(argv, argv + argc);
    try {
        program.parse(argc, argv);
        if (program.get_subcommands().empty()) {
            throw CLI::RequiredError::Subcommand(1);
        }
        if (*info && info_options.scenes.empty() && !is_info_of_devices) {
            throw CLI::RequiredError("SCENE or --devices");
        }
    } catch (const CLI::CallForHelp&) {
        return put_on_stdout(program.help()) ? kExitDone : kExitOutput;
    } catch (const CLI::CallForVersion& version) {
        return put_on_stdout(std::string(version.what()) + "\n") ? kExitDone : kExitOutput;
    } catch (const CLI::ParseError& error) {
        return fail({weft::base::ErrorKind::Usage, usage_sentence(program, words, error)});
    }
    const std::string command_line = shell_line(words);
    install_signals();
    // Commands without --threads also need a budget: OpenImageIO reads and writes with several
    // threads.
    weft::u32 all_cores = 0;
    weft::u32& threads = *render  ? render_options.threads
                         : *view  ? view_options.render.threads
                         : *bench ? bench_options.render.threads
                         : *info  ? info_options.threads
                                  : all_cores;
    const RenderOptions& common = *render  ? render_options
                                  : *view  ? view_options.render
                                  : *bench ? bench_options.render
                                           : info_options;
    choose_messages(common);
    leave_on_signal("before anything was written");
    const weft::base::Status limited = apply_memory_limit(common.memory_limit);
    if (!limited.is_ok()) {
        return fail(limited.error());
    }
    const weft::base::Status has_threads = choose_threads(threads);
    if (!has_threads.is_ok()) {
        return fail(has_threads.error());
    }
    if (*render) {
        return run_render(render_options, command_line);
    }
    if (*view) {
        return run_view(view_options, command_line);
    }
    if (*bench) {
        return run_bench(bench_options, command_line);
    }
    if (*info) {
        return is_info_of_devices ? run_devices(info_options) : run_info(info_options);
    }
    if (*compare) {
        return run_compare(compare_options);
    }
    return run_verify(verify_file);
}
