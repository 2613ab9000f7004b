// compare_command.h — `weft compare A B`: prints how much two pictures differ, one `NAME VALUE` per
// line on stdout.
//
// B is the reference. engine/film/image_compare.h defines the metrics. main.cpp calls run_compare()
// once, on its own thread.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/command/command_line.h"
#include "app/command/option_names.h"
#include "engine/film/image_compare.h"
#include "scheduler/base/result.h"

namespace weft::app {

struct CompareOptions {
    std::string first;                                         // the picture to judge
    std::string second;                                        // the reference
    std::optional<film::Metric> metric;                        // none: all
    bool is_hdr = false;                                       // flip: HDR-FLIP instead of LDR-FLIP
    film::ViewTransform view = film::ViewTransform::Standard;  // applied before psnr and LDR-FLIP
    float exposure_stops = 0;                                  // applied before the view transform
    std::string output;                                        // difference picture; empty: none
};

// The names of --metric; none: all.
const Names<std::optional<film::Metric>>& metric_names();

// What two pictures are compared by, metric by metric, and the errors of the last one.
struct Compared {
    std::vector<std::pair<film::Metric, double>> values;
    film::Picture errors;
};

void add_compare_options(Command& command, CompareOptions& options);

// Refuses options that contradict each other.
base::Status check_compare(const CompareOptions& options);

// Compares pictures that are in memory; `options` name them in sentences. After an error `compared`
// has the metrics before it.
base::Status compare_read(const CompareOptions& options,
                          const film::Picture& test,
                          const film::Picture& reference,
                          Compared& compared);

// Appends the lines to `text` and writes the difference picture if `options` name one.
base::Status compare_files(const CompareOptions& options, std::string& text);

// Prints the lines of compare_files(). Exit codes: 0 compared, whether or not the pictures differ;
// 2 wrong usage; 3 a picture cannot be read or has a value that is not finite, or the pictures do
// not cover the same pixels; 4 the
// difference picture or stdout cannot be written. An error is one sentence on stderr.
//
// The difference picture shows the chosen metric, or flip for `all`. 8-bit formats map the error to
// colours from black (0) to pale yellow (1 and above); other formats hold the error itself, one
// number per pixel.
int run_compare(const CompareOptions& options);

}  // namespace weft::app
