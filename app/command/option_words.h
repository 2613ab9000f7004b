// option_words.h — options of a command as words that come from elsewhere than the command line:
// from a message of `weft serve`, or from a script.
//
//     OptionWords words("render", [&](Command& command) { add_render_options(command, options); },
//                       is_wanted);
//     WEFT_TRY(words.parse({"--spp=16", "--film-transparent"}));    // options.spp is 16
//
// The command line's own table reads them, so names, values and sentences are the same. One thread.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/command/command_line.h"
#include "scheduler/base/result.h"

namespace weft::app {

class OptionWords {
public:
    // `declare` declares the options of the command of that name; those that `is_known` refuses are
    // unknown to parse().
    OptionWords(const char* command_name,
                const std::function<void(Command&)>& declare,
                const std::function<bool(const OptionText&)>& is_known);

    // Those that are known.
    [[nodiscard]] std::vector<OptionText> options() const;

    // Stores the options that the words give; the others keep their values. Errors (kind Usage)
    // name the word. Once.
    base::Status parse(const std::vector<std::string>& words);

private:
    std::string command_name_;
    CommandLine line_;
};

// Whether one of the option's names is among those.
bool has_name(const OptionText& option, std::span<const std::string_view> names);

}  // namespace weft::app
