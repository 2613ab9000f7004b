// bench_command.h — `weft bench`: measures keyed scheduling, unkeyed scheduling and Embree on one
// scene.
#pragma once

#include <string>

#include "app/bench_options.h"

namespace weft::app {

// Measures, prints a table and writes the files that `options` name. Returns the exit code.
int run_bench(const BenchOptions& options, const std::string& command_line);

}  // namespace weft::app
