// kernel_source.h — the source of a kernel for building at run time: files embedded in the binary,
// and compiler flags (R6, R7).
//
// Plain data of the program's lifetime. The first file is compiled; it includes the others by their
// paths from the root.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/base/result.h"

namespace weft::compute {

struct SourceFile {
    std::string_view path;  // "shaders/kernels/shade.cpp"
    std::string_view text;
};

struct KernelSource {
    std::vector<SourceFile> files;
    std::string symbol;              // the extern "C" function that is the kernel
    std::vector<std::string> flags;  // of the compiler, for every instruction set
    std::map<std::string, std::vector<std::string>> set_flags;  // and for each that can be built
};

// Of files, symbol and flags: executables of another hash are outdated.
std::string source_hash(const KernelSource& source);

// Options are definitions separated by blanks: "FEATURES=0x13 DEPTH=2". Anything else is refused,
// since they go to the compiler and into names of files.
base::Status check_options(std::string_view options);

// Each definition as an argument of the compiler: "-DFEATURES=0x13".
std::vector<std::string> definition_flags(std::string_view options);

}  // namespace weft::compute
