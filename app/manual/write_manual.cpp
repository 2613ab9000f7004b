#include "app/manual/write_manual.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "app/command/exit_code.h"
#include "app/command/messages.h"
#include "app/render_stats.h"

namespace weft::app {

namespace {

namespace fs = std::filesystem;

base::Status write_below(const fs::path& folder, const std::string& name, const std::string& text) {
    const fs::path file = folder / name;
    std::error_code problem;
    fs::create_directories(file.parent_path(), problem);
    return write_text(file.string(), text);
}

base::Status write_all(const ProgramText& text, const fs::path& folder) {
    WEFT_TRY(write_below(folder, "man1/weft.1", man_page(text, text.program)));
    for (const CommandText& command : text.commands) {
        WEFT_TRY(write_below(folder, "man1/weft-" + command.name + ".1", man_page(text, command)));
    }
    WEFT_TRY(write_below(folder, "bash/weft", bash_completion(text)));
    return write_below(folder, "zsh/_weft", zsh_completion(text));
}

}  // namespace

std::vector<std::string> choices_of(const OptionText& option) {
    std::vector<std::string> choices;
    if (option.kind.find('|') == std::string::npos) {
        return choices;
    }
    for (std::size_t at = 0; at <= option.kind.size();) {
        const std::size_t end = std::min(option.kind.find('|', at), option.kind.size());
        choices.push_back(option.kind.substr(at, end - at));
        at = end + 1;
    }
    return choices;
}

std::string join_words(const std::vector<std::string>& words, const std::string& separator) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : separator) + word;
    }
    return text;
}

int write_manual(const ProgramText& text, const std::string& folder) {
    const base::Status written = write_all(text, folder);
    return written.is_ok() ? kExitDone : fail(written.error());
}

}  // namespace weft::app
