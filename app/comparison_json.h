// comparison_json.h — the JSON of benches that compare whole frames: what all of them say of the
// scene and the machine, and one object per row.
//
// Pure; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/bench_report.h"

namespace weft::app {

// {"min": …, "median": …, "max": …}
nlohmann::json spread_json(const bench::Spread& spread);

// The whole text; `rows` is an array, under `name`.
std::string comparison_json(const BenchFigures& figures,
                            const char* name,
                            const nlohmann::json& rows);

}  // namespace weft::app
