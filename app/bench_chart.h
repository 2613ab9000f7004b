// bench_chart.h — the figures of `weft bench` as a picture: a standing SVG file without scripts or
// fonts of its own.
//
// Left: for each class of rays the rates of U1, U2, K2 and of Embree's best call, as shares of the
// latter, with whiskers from least to greatest. Right: samples per second of whole images. Pure.
#pragma once

#include <string>

#include "app/bench_report.h"

namespace weft::app {

// Well-formed XML whatever the scene is called.
std::string chart_of(const BenchFigures& figures);

}  // namespace weft::app
