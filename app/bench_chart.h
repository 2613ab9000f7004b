// bench_chart.h — the chart of one `weft bench` run: an SVG file without scripts or embedded fonts.
//
// The left panel shows, for each class of rays, the rates of U1, U2, K2 and Embree's best call,
// relative to Embree's, with whiskers from minimum to maximum. The right panel shows samples per
// second of whole images. Pure.
#pragma once

#include <string>

#include "app/bench_report.h"

namespace weft::app {

// Returns well-formed XML, whatever characters the scene's name contains.
std::string chart_of(const BenchFigures& figures);

}  // namespace weft::app
