// man_page.cpp — a page in the language of man(7); see write_manual.h.
#include <algorithm>
#include <fmt/format.h>

#include "app/command/help_tables.h"
#include "app/manual/write_manual.h"

namespace weft::app {

namespace {

// Text for man(7): a minus instead of a hyphen, and nothing that is read as a command.
std::string plain(const std::string& text) {
    std::string page;
    for (const char letter : text) {
        if (letter == '\\') {
            page += "\\e";
        } else if (letter == '-') {
            page += "\\-";
        } else if (letter == '|') {
            page += "|\\:";  // a long list of values may break here
        } else {
            page += letter == '\n' ? ' ' : letter;
        }
    }
    return page.starts_with('.') || page.starts_with('\'') ? "\\&" + page : page;
}

std::string bold(const std::string& text) {
    return "\\fB" + plain(text) + "\\fR";
}

std::string italic(const std::string& text) {
    return "\\fI" + plain(text) + "\\fR";
}

std::string synopsis(const CommandText& page) {
    std::string text = page.name.empty() ? bold("weft") : bold("weft " + page.name);
    text += " [" + italic("OPTION") + "]...";
    for (const OptionText& option : page.options) {
        if (option.is_word) {
            const std::string word = italic(option.names[0]) + (option.is_repeatable ? "..." : "");
            text += option.is_required ? " " + word : " [" + word + "]";
        }
    }
    return page.name.empty() ? bold("weft") + " " + italic("COMMAND") + " [" + italic("OPTION") +
                                   "]...\n.br\n" + text
                             : text;
}

std::string entry(const OptionText& option) {
    std::string names;
    for (const std::string& name : option.names) {
        names += (names.empty() ? "" : ", ") + (option.is_word ? italic(name) : bold(name));
    }
    const bool shows_kind = option.has_value && !option.is_word;
    return fmt::format(".TP\n{}{}\n{}{}\n",
                       names,
                       shows_kind ? " " + italic(option.kind) : "",
                       plain(option.help),
                       option.usual.empty() ? "" : " (default: " + plain(option.usual) + ")");
}

// The options below their headings, in the order in which the headings first occur.
std::string options_of(const CommandText& page) {
    std::vector<std::string> groups;
    for (const OptionText& option : page.options) {
        if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
            groups.push_back(option.group);
        }
    }
    std::string text = ".SH OPTIONS\n";
    for (const std::string& group : groups) {
        text += groups.size() > 1 ? ".SS " + plain(group) + "\n" : "";
        for (const OptionText& option : page.options) {
            text += option.group == group ? entry(option) : "";
        }
    }
    return text;
}

std::string tables() {
    std::string text = ".SH EXIT STATUS\n";
    for (const ExitCodeText& row : kExitCodeTexts) {
        text += fmt::format(".TP\n{}\n{}\n", bold(std::to_string(row.code)), plain(row.meaning));
    }
    text += ".SH ENVIRONMENT\n";
    for (const VariableText& row : kVariableTexts) {
        text += fmt::format(".TP\n{}\n{}\n", bold(row.name), plain(row.meaning));
    }
    return text;
}

// The other pages.
std::string see_also(const ProgramText& text, const CommandText& page) {
    std::vector<std::string> pages;
    if (!page.name.empty()) {
        pages.push_back(bold("weft") + "(1)");
    }
    for (const CommandText& command : text.commands) {
        if (command.name != page.name) {
            pages.push_back(bold("weft-" + command.name) + "(1)");
        }
    }
    return ".SH SEE ALSO\n" + join_words(pages, ",\n") + "\n";
}

}  // namespace

std::string man_page(const ProgramText& text, const CommandText& page) {
    const std::string name = page.name.empty() ? "weft" : "weft-" + page.name;
    std::string title = name;
    std::transform(title.begin(), title.end(), title.begin(), [](char letter) {
        return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter;
    });
    const std::size_t after_name = page.help.find(" - ");
    const std::string purpose =
        after_name == std::string::npos ? page.help : page.help.substr(after_name + 3);
    std::string man = fmt::format(".TH {} 1 \"\" \"{}\" \"Weft\"\n", plain(title), text.version);
    // A line of one long list of values has no space to stretch.
    man += ".ad l\n";
    man += fmt::format(".SH NAME\n{} \\- {}\n", plain(name), plain(purpose));
    man += ".SH SYNOPSIS\n" + synopsis(page) + "\n";
    if (page.name.empty()) {
        man += ".SH COMMANDS\n";
        for (const CommandText& command : text.commands) {
            man += fmt::format(".TP\n{}\n{}; see {}(1)\n",
                               bold("weft " + command.name),
                               plain(command.help),
                               bold("weft-" + command.name));
        }
    }
    return man + options_of(page) + tables() + see_also(text, page);
}

}  // namespace weft::app
