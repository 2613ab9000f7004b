// bash_completion.cpp — the completion for bash, as one function; see write_manual.h.
#include <fmt/format.h>

#include "app/manual/write_manual.h"

namespace weft::app {

namespace {

// Functions that the completion calls with the word to complete in `cur`.
constexpr const char* kFunctions = R"sh(_weft_words() {
    COMPREPLY+=($(compgen -W "$1" -- "$cur"))
}

# Folders, and files with one of the endings, separated by bars; without endings all files.
_weft_files() {
    local file
    compopt -o filenames 2>/dev/null
    while IFS= read -r file; do
        if [[ -d $file || -z $1 || ${file,,} == *.@($1) ]]; then
            COMPREPLY+=("$file")
        fi
    done < <(compgen -f -- "$cur")
}

_weft_folders() {
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen -d -- "$cur"))
}

# Names of scenes in ./scenes, in WEFT_SCENE_PATH and of the installation.
_weft_scenes() {
    local IFS=: folder file program
    program=$(readlink -f -- "$(type -P "${COMP_WORDS[0]}")")
    for folder in scenes $WEFT_SCENE_PATH "${program%/bin/*}/share/weft/scenes"; do
        for file in "$folder/$cur"*.gltf "$folder/$cur"*.glb; do
            if [[ -f $file ]]; then
                file=${file##*/}
                COMPREPLY+=("${file%.*}")
            fi
        done
    done
}
)sh";

// ".a", ".b" as "a|b".
std::string pattern_of(const std::vector<std::string>& endings) {
    std::vector<std::string> bare;
    for (const std::string& ending : endings) {
        bare.push_back(ending.substr(1));
    }
    return join_words(bare, "|");
}

// The commands that offer what may stand for a value.
std::string offers_of(const OptionText& option) {
    if (const std::vector<std::string> choices = choices_of(option); !choices.empty()) {
        return "_weft_words '" + join_words(choices, " ") + "'; ";
    }
    if (option.kind == "FOLDER") {
        return "_weft_folders; ";
    }
    std::string calls;
    if (option.offer.has_scenes) {
        calls += "_weft_scenes; ";
    }
    if (!option.offer.names.empty()) {
        calls += "_weft_words '" + join_words(option.offer.names, " ") + "'; ";
    }
    if (option.kind == "FILE" || !option.offer.endings.empty()) {
        calls += "_weft_files '" + pattern_of(option.offer.endings) + "'; ";
    }
    return calls;
}

std::string names_of(const CommandText& command) {
    std::vector<std::string> names;
    for (const OptionText& option : command.options) {
        if (!option.is_word) {
            names.insert(names.end(), option.names.begin(), option.names.end());
        }
    }
    return join_words(names, " ");
}

std::string values_of(const CommandText& command) {
    std::string rows;
    for (const OptionText& option : command.options) {
        if (option.is_word || !option.has_value) {
            continue;
        }
        std::vector<std::string> patterns;
        for (const std::string& name : option.names) {
            // An option of the program itself stands where the command would.
            patterns.push_back(
                fmt::format("'{} {}'", command.name.empty() ? name : command.name, name));
        }
        rows +=
            fmt::format("        {}) {}return ;;\n", join_words(patterns, "|"), offers_of(option));
    }
    return rows;
}

}  // namespace

std::string bash_completion(const ProgramText& text) {
    std::vector<std::string> first;
    std::string values;
    std::string options;
    std::string words;
    for (const CommandText& command : text.commands) {
        first.push_back(command.name);
        values += values_of(command);
        options +=
            fmt::format("            {}) _weft_words '{}' ;;\n", command.name, names_of(command));
        for (const OptionText& option : command.options) {
            if (option.is_word) {
                words += fmt::format("        {}) {};;\n", command.name, offers_of(option));
                break;
            }
        }
    }
    std::string script = "# Completion of " + text.version + " for bash.\n\n";
    script += kFunctions;
    script += R"sh(
_weft() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD == 1)); then
)sh";
    script += fmt::format("        _weft_words '{} {}'\n        return\n    fi\n",
                          join_words(first, " "),
                          names_of(text.program));
    script += "    case \"$command $prev\" in\n" + values_of(text.program) + values;
    script += "    esac\n    if [[ $cur == -* ]]; then\n        case $command in\n" + options;
    script += "        esac\n        return\n    fi\n    case $command in\n" + words;
    return script + "    esac\n}\n\ncomplete -F _weft weft\n";
}

}  // namespace weft::app
