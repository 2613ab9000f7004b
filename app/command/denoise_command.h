// denoise_command.h — the value of `--denoise-command`: a program and its words.
//
// Pure, but for the search of the program; any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/film/aov.h"
#include "scheduler/base/result.h"

namespace weft::app {

// A file's name in braces within a word: {color}, {albedo}, {normal} or {output}, with ".exr" or
// ".pfm" if one likes. Without it the file is an EXR.
struct Placeholder {
    std::size_t begin = 0;  // of the opening brace
    std::size_t end = 0;    // after the closing brace
    std::string file;       // "color"
    bool is_pfm = false;
};

// The first placeholder of a word from `from` on.
std::optional<Placeholder> find_placeholder(const std::string& word, std::size_t from);

// A command whose program exists.
struct DenoiseCommand {
    std::filesystem::path program;
    std::vector<std::string> arguments;  // with placeholders

    // Those of all arguments, in order.
    [[nodiscard]] std::vector<Placeholder> placeholders() const;
    // The layers of the film that the program reads.
    [[nodiscard]] std::vector<film::Aov> layers() const;
};

// Splits the text into words (shell_word.h) and finds the program in $PATH. Errors: an open quote,
// no such program, an unknown {word}, no {color} or no {output}.
base::Result<DenoiseCommand> parse_denoise_command(const std::string& text);

}  // namespace weft::app
