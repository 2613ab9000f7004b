#include "app/manual/help_search.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>
#include <sstream>

#include "app/command/help_tables.h"

namespace weft::app {

namespace {

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return text;
}

// "--Spp=4" is "spp".
std::string bare(const std::string& word) {
    const std::string name = lower(word.substr(0, word.find('=')));
    return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

bool has(const std::string& text, const std::string& word) {
    return lower(text).find(word) != std::string::npos;
}

bool is_named(const OptionText& option, const std::string& word) {
    return std::any_of(option.names.begin(), option.names.end(), [&](const std::string& name) {
        return bare(name) == word;
    });
}

bool mentions(const OptionText& option, const std::string& word) {
    return is_named(option, word) || has(option.help, word) || has(option.kind, word) ||
           std::any_of(option.names.begin(), option.names.end(), [&](const std::string& name) {
               return has(name, word);
           });
}

// An option as the help of its command shows it, with the commands that show it so.
struct Entry {
    std::string text;
    std::vector<std::string> commands;
};

std::string entry_text(const OptionText& option) {
    return fmt::format("    {}{}\n        {}{}\n",
                       fmt::join(option.names, ","),
                       option.has_value && !option.is_word ? " " + option.kind : "",
                       option.help,
                       option.usual.empty() ? "" : " (default: " + option.usual + ")");
}

// The options that `is_wanted` accepts, each once.
template <typename Wanted>
std::string options_text(const ProgramText& program, const Wanted& is_wanted) {
    std::vector<Entry> entries;
    for (const CommandText& command : program.commands) {
        for (const OptionText& option : command.options) {
            if (!is_wanted(option)) {
                continue;
            }
            const std::string text = entry_text(option);
            const auto found = std::find_if(entries.begin(),
                                            entries.end(),
                                            [&](const Entry& entry) { return entry.text == text; });
            if (found == entries.end()) {
                entries.push_back({text, {command.name}});
            } else {
                found->commands.push_back(command.name);
            }
        }
    }
    std::string text;
    for (const Entry& entry : entries) {
        text += fmt::format("weft {}\n{}\n", fmt::join(entry.commands, ", "), entry.text);
    }
    return text;
}

std::string tables_text(const std::string& word) {
    std::string text;
    for (const ExitCodeText& row : kExitCodeTexts) {
        if (std::to_string(row.code) == word || has(row.meaning, word)) {
            text += fmt::format("exit code {}\n    {}\n\n", row.code, row.meaning);
        }
    }
    for (const VariableText& row : kVariableTexts) {
        if (has(row.name, word) || has(row.meaning, word)) {
            text += fmt::format("variable {}\n    {}\n\n", row.name, row.meaning);
        }
    }
    return text;
}

bool is_heading(const std::string& line) {
    return line.starts_with("#");
}

std::string heading_text(const std::string& line) {
    return line.substr(std::min(line.find_first_not_of("# "), line.size()));
}

// The headings whose parts of a page have the word.
std::vector<std::string> headings_with(const GuidePage& page, const std::string& word) {
    std::vector<std::string> found;
    std::string heading;
    std::istringstream lines(page.text);
    for (std::string line; std::getline(lines, line);) {
        if (is_heading(line)) {
            heading = heading_text(line);
        }
        if (has(line, word) && (found.empty() || found.back() != heading)) {
            found.push_back(heading);
        }
    }
    return found;
}

std::string guide_text(const std::vector<GuidePage>& guide, const std::string& word) {
    std::string text;
    for (const GuidePage& page : guide) {
        const std::vector<std::string> headings = headings_with(page, word);
        if (!headings.empty()) {
            text += fmt::format(
                "guide: weft help {}\n    {}\n\n", page.name, fmt::join(headings, "; "));
        }
    }
    return text;
}

// A page as it is read in a terminal.
GuidePage read_page(const std::filesystem::path& path) {
    GuidePage page{.name = path.stem().string(), .title = {}, .text = {}};
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("![")) {
            continue;
        }
        if (page.title.empty() && is_heading(line)) {
            page.title = heading_text(line);
        }
        page.text += line + "\n";
    }
    return page;
}

}  // namespace

std::vector<GuidePage> read_guide(const std::string& folder) {
    std::vector<GuidePage> pages;
    std::error_code problem;
    for (const auto& entry : std::filesystem::directory_iterator(folder, problem)) {
        if (entry.path().extension() == ".md" && entry.path().stem() != "README") {
            pages.push_back(read_page(entry.path()));
        }
    }
    std::sort(pages.begin(), pages.end(), [](const GuidePage& a, const GuidePage& b) {
        return a.name < b.name;
    });
    return pages;
}

std::string help_topics(const std::vector<GuidePage>& guide) {
    std::string text =
        "\nweft help WORD tells about a command, an option (weft help spp), or any other word.\n";
    if (!guide.empty()) {
        text += "\nThe guide:\n";
    }
    for (const GuidePage& page : guide) {
        text += fmt::format("  weft help {:<17} {}\n", page.name, page.title);
    }
    return text;
}

std::optional<std::string> help_about(const std::string& word,
                                      const ProgramText& program,
                                      const std::vector<GuidePage>& guide) {
    const std::string wanted = bare(word);
    if (wanted.empty()) {
        return std::nullopt;
    }
    const auto page = std::find_if(
        guide.begin(), guide.end(), [&](const GuidePage& one) { return one.name == wanted; });
    std::string text =
        options_text(program, [&](const OptionText& option) { return is_named(option, wanted); });
    if (page != guide.end() && !word.starts_with('-')) {
        return text + page->text;
    }
    if (text.empty()) {
        text = options_text(program,
                            [&](const OptionText& option) { return mentions(option, wanted); });
    }
    text += tables_text(wanted) + guide_text(guide, wanted);
    return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace weft::app
