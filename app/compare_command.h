// compare_command.h — `weft compare A B`: how far two pictures are apart, one `NAME VALUE` per line
// on stdout.
//
// B is the reference. The metrics are defined in engine/film/image_compare.h. Called by main.cpp,
// once, on its thread.
#pragma once

#include <string>

#include "scheduler/base/result.h"

namespace weft::app {

struct CompareOptions {
    std::string first;                        // the picture to judge
    std::string second;                       // the reference
    std::string metric = "all";               // all, rmse, relmse, psnr or flip
    bool is_hdr = false;                      // flip: HDR-FLIP instead of LDR-FLIP
    std::string view_transform = "standard";  // what psnr and LDR-FLIP look through
    float exposure_stops = 0;                 // before that view
    std::string output;                       // difference picture, or empty
};

// Appends the lines to `text`, and writes the difference picture where one is asked for.
base::Status compare_files(const CompareOptions& options, std::string& text);

// Prints them. Exit code: 0 compared, however far apart; 2 wrong usage; 3 a picture cannot be read
// or does not cover the same pixels; 4 the difference picture or stdout cannot be written. Errors
// are one sentence on stderr.
//
// The difference picture is of the metric asked for, of flip where all are: 8-bit formats show it
// in colours from black (0) to pale yellow (1 and more), the others hold the error itself, one
// number per pixel.
int run_compare(const CompareOptions& options);

}  // namespace weft::app
