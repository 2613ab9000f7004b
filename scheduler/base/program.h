// program.h — another program, such as a compiler, run to its end.
//
// No shell is involved. The program and those that it starts form one process group. They keep
// temporary files in the caller's folder, and are killed together after a time limit or on request.
// Any thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/base/result.h"

namespace weft::base {

// The program of that name in $PATH, in folders with an absolute name; none: none is there.
std::optional<std::filesystem::path> find_program(std::string_view name);

struct ProgramCall {
    std::string role;  // "compiler": begins the sentences of errors
    std::filesystem::path program;
    std::vector<std::string> arguments;
    std::filesystem::path folder;  // for its messages; it exists and is the caller's own
    std::optional<std::chrono::milliseconds> patience = {};  // none: as long as it takes
    int niceness = 0;
};

// Runs the program to its end; no process of its group lives afterwards. Error: its first message,
// or that it was killed.
Status run_program(const ProgramCall& call, const std::stop_token& stop);

// Kills all running programs and removes their folders. For a signal handler that ends the process
// right after: it only reads atomics and makes system calls.
void end_programs();

}  // namespace weft::base
