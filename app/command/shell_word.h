// shell_word.h — quotes texts for a shell, and splits a line into words as a shell would.
//
// Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace weft::app {

// Returns a shell word for this text, in quotes if necessary.
std::string shell_word(const std::string& text);

// The words of a line: spaces and line ends separate them; '…' keeps its text, "…" does but for \,
// which keeps the next letter outside of '…' too. None for an open quote.
std::optional<std::vector<std::string>> shell_words(const std::string& line);

// Returns a command line that a user can paste into a shell.
std::string shell_line(const std::vector<std::string>& texts);

}  // namespace weft::app
