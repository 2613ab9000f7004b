// bench_command.h — `weft bench`: keyed against unkeyed against Embree, on one scene.
#pragma once

#include <string>

#include "app/bench_options.h"

namespace weft::app {

// Measures, prints a table and writes what was asked for. Returns the exit code.
int run_bench(const BenchOptions& options, const std::string& command_line);

}  // namespace weft::app
