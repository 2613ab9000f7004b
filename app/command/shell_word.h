// shell_word.h — quotes texts for a shell.
//
// Pure; any thread.
#pragma once

#include <string>
#include <vector>

namespace weft::app {

// Returns a shell word for this text, in quotes if necessary.
std::string shell_word(const std::string& text);

// Returns a command line that a user can paste into a shell.
std::string shell_line(const std::vector<std::string>& texts);

}  // namespace weft::app
