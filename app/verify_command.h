// verify_command.h — `weft verify FILE`: recomputes the hashes of an EXR that Weft wrote and
// compares them with its header.
//
// Prints one sentence per hash (what it checked, and the result) and, alone on the last line, the
// film hash: recomputed from the raw sums if the file has them, else as the header states it.
// main.cpp calls run_verify() once, on its own thread.
#pragma once

#include <string>

#include "engine/film/image_file.h"

namespace weft::app {

// Returns the text that verify prints for a report. Its last line is the film hash alone.
std::string verify_text(const film::VerifyReport& report);

// Exit codes: 0 every hash that could be checked matches; 1 a hash differs; 3 the file cannot be
// read or Weft did not write it; 4 stdout cannot be written; 33 memory does not do for the check.
int run_verify(const std::string& file);

}  // namespace weft::app
