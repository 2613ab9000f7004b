// write_manual.h — `weft --write-manual FOLDER`: man pages and completions for bash and zsh.
//
// All are made from the options as the program declares them, so that help, man pages and
// completions never disagree. The build calls it; `cmake --install` puts the files in their places.
// main() calls it through CommandLine, once.
#pragma once

#include <string>
#include <vector>

#include "app/command/command_text.h"

namespace weft::app {

// Writes man1/*.1, bash/weft and zsh/_weft. Returns the exit code.
int write_manual(const ProgramText& text, const std::string& folder);

// The man page of a command, or of the program itself.
std::string man_page(const ProgramText& text, const CommandText& page);

std::string bash_completion(const ProgramText& text);
std::string zsh_completion(const ProgramText& text);

// "box", "gaussian" for an option of the kind "box|gaussian"; none for another.
std::vector<std::string> choices_of(const OptionText& option);

// The words with the separator between them.
std::string join_words(const std::vector<std::string>& words, const std::string& separator);

}  // namespace weft::app
