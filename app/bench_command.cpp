#include "app/bench_command.h"

#include <fmt/format.h>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "app/bench_run.h"
#include "app/bench_summary.h"
#include "app/command/exit_code.h"
#include "app/command/messages.h"
#include "app/command/signals.h"
#include "app/command/standard_output.h"
#include "app/render_stats.h"

namespace weft::app {

namespace {

base::Status write_files(const std::vector<std::pair<std::string, std::string>>& files) {
    for (const auto& [name, text] : files) {
        if (!name.empty()) {
            WEFT_TRY(write_text(name, text));
        }
    }
    return base::Done{};
}

int bench_summary(const BenchOptions& options) {
    const auto scenes = read_summaries(options.summary_folder);
    if (!scenes.is_ok()) {
        return fail(scenes.error());
    }
    const std::string table = summary_table(scenes.value());
    if (!put_on_stdout(table)) {
        return kExitOutput;
    }
    const base::Status status = write_files(
        {{options.table_file, table}, {options.chart_file, summary_chart(scenes.value())}});
    return status.is_ok() ? kExitDone : fail(status.error());
}

int bench_scene(const BenchOptions& options, const std::string& command_line) {
    const base::Status checked = check_bench_options(options);
    if (!checked.is_ok()) {
        return fail(checked.error());
    }
    if (!options.summary_folder.empty()) {
        return bench_summary(options);
    }
    const auto report =
        run_bench_of_scene(options,
                           command_line,
                           {.on_line = [](const std::string& line) { say(Level::Info, line); },
                            .on_begin = stop_on_signal,
                            .is_stopped = was_interrupted});
    if (!report.is_ok()) {
        return fail(report.error());
    }
    const auto& [table, json, chart] = report.value();
    if (!put_on_stdout(table)) {
        return kExitOutput;
    }
    const base::Status written =
        write_files({{options.json_file, json}, {options.chart_file, chart}});
    if (!written.is_ok()) {
        return fail(written.error());
    }
    return was_interrupted() ? kExitSignal : kExitDone;
}

}  // namespace

int run_bench(const BenchOptions& options, const std::string& command_line) {
    try {
        return bench_scene(options, command_line);
    } catch (const std::bad_alloc&) {
        return fail_without_memory(
            "out of memory: the scene or its rays are too large for this machine");
    } catch (const std::system_error& error) {
        return fail(no_thread(error));
    }
}

}  // namespace weft::app
