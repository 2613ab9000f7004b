// noise_report.h — the figures of `weft bench --noise`: a table, JSON and a chart. Pure; one
// thread.
#pragma once

#include <string>
#include <vector>

#include "app/bench_report.h"
#include "engine/bench/noise_bench.h"

namespace weft::app {

// `figures` describes scene and machine; the reference has so many samples per pixel.
std::string noise_table(const BenchFigures& figures,
                        u32 reference_samples,
                        const std::vector<bench::NoiseRow>& rows);
std::string noise_json(const BenchFigures& figures, const std::vector<bench::NoiseRow>& rows);
// An SVG file: the FLIP and the seconds of each row as bars.
std::string noise_chart(const BenchFigures& figures, const std::vector<bench::NoiseRow>& rows);

}  // namespace weft::app
