// command_line.h — declares commands and options, parses the command line, prints help and usage
// errors. Hides CLI11, which costs every file that includes it many seconds of compilation.
//
//     CommandLine line("weft - a path tracer", "weft 1.0", footer);
//     Command render = line.add_command("render", "path trace scenes to a picture");
//     render.add({"--spp", "samples per pixel"}, whole(options.spp, 1, 1000));
//     if (const std::optional<int> exit_code = line.parse(argc, argv)) return *exit_code;
//
// Each option parses its texts once, into the variable of its OptionValue (option_values.h). One
// thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command/command_text.h"
#include "scheduler/base/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace weft::app {

struct OptionInfo {
    std::string names;       // "-t,--threads", or "SCENE" for a word without an option name
    std::string help;        // a phrase
    std::string group = {};  // the heading in the help; empty: the general one
    std::string usual = {};  // the default in the help; empty: that of the OptionValue
};

enum class Takes {
    One,       // a value; if the option occurs several times, the last one counts
    Many,      // a value for each occurrence
    ManyWords  // as Many, with several values in one text, separated by commas
};

// What an option takes, and where its value goes.
struct OptionValue {
    Takes takes = Takes::One;
    std::string kind;   // of the value, in the help: N, FILE, box|gaussian
    std::string usual;  // the default in the help; empty: the help shows none
    // Parses and stores all texts of the option. The sentence of an error states what was expected
    // and found; parse() puts the option's name in front of it and mentions the help. A sentence
    // that begins with the option's name stands alone.
    std::function<base::Status(const std::vector<std::string>& texts)> read;
    Offer offer = {};
};

using Offers = std::map<const CLI::Option*, Offer>;

// One command and its options.
class Command {
public:
    Command(CLI::App& app, Offers& offers) : app_(&app), offers_(&offers) {}

    void add(const OptionInfo& info, const OptionValue& value);
    // Declares an option without a value, which sets `is_on`. A name that begins with "!" clears
    // it.
    void add_flag(const OptionInfo& info, bool& is_on);
    // Declares an option that may have a value after "=", never in the next word. The variable
    // holds that value, or "true".
    void add_flag(const OptionInfo& info, std::string& text);

    // The rest changes options that are declared, by one of their names.
    void set_required(const char* name, bool is_required);
    void set_help(const char* name, const char* help);
    void set_needs(const char* name, const char* needed);  // refuses `name` without `needed`
    void remove(const char* name);

    // Whether the user typed this command. Call it after parse().
    [[nodiscard]] bool is_chosen() const;

private:
    CLI::App* app_;  // both owned by the CommandLine
    Offers* offers_;
};

// Writes something about the program's options into a folder; returns the exit code.
using Writer = std::function<int(const ProgramText& text, const std::string& folder)>;

class CommandLine {
public:
    CommandLine(const char* help, const std::string& version, const std::string& footer);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    Command add_command(const char* name, const char* help);

    // Declares an option of the program itself, which takes a folder: parse() calls the writer
    // instead of asking for a command.
    void add_writer(const OptionInfo& info, Writer writer);

    // Call it after all options are declared. Returns none if a command was chosen and every option
    // is stored, else the exit code: help or the version is on stdout, or a usage error on stderr.
    std::optional<int> parse(int argc, char** argv);
    // The same for words of another source than the command line, with nothing printed: the error
    // (kind Usage) has the sentence. The first two words are the program's name and a command.
    base::Status parse_words(const std::vector<std::string>& words);
    // Reports that the chosen command lacks `what`. Returns the exit code.
    [[nodiscard]] int fail_missing(const char* what) const;

    // What --help prints of a command, or of the program if the name is empty; none: no such
    // command.
    [[nodiscard]] std::optional<std::string> help_of(const std::string& command) const;

    // All that the help tells of the program, its commands and options.
    [[nodiscard]] ProgramText text() const;

    // The program's name and its arguments.
    [[nodiscard]] const std::vector<std::string>& words() const { return words_; }

private:
    std::unique_ptr<CLI::App> program_;
    std::string version_;
    Offers offers_;
    Writer writer_;
    std::string written_folder_;
    std::vector<std::string> words_;
};

}  // namespace weft::app
