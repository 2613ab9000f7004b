// verify_command.h — `weft verify FILE`: the hashes of an EXR of ours, recomputed and held against
// its header.
//
// Prints one sentence per hash (what was checked, and what came out) and, alone on the last line,
// the film hash: recomputed from the raw sums where the file has them, else as the header says.
// Called by main.cpp, once, on its thread.
#pragma once

#include <string>

#include "engine/film/image_file.h"

namespace weft::app {

// What verify prints for a report, the film hash alone on its last line.
std::string verify_text(const film::VerifyReport& report);

// Exit code: 0 what could be checked matches; 1 something does not; 3 the file cannot be read or is
// not ours; 4 stdout cannot be written.
int run_verify(const std::string& file);

}  // namespace weft::app
