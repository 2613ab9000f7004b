// shell_word.h — texts as words of a shell's command line.
//
// Pure; any thread.
#pragma once

#include <string>
#include <vector>

namespace weft::app {

// A word that means this text, in quotes where it needs them.
std::string shell_word(const std::string& text);

// A command line that can be pasted into a shell.
std::string shell_line(const std::vector<std::string>& texts);

}  // namespace weft::app
