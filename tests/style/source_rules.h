// source_rules.h — the rules of the tree as pure functions of a file's path and text, so that they
// can be tested themselves.
//
// Each rule returns the faults it found, one sentence each, naming the file; none where all is
// well.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace weft::style {

// Of a file; empty where it cannot be read.
std::string text_of(const std::filesystem::path& path);

using Faults = std::vector<std::string>;

// The ranked folder that a path from the root lies in ("scheduler/fibre/cluster.h" →
// "scheduler/fibre"), or empty.
std::string_view room_of(std::string_view path);

// Includes of folders of higher rank, and of our own headers by anything but their path from the
// root.
Faults rank_faults(std::string_view path, std::string_view text);

// More than 500 lines.
Faults length_faults(std::string_view path, std::string_view text);

// A folder called utils, common, helpers or manager.
Faults name_faults(std::string_view path);

// A page that is missing (null) or not of 40 to 100 lines.
Faults readme_faults(std::string_view room, const std::string* maybe_text);

// C++ examples of a page that are not, but for blanks and line breaks, a marked region of
// one of the test texts.
Faults example_faults(std::string_view path,
                      std::string_view page,
                      const std::vector<std::string>& test_texts);

}  // namespace weft::style
