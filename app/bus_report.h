// bus_report.h — the figures of `weft bench --bus`: a table, JSON and a chart. Pure; one
// thread.
#pragma once

#include <string>
#include <vector>

#include "app/bench_report.h"
#include "engine/bench/bus_bench.h"

namespace weft::app {

// `figures` describes scene and machine.
std::string bus_table(const BenchFigures& figures, const std::vector<bench::BusRow>& rows);
std::string bus_json(const BenchFigures& figures, const std::vector<bench::BusRow>& rows);
// An SVG file: bytes copied per ray, one bar for each row.
std::string bus_chart(const BenchFigures& figures, const std::vector<bench::BusRow>& rows);

}  // namespace weft::app
