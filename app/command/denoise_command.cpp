#include "app/command/denoise_command.h"

#include <algorithm>
#include <array>

#include "app/command/shell_word.h"
#include "scheduler/base/program.h"

namespace weft::app {

namespace {

namespace fs = std::filesystem;
using film::Aov;

constexpr std::array<std::string_view, 4> kFiles = {"color", "albedo", "normal", "output"};

base::Error wrong_command(const std::string& sentence) {
    return {base::ErrorKind::Usage, sentence};
}

base::Status check_placeholders(const DenoiseCommand& command) {
    const std::vector<Placeholder> found = command.placeholders();
    for (const Placeholder& placeholder : found) {
        if (std::find(kFiles.begin(), kFiles.end(), placeholder.file) == kFiles.end()) {
            return wrong_command("expected {color}, {albedo}, {normal} or {output}, found {" +
                                 placeholder.file + "}");
        }
    }
    for (const char* needed : {"color", "output"}) {
        if (std::none_of(found.begin(), found.end(), [&](const Placeholder& placeholder) {
                return placeholder.file == needed;
            })) {
            return wrong_command(std::string("expected a word with {") + needed + "}, found none");
        }
    }
    return base::Done{};
}

}  // namespace

std::optional<Placeholder> find_placeholder(const std::string& word, std::size_t from) {
    const std::size_t begin = word.find('{', from);
    const std::size_t close = begin == std::string::npos ? begin : word.find('}', begin);
    if (close == std::string::npos) {
        return std::nullopt;
    }
    Placeholder found{begin, close + 1, word.substr(begin + 1, close - begin - 1)};
    found.is_pfm = found.file.ends_with(".pfm");
    if (found.is_pfm || found.file.ends_with(".exr")) {
        found.file.resize(found.file.size() - 4);
    }
    return found;
}

std::vector<Placeholder> DenoiseCommand::placeholders() const {
    std::vector<Placeholder> all;
    for (const std::string& word : arguments) {
        for (auto found = find_placeholder(word, 0); found;
             found = find_placeholder(word, found->end)) {
            all.push_back(*found);
        }
    }
    return all;
}

std::vector<Aov> DenoiseCommand::layers() const {
    std::vector<Aov> layers;
    for (const Placeholder& placeholder : placeholders()) {
        if (const std::optional<Aov> aov = film::aov_named(placeholder.file)) {
            layers.push_back(*aov);
        }
    }
    return layers;
}

base::Result<DenoiseCommand> parse_denoise_command(const std::string& text) {
    const std::optional<std::vector<std::string>> words = shell_words(text);
    if (!words || words->empty()) {
        return wrong_command(
            "expected 'PROGRAM … {color} … {output}' with closed quotes, found \"" + text + "\"");
    }
    const std::string& name = words->front();
    const bool is_path = name.find('/') != std::string::npos;
    const std::optional<fs::path> program =
        is_path ? std::optional<fs::path>(name) : base::find_program(name);
    std::error_code failed;
    if (!program || !fs::is_regular_file(*program, failed)) {
        return wrong_command("expected a program, found \"" + name + "\", which " +
                             (is_path ? "is no file" : "is not in $PATH"));
    }
    DenoiseCommand command{*program, {words->begin() + 1, words->end()}};
    WEFT_TRY(check_placeholders(command));
    return command;
}

}  // namespace weft::app
