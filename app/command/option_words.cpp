#include "app/command/option_words.h"

#include <algorithm>
#include <array>

namespace weft::app {

namespace {

constexpr std::array<std::string_view, 1> kHelp = {"--help"};

}  // namespace

OptionWords::OptionWords(const char* command_name,
                         const std::function<void(Command&)>& declare,
                         const std::function<bool(const OptionText&)>& is_known)
    : command_name_(command_name), line_("options as words", "", "") {
    Command command = line_.add_command(command_name, "");
    declare(command);
    for (const OptionText& option : options()) {
        if (!is_known(option)) {
            command.remove(option.names.front().c_str());
        }
    }
}

std::vector<OptionText> OptionWords::options() const {
    std::vector<OptionText> options = line_.text().commands.front().options;
    std::erase_if(options, [](const OptionText& option) { return has_name(option, kHelp); });
    return options;
}

base::Status OptionWords::parse(const std::vector<std::string>& words) {
    std::vector<std::string> whole = {"weft", command_name_};
    whole.insert(whole.end(), words.begin(), words.end());
    return line_.parse_words(whole);
}

bool has_name(const OptionText& option, std::span<const std::string_view> names) {
    return std::any_of(option.names.begin(), option.names.end(), [&](const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    });
}

}  // namespace weft::app
