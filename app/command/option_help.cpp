#include "app/command/option_help.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

namespace weft::app {

namespace {

constexpr std::size_t kColumnWidth = 34;

class HelpFormatter final : public CLI::Formatter {
public:
    HelpFormatter() { column_width(kColumnWidth); }

    // Prints the kind of value: the name that the last check gives it, else the variable's type.
    std::string make_option_opts(const CLI::Option* option) const override {
        if (option->get_items_expected_max() == 0) {
            return {};
        }
        std::string kind = option->get_type_name();
        const std::size_t colon = kind.rfind(':');
        kind = colon == std::string::npos ? kind : kind.substr(colon + 1);
        return option->get_positional() ? std::string() : " " + kind;
    }

    std::string make_option_desc(const CLI::Option* option) const override {
        const std::string usual = option->get_default_str();
        const bool is_shown = !usual.empty() && usual != "[]" && usual != "false";
        return option->get_description() + (is_shown ? " (default: " + usual + ")" : "");
    }
};

}  // namespace

void finish_options(CLI::App& command) {
    command.formatter(std::make_shared<HelpFormatter>());
    for (CLI::Option* const option : command.get_options([](const CLI::Option*) { return true; })) {
        if (option->get_default_str().empty()) {
            option->capture_default_str();
        }
        const bool is_list =
            option->get_items_expected_max() >= CLI::detail::expected_max_vector_size;
        if (!option->get_positional() && !is_list && option->get_items_expected_max() != 0) {
            option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
        }
    }
}

}  // namespace weft::app
