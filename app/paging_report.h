// paging_report.h — the figures of `weft bench --paging`: a table, JSON and a chart. Pure; one
// thread.
#pragma once

#include <string>
#include <vector>

#include "app/bench_report.h"
#include "engine/bench/paging_bench.h"

namespace weft::app {

// "1/4", or "2G" where that budget was asked for.
std::string budget_text(const bench::PagingVariant& variant);

// `figures` describes scene and machine.
std::string paging_table(const BenchFigures& figures, const std::vector<bench::PagingRow>& rows);
std::string paging_json(const BenchFigures& figures, const std::vector<bench::PagingRow>& rows);
// An SVG file: bytes read per ray, and seconds, one bar for each row.
std::string paging_chart(const BenchFigures& figures, const std::vector<bench::PagingRow>& rows);

}  // namespace weft::app
