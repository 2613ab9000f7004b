// input_file.h — reads every input file; accepts regular files only.
//
// Reading a pipe, a device or a socket may never end and cannot be interrupted, so they are refused
// before a byte is read. Error sentences name what the path leads to and what was `expected` ("a
// file of edits"). Any thread; throws only std::bad_alloc.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::base {

inline constexpr u64 kNoByteLimit = ~u64{0};
// Enough for any text written by a person or by the viewer: edits, settings, scripts, figures.
inline constexpr u64 kMostTextBytes = u64{64} << 20;

// For libraries that open files by name themselves. Errors are of kind Scene.
Status check_input_file(const std::string& path, const std::string& expected);

// All bytes of a file of at most `most_bytes`. Error of kind TooLarge: the memory limit leaves too
// little for them (memory_limit.h); others are of kind Scene.
Result<std::vector<u8>> read_input_file(const std::string& path,
                                        const std::string& expected,
                                        u64 most_bytes = kNoByteLimit);

// The same, read in strips to where `take` makes room for so many bytes, which no system call
// touches; its error ends the call. Claims no memory.
Status copy_input_file(const std::string& path,
                       const std::string& expected,
                       const std::function<Result<u8*>(u64 size_bytes)>& take);

// The same bytes, as text.
std::string_view as_text(const std::vector<u8>& bytes);

}  // namespace weft::base
