// compiler.h — the system's C++ compiler, run as a program of its own (R7).
//
// No shell is involved. The compiler and the programs that it starts are one process group. They
// run below the priority of this program, keep their temporary files in the caller's folder, and
// are killed together when they take too long or are no longer wanted. Any thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "scheduler/base/result.h"

namespace weft::compute {

// c++, g++ or clang++, the first that $PATH leads to. Error: it leads to none.
base::Result<std::filesystem::path> find_compiler();

struct CompilerCall {
    std::filesystem::path program;
    std::vector<std::string> arguments;
    std::filesystem::path folder;  // for its messages; it exists and is the caller's own
    std::chrono::milliseconds patience = std::chrono::minutes(3);
};

// Runs it to its end; no process of its group lives afterwards. Error: its first message, or that
// it was ended.
base::Status run_compiler(const CompilerCall& call, const std::stop_token& stop);

// Kills all compilers that run and removes their folders. For a signal handler that ends the
// process right after: it reads atomics and makes system calls, nothing else.
void end_compilers();

}  // namespace weft::compute
