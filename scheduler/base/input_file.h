// input_file.h — the one door for files that are read: regular files only.
//
// A pipe, a device or a socket may have no end or never begin, and reading one cannot be
// interrupted; all are refused before a byte is read. Sentences say what was found at the path and
// what was `expected` ("a file of edits"). Any thread; throws nothing but std::bad_alloc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::base {

inline constexpr u64 kNoByteLimit = ~u64{0};
// Enough for every text that a person or the viewer writes: edits, settings, scripts, figures.
inline constexpr u64 kMostTextBytes = u64{64} << 20;

// For libraries that open files by their names themselves. An error is of kind Scene.
Status check_input_file(const std::string& path, const std::string& expected);

// All bytes of a file that has at most `most_bytes` of them.
Result<std::vector<u8>> read_input_file(const std::string& path,
                                        const std::string& expected,
                                        u64 most_bytes = kNoByteLimit);

// The same bytes, as text.
std::string_view as_text(const std::vector<u8>& bytes);

}  // namespace weft::base
