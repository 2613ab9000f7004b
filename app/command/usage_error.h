// usage_error.h — turns a parser error into one sentence.
#pragma once

#include <CLI/Error.hpp>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace weft::app {

// An error whose text is the whole sentence, but for its page.
class WholeSentence final : public CLI::ParseError {
public:
    using ParseError::ParseError;
};

// Where somebody finds the options that a command takes.
enum class OptionsTold { ByHelp, InSentence };

// `words` are the program's name and its arguments. The sentence states what the parser found and
// expected, and the command for help. For a planned option or command it says "not yet in this
// version" instead. Where the command takes other options than its help lists, the sentence lists
// them.
std::string usage_sentence(const CLI::App& program,
                           const std::vector<std::string>& words,
                           const CLI::ParseError& error,
                           OptionsTold told = OptionsTold::ByHelp);

}  // namespace weft::app
