// aov_list.h — `weft render --aov-list`: the layers that --aov knows.
//
// Reads no scene. main.cpp calls it once, on its own thread.
#pragma once

#include <string>

namespace weft::app {

// A table with one line for each layer: its name, its channels in an EXR, their unit, its meaning.
std::string aov_list_text();

// Prints it. Exit codes: 0, or 4 where stdout cannot be written.
int run_aov_list();

}  // namespace weft::app
