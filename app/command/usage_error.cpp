#include "app/command/usage_error.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <string_view>
#include <utility>

#include "app/command/messages.h"

namespace weft::app {

namespace {

// Returns the command that the user typed, or the program itself.
const CLI::App& command_of(const CLI::App& program, const std::vector<std::string>& words) {
    for (const CLI::App* const command : program.get_subcommands({})) {
        if (words.size() > 1 && command->get_name() == words[1]) {
            return *command;
        }
    }
    return program;
}

// Returns "render, view or info".
std::string command_names(const CLI::App& program) {
    std::vector<std::string> names;
    for (const CLI::App* const command : program.get_subcommands({})) {
        names.push_back(command->get_name());
    }
    return fmt::format("{} or {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

std::string without_value(const std::string& word) {
    return word.substr(0, word.find('='));
}

// Levenshtein distance.
std::size_t distance(std::string_view first, std::string_view second) {
    std::vector<std::size_t> row(second.size() + 1, 0);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < first.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t k = 0; k < second.size(); ++k) {
            const std::size_t replaced = diagonal + (first[i] == second[k] ? 0 : 1);
            diagonal = row[k + 1];
            row[k + 1] = std::min({replaced, row[k] + 1, row[k + 1] + 1});
        }
    }
    return row[second.size()];
}

// Returns the option that the user probably meant, or "".
std::string nearest_option(const CLI::App& command, const std::string& word) {
    constexpr std::size_t kFarthest = 3;
    std::string nearest;
    std::size_t least = std::min(kFarthest, word.size() / 3);
    for (const CLI::Option* const option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            const std::size_t here = distance(word, "--" + name);
            if (here <= least && here > 0) {
                least = here - 1;
                nearest = "--" + name;
            }
        }
    }
    return nearest;
}

// "--spp, --width, --height"
std::string option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* const option : command.get_options()) {
        if (option != command.get_help_ptr() && !option->get_lnames().empty()) {
            names.push_back("--" + option->get_lnames().front());
        }
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string unexpected(const CLI::App& program, const CLI::App& command, OptionsTold told) {
    const std::vector<std::string> rest = program.remaining(true);
    const std::string word = rest.empty() ? "" : rest.front();
    if (command.get_parent() == nullptr) {
        return fmt::format("{}: unknown; expected {}", word, command_names(program));
    }
    if (!word.starts_with('-')) {
        return fmt::format("{}: one word too many", word);
    }
    const std::string nearest = nearest_option(command, without_value(word));
    if (nearest.empty() && told == OptionsTold::InSentence) {
        return fmt::format("{}: unknown option; expected one of {}", word, option_names(command));
    }
    return fmt::format("{}: unknown option; expected {}",
                       word,
                       nearest.empty() ? "one that the help lists" : "perhaps " + nearest);
}

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

// "compare: no B; expected picture (the reference)"
std::string missing(const CLI::App& command, const std::string& what) {
    const std::string name = what.substr(0, what.find(" is required"));
    const CLI::Option* const option = command.get_option_no_throw(name);
    return fmt::format("{}: no {}; expected {}",
                       command.get_name(),
                       name,
                       option == nullptr ? "one of them" : option->get_description());
}

// Words CLI11's kinds of errors.
std::string meaning(const CLI::App& program,
                    const CLI::App& command,
                    const CLI::ParseError& error,
                    OptionsTold told) {
    const std::string what = one_line(error.what());
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        return unexpected(program, command, told);
    }
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
        return command.get_parent() == nullptr ? "no command; expected " + command_names(program)
                                               : missing(command, what);
    }
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
        const std::size_t begin = std::min(what.find("--"), what.size());
        const std::string name = what.substr(begin, what.find_first_of(" ,:", begin) - begin);
        const CLI::Option* const option = command.get_option_no_throw(name);
        return option == nullptr
                   ? what
                   : fmt::format("{}: expected {} after it, found fewer",
                                 name,
                                 option->get_items_expected_min() == 1
                                     ? std::string("a value")
                                     : fmt::format("{} values", option->get_items_expected_min()));
    }
    return what;
}

// Returns "--spp" for a sentence about the value of this option; "" for any other.
std::string option_of(const CLI::App& command, const std::string& sentence) {
    const std::string name = sentence.substr(0, sentence.find(':'));
    return name.starts_with("--") && command.get_option_no_throw(name) != nullptr ? name : "";
}

}  // namespace

std::string usage_sentence(const CLI::App& program,
                           const std::vector<std::string>& words,
                           const CLI::ParseError& error,
                           OptionsTold told) {
    const CLI::App& command = command_of(program, words);
    if (dynamic_cast<const WholeSentence*>(&error) != nullptr) {
        return with_page({base::ErrorKind::Usage, error.what()});
    }
    const std::string sentence = meaning(program, command, error, told);
    const std::string option = option_of(command, sentence);
    if (!option.empty()) {
        return with_page(sentence, option.substr(2));
    }
    if (told == OptionsTold::InSentence) {
        return sentence;
    }
    const std::string name = command.get_parent() == nullptr ? "" : " " + command.get_name();
    return fmt::format("{}; see weft{} --help", sentence, name);
}

}  // namespace weft::app
