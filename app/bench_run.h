// bench_run.h — what `weft bench` measures of one scene, as a table, JSON and a chart, without
// printing anything.
//
// The caller's thread measures; its floating-point state becomes that of kernels.
#pragma once

#include <functional>
#include <string>

#include "app/bench_options.h"
#include "scheduler/base/result.h"

namespace weft::app {

// Functions of the caller that the measuring thread calls. None is empty.
struct BenchHooks {
    std::function<void(const std::string& line)> on_line;  // what is measured next
    std::function<void()> on_begin;    // the scene is read: what was measured can be reported
    std::function<bool()> is_stopped;  // between measurements; true: report what there is
};

struct BenchReport {
    std::string table;  // for people
    std::string json;   // the text of --json
    std::string chart;  // an SVG file
};

// `options` passed check_bench_options() and name a scene. Errors: those of import and render.
base::Result<BenchReport> run_bench_of_scene(const BenchOptions& options,
                                             const std::string& command_line,
                                             const BenchHooks& hooks);

}  // namespace weft::app
