// command_text.h — what `--help` prints of the program, its commands and options, as data.
//
// CommandLine::text() fills it from the declared options; app/manual writes man pages and shell
// completions from it, so that no text exists twice. Pure data.
#pragma once

#include <string>
#include <vector>

namespace weft::app {

// What a shell offers for a value, beside the choices in its kind ("box|gaussian").
struct Offer {
    std::vector<std::string> endings = {};  // of files, such as ".exr"; empty: every file
    std::vector<std::string> names = {};    // words that may stand instead of a file
    bool has_scenes = false;                // names of scenes may stand there, too
};

struct OptionText {
    std::vector<std::string> names;  // "-t", "--threads"; "SCENE" for a word without an option name
    bool is_word = false;            // has no option name
    bool is_required = false;
    bool has_value = false;  // true for every word
    bool is_repeatable = false;
    bool is_list = false;  // several values in one text, separated by commas
    std::string kind;      // N, FILE, box|gaussian
    std::string usual;     // the default; empty: none is shown
    std::string help;
    std::string group;
    Offer offer;
};

struct CommandText {
    std::string name;  // empty: the program itself
    std::string help;
    std::vector<OptionText> options;
};

struct ProgramText {
    std::string version;  // "weft 1.0"
    CommandText program;
    std::vector<CommandText> commands;
};

}  // namespace weft::app
