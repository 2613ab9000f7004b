// compiler.h — the system's C++ compiler, run as a program of its own (R7).
//
// No shell is involved. The compiler and the programs that it starts form one process group. They
// run at lower priority than this program, keep temporary files in the caller's folder, and are
// killed together after a time limit or on request. Any thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "scheduler/base/result.h"

namespace weft::compute {

// The first of c++, g++ and clang++ in $PATH. Error: none is there.
base::Result<std::filesystem::path> find_compiler();

struct CompilerCall {
    std::filesystem::path program;
    std::vector<std::string> arguments;
    std::filesystem::path folder;  // for its messages; it exists and is the caller's own
    std::chrono::milliseconds patience = std::chrono::minutes(3);
};

// Runs the compiler to its end; no process of its group lives afterwards. Error: its first message,
// or that it was killed.
base::Status run_compiler(const CompilerCall& call, const std::stop_token& stop);

// Kills all running compilers and removes their folders. For a signal handler that ends the process
// right after: it only reads atomics and makes system calls.
void end_compilers();

}  // namespace weft::compute
