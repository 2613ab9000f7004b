// zsh_completion.cpp — the completion for zsh, as a function for its folder; see write_manual.h.
#include <fmt/format.h>

#include "app/manual/write_manual.h"

namespace weft::app {

namespace {

constexpr const char* kZshFunctions = R"sh(# Some names, and the files of a pattern.
_weft_names_or_files() {
    _alternative "names:name:($1)" "files:file:_files -g \"$2\""
}

# Names of scenes in ./scenes, in WEFT_SCENE_PATH and of the installation, and files.
_weft_scenes() {
    local -a folders names
    folders=(scenes ${(s.:.)WEFT_SCENE_PATH} ${commands[weft]:A:h:h}/share/weft/scenes)
    names=(${^folders}/*.(gltf|glb)(N:t:r))
    _weft_names_or_files "${names[*]}" $1
}
)sh";

// Text between single quotes within a specification of _arguments.
std::string in_quotes(const std::string& text) {
    std::string result;
    for (const char letter : text) {
        if (letter == '\'') {
            result += "'\\''";
        } else if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') {
            result += std::string("\\") + letter;
        } else {
            result += letter;
        }
    }
    return result;
}

// "*.(hdr|exr)"; empty for every file.
std::string glob_of(const OptionText& option) {
    std::vector<std::string> bare;
    for (const std::string& ending : option.offer.endings) {
        bare.push_back(ending.substr(1));
    }
    return bare.empty() ? "" : "*.(" + join_words(bare, "|") + ")(-.)";
}

std::string action_of(const OptionText& option) {
    if (const std::vector<std::string> choices = choices_of(option); !choices.empty()) {
        return option.is_list ? "_values -s , value " + join_words(choices, " ")
                              : "(" + join_words(choices, " ") + ")";
    }
    if (option.kind == "FOLDER") {
        return "_files -/";
    }
    const std::string glob = glob_of(option);
    // The blank keeps _arguments from putting words of its own before those of the function.
    if (option.offer.has_scenes) {
        return " _weft_scenes \"" + glob + "\"";
    }
    if (!option.offer.names.empty()) {
        return fmt::format(
            " _weft_names_or_files \"{}\" \"{}\"", join_words(option.offer.names, " "), glob);
    }
    if (!glob.empty()) {
        return "_files -g \"" + glob + "\"";
    }
    return option.kind == "FILE" ? "_files" : " ";
}

std::string specifications(const CommandText& command) {
    std::string text;
    for (const OptionText& option : command.options) {
        if (option.is_word) {
            text += fmt::format(" \\\n                '{}:{}:{}'",
                                option.is_repeatable ? "*" : "",
                                in_quotes(option.names[0]),
                                action_of(option));
            continue;
        }
        for (const std::string& name : option.names) {
            const std::string value =
                option.has_value ? ":" + in_quotes(option.kind) + ":" + action_of(option) : "";
            const bool takes_equals = option.has_value && name.starts_with("--");
            text += fmt::format(" \\\n                '{}{}{}[{}]{}'",
                                option.is_repeatable ? "*" : "",
                                name,
                                takes_equals ? "=" : "",
                                in_quotes(option.help),
                                value);
        }
    }
    return text;
}

}  // namespace

std::string zsh_completion(const ProgramText& text) {
    std::string script = "#compdef weft\n# Completion of " + text.version + " for zsh.\n\n";
    script += kZshFunctions;
    script += R"sh(
_weft() {
    if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then
        local -a commands_of_weft=()sh";
    for (const CommandText& command : text.commands) {
        script += fmt::format("\n            '{}:{}'", command.name, in_quotes(command.help));
    }
    script +=
        "\n        )\n        _describe -t commands command commands_of_weft\n        "
        "return\n    fi\n";
    script += "    if ((CURRENT == 2)); then\n        _arguments" + specifications(text.program);
    script += R"sh(
        return
    fi
    local command=$words[2]
    shift words
    ((CURRENT--))
    case $command in
)sh";
    for (const CommandText& command : text.commands) {
        script += fmt::format("        {})\n            _arguments -s{}\n            ;;\n",
                              command.name,
                              specifications(command));
    }
    return script + "    esac\n}\n\n_weft \"$@\"\n";
}

}  // namespace weft::app
