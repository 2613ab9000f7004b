// usage_error.h — one sentence for what the parser refused.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace weft::app {

// `words` are the program's name and what was typed after it. Says what was found, what was
// expected, and where help is; of an option or a command that cli.md promises and this version
// lacks, that.
std::string usage_sentence(const CLI::App& program,
                           const std::vector<std::string>& words,
                           const CLI::ParseError& error);

}  // namespace weft::app
