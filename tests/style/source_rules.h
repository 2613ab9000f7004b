// source_rules.h — the rules of the tree as pure functions of a file's path and text, so that tests
// can check them on made-up files.
//
// Each rule returns its faults, one sentence each, which names the file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace weft::style {

// The text of a file; empty if it cannot be read.
std::string text_of(const std::filesystem::path& path);

using Faults = std::vector<std::string>;

// The ranked folder that a path from the root lies in ("scheduler/fibre/cluster.h" →
// "scheduler/fibre"), or empty.
std::string_view room_of(std::string_view path);

// Includes of rooms of higher rank, and of folders of higher rank within the own room; files in no
// ranked room or folder; includes of project headers by anything but the path from the root.
Faults rank_faults(std::string_view path, std::string_view text);

// A header of GLM included outside of engine/math, and calls that leave open which normalize() they
// mean: math:: and glm:: give other bits.
Faults package_faults(std::string_view path, std::string_view text);

// Files of the viewer that know the struct of all its parts, apart from shell/, which hands the
// parts out.
Faults whole_state_faults(std::string_view path, std::string_view text);

// More than 500 lines.
Faults length_faults(std::string_view path, std::string_view text);

// A folder called utils, common, helpers or manager.
Faults name_faults(std::string_view path);

// A page that is missing (null) or has fewer than 40 or more than 100 lines.
Faults readme_faults(std::string_view room, const std::string* maybe_text);

// C++ examples of a page that equal no marked region of the test texts, blanks and line breaks
// aside.
Faults example_faults(std::string_view path,
                      std::string_view page,
                      const std::vector<std::string>& test_texts);

}  // namespace weft::style
