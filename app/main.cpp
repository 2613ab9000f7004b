// main.cpp — the program `weft`: reads the command line, runs one command, returns a documented
// exit code.
#include <cstdio>
#include <fmt/format.h>
#include <new>
#include <string>
#include <unistd.h>
#include <vector>

#include "app/aov_list.h"
#include "app/bench_command.h"
#include "app/command/colour_options.h"
#include "app/command/command_line.h"
#include "app/command/exit_code.h"
#include "app/command/file_kinds.h"
#include "app/command/help_tables.h"
#include "app/command/messages.h"
#include "app/command/option_names.h"
#include "app/command/option_values.h"
#include "app/command/render_options.h"
#include "app/command/shell_word.h"
#include "app/command/signals.h"
#include "app/command/standard_output.h"
#include "app/command/standard_streams.h"
#include "app/command/thread_budget.h"
#include "app/command/version.h"
#include "app/compare_command.h"
#include "app/denoise_file_command.h"
#include "app/info_command.h"
#include "app/manual/help_search.h"
#include "app/manual/write_manual.h"
#include "app/merge_command.h"
#include "app/render_command.h"
#include "app/serve/serve_command.h"
#include "app/verify_command.h"
#include "app/view/shell/view_command.h"
#include "scheduler/base/installation.h"
#include "scheduler/base/memory_limit.h"
#include "scheduler/base/trace_log.h"

namespace {

using namespace weft::app;

// The end of the program's help.
std::string footer() {
    std::string text = "Exit codes:\n";
    for (const ExitCodeText& row : kExitCodeTexts) {
        text += fmt::format("  {:<5} {}\n", row.code, row.meaning);
    }
    text += "\nEnvironment:\n";
    for (const VariableText& row : kVariableTexts) {
        text += fmt::format("  {}: {}\n", row.name, row.meaning);
    }
    return text;
}

Command add_render(CommandLine& line, RenderOptions& options) {
    Command render = line.add_command("render", "path trace scenes to a picture");
    add_render_options(render, options);
    render.set_required("SCENE", false);  // main() requires it unless layers are listed
    return render;
}

Command add_view(CommandLine& line, ViewOptions& options) {
    Command view = line.add_command("view", "light and render a scene in a window");
    add_view_options(view, options);
    return view;
}

Command add_serve(CommandLine& line, ServeOptions& options) {
    Command serve = line.add_command(
        "serve", "render for another program, over a Unix socket (app/serve/protocol.md)");
    add_serve_options(serve, options);
    return serve;
}

Command add_bench(CommandLine& line, BenchOptions& options) {
    Command bench =
        line.add_command("bench", "compare keyed, unkeyed and Embree, as a table and as JSON");
    add_bench_options(bench, options);
    return bench;
}

// What `weft info` tells of.
struct InfoChoice {
    bool has_devices = false;
    bool has_cache = false;
};

Command add_info(CommandLine& line, RenderOptions& options, InfoChoice& choice) {
    Command info = line.add_command("info",
                                    "list what a scene contains and what import repaired or "
                                    "ignored, or the devices, or the page files");
    add_scene_options(info, options);
    add_device_options(info, options);
    info.add_flag(
        {"--devices", "devices, their scores for a frame, and what each kernel would run on them"},
        choice.has_devices);
    add_cache_options(info, "Cache", options);
    for (const char* const name : {"--texture-memory", "--geometry-memory", "--cache-limit"}) {
        info.remove(name);
    }
    info.add_flag({"--cache", "the page files of --cache-dir", "Cache"}, choice.has_cache);
    info.set_required("SCENE", false);  // main() requires it unless another choice is made
    return info;
}

// `weft info` tells of one thing at a time.
weft::base::Status check_info(const RenderOptions& options, const InfoChoice& choice) {
    const bool has_scene = !options.scenes.empty();
    if (choice.has_devices && choice.has_cache) {
        return weft::base::Error{weft::base::ErrorKind::Usage,
                                 "--devices and --cache exclude each other: expected one of them"};
    }
    if (has_scene && (choice.has_devices || choice.has_cache)) {
        return weft::base::Error{weft::base::ErrorKind::Usage,
                                 std::string(choice.has_devices ? "--devices" : "--cache") +
                                     " is of this machine: expected no SCENE with it, found " +
                                     options.scenes.front()};
    }
    return weft::base::Done{};
}

Command add_compare(CommandLine& line, CompareOptions& options, RenderOptions& common) {
    Command compare = line.add_command(
        "compare", "measure how far two pictures are apart, `NAME VALUE` per line");
    add_compare_options(compare, options);
    add_memory_option(compare, "", common);
    return compare;
}

Command add_merge(CommandLine& line, MergeOptions& options, RenderOptions& common) {
    Command merge = line.add_command("merge", "join slices of one picture, exactly");
    merge.add({"OUT", "picture to write, then the slices, merged pictures or checkpoints to join"},
              any_texts(options.files, {.endings = {".exr"}}));
    merge.set_required("OUT", true);
    add_picture_file_options(merge, options.picture);
    add_ocio_option(merge, "Output", options.picture);
    add_memory_option(merge, "", common);
    add_message_options(merge, common);
    return merge;
}

Command add_denoise(CommandLine& line, DenoiseFileOptions& options, RenderOptions& common) {
    Command denoise = line.add_command(
        "denoise", "take the noise out of a picture that holds its film (--keep-film) or layers");
    denoise.add(
        {"IN",
         "an EXR with the layers albedo (or seen_albedo), normal (or seen_normal) and depth: "
         "with noise and --keep-film for quality, which direct makes better; one of means "
         "alone, of any renderer, for fast"},
        file_name(options.input, {".exr"}));
    denoise.set_required("IN", true);
    denoise.add({"-o,--output", ".exr .png .hdr .jpg .tif; an EXR keeps the film"},
                file_name(options.picture.output, picture_endings()));
    denoise.set_required("--output", true);
    denoise.add_flag(
        {"--denoise",
         "=quality|fast: how; fast takes some tens of milliseconds (default: quality; fast "
         "where IN holds means alone)"},
        options.picture.denoise);
    add_picture_file_options(denoise, options.picture);
    add_ocio_option(denoise, "Output", options.picture);
    add_memory_option(denoise, "", common);
    add_message_options(denoise, common);
    return denoise;
}

Command add_help(CommandLine& line, std::vector<std::string>& words) {
    Command help = line.add_command("help", "tell about a command, an option or any other word");
    help.add({"WORD", "such as render, spp or noise; without one, the commands and the guide"},
             any_texts(words));
    return help;
}

// `weft help`: what is known about each word, or what can be asked.
int run_help(const CommandLine& line, const std::vector<std::string>& words) {
    const std::vector<GuidePage> guide = read_guide(weft::base::shared_path("docs"));
    std::string text;
    if (words.empty()) {
        text = *line.help_of("") + help_topics(guide);
    }
    for (const std::string& word : words) {
        std::optional<std::string> found = word.empty() ? std::nullopt : line.help_of(word);
        if (!found) {
            found = help_about(word, line.text(), guide);
        }
        if (!found) {
            return fail({weft::base::ErrorKind::Usage,
                         word + ": stands nowhere in the help; expected a command, an option or "
                                "another word of it; see weft help"});
        }
        text += *found;
    }
    return put_on_stdout(text) ? kExitDone : kExitOutput;
}

Command add_verify(CommandLine& line, std::string& file, RenderOptions& common) {
    Command verify = line.add_command(
        "verify", "recompute the hashes of a picture and compare them with its metadata");
    verify.add({"FILE", "an EXR written by weft"}, file_name(file, {".exr"}));
    verify.set_required("FILE", true);
    add_memory_option(verify, "", common);
    return verify;
}

// Reads the words and runs the command. Returns the exit code.
int run(int argc, char** argv) {
    // Declare the commands.
    CommandLine line("weft - a path tracer that treats every ray as a fibre with a scheduling key",
                     fmt::format("weft {}", kVersion),
                     footer());
    line.add_writer({"--write-manual", "write man pages and completions for shells into a folder"},
                    write_manual);
    RenderOptions render_options;
    const Command render = add_render(line, render_options);
    ViewOptions view_options;
    const Command view = add_view(line, view_options);
    ServeOptions serve_options;
    const Command serve = add_serve(line, serve_options);
    BenchOptions bench_options;
    const Command bench = add_bench(line, bench_options);
    RenderOptions info_options;
    InfoChoice info_choice;
    const Command info = add_info(line, info_options, info_choice);
    CompareOptions compare_options;
    const Command compare = add_compare(line, compare_options, info_options);
    MergeOptions merge_options;
    const Command merge = add_merge(line, merge_options, info_options);
    DenoiseFileOptions denoise_options;
    const Command denoise = add_denoise(line, denoise_options, info_options);
    std::string verify_file;
    const Command verify = add_verify(line, verify_file, info_options);
    std::vector<std::string> help_words;
    const Command help = add_help(line, help_words);

    // Parse the words.
    if (const std::optional<int> exit_code = line.parse(argc, argv)) {
        return *exit_code;
    }
    if (help.is_chosen()) {
        return run_help(line, help_words);
    }
    if (render.is_chosen() && render_options.lists_aovs) {
        return run_aov_list();
    }
    if (render.is_chosen() && render_options.scenes.empty()) {
        return line.fail_missing("SCENE or --aov-list");
    }
    if (info.is_chosen() && info_options.scenes.empty() && !info_choice.has_devices &&
        !info_choice.has_cache) {
        return line.fail_missing("SCENE or --devices or --cache");
    }
    if (info.is_chosen()) {
        const weft::base::Status is_one = check_info(info_options, info_choice);
        if (!is_one.is_ok()) {
            return fail(is_one.error());
        }
    }
    const std::string command_line = shell_line(line.words());
    install_signals();
    // compare and verify take no thread count, but need a budget, too: OpenImageIO reads and writes
    // with several threads.
    RenderOptions& common = render.is_chosen()  ? render_options
                            : view.is_chosen()  ? view_options.render
                            : serve.is_chosen() ? serve_options.render
                            : bench.is_chosen() ? bench_options.render
                                                : info_options;
    choose_messages(common);
    leave_on_signal("before anything was written");
    // Set the limits of memory and threads.
    weft::base::share_heap_if_addresses_are_few();
    weft::base::set_memory_limit(common.memory_limit_bytes);
    const weft::base::Status has_threads = choose_threads(common.threads);
    if (!has_threads.is_ok()) {
        return fail(has_threads.error());
    }
    // Read the colour config.
    const bool has_no_picture = compare.is_chosen() || verify.is_chosen() ||
                                (info.is_chosen() && info_options.scenes.empty());
    if (!has_no_picture) {
        const weft::base::Status has_colours =
            choose_colours(merge.is_chosen()     ? merge_options.picture
                           : denoise.is_chosen() ? denoise_options.picture
                                                 : common);
        if (!has_colours.is_ok()) {
            return fail(has_colours.error());
        }
    }
    // Run the command.
    if (render.is_chosen()) {
        return run_render(render_options, command_line);
    }
    if (view.is_chosen()) {
        return run_view(view_options, command_line);
    }
    if (serve.is_chosen()) {
        serve_options.command_line = command_line;
        return run_serve(serve_options);
    }
    if (bench.is_chosen()) {
        return run_bench(bench_options, command_line);
    }
    if (info.is_chosen()) {
        return info_choice.has_devices ? run_devices(info_options)
               : info_choice.has_cache ? run_cache(info_options)
                                       : run_info(info_options);
    }
    if (merge.is_chosen()) {
        return run_merge(merge_options, command_line);
    }
    if (denoise.is_chosen()) {
        return run_denoise(denoise_options, command_line);
    }
    return compare.is_chosen() ? run_compare(compare_options) : run_verify(verify_file);
}

}  // namespace

int main(int argc, char** argv) {
    protect_standard_streams();
    weft::base::name_traced_thread("main");
    int exit_code = kExitMemory;
    try {
        reserve_failure();
        exit_code = run(argc, argv);
    } catch (const std::bad_alloc&) {
        exit_code = fail_without_memory("out of memory: the command is too large for this machine");
    }
    if (exit_code == kExitMemory) {
        // Leave without the destructors of libraries: some end the process where an allocation of
        // theirs failed.
        std::fflush(nullptr);
        ::_exit(exit_code);
    }
    return exit_code;
}
