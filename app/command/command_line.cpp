#include "app/command/command_line.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "app/command/exit_code.h"
#include "app/command/messages.h"
#include "app/command/standard_output.h"
#include "app/command/usage_error.h"

namespace weft::app {

namespace {

constexpr std::size_t kColumnWidth = 34;

// Such as "-t" and "--threads".
std::vector<std::string> names_of(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) {
        names.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        names.push_back("--" + name);
    }
    return names;
}

class HelpFormatter final : public CLI::Formatter {
public:
    HelpFormatter() { column_width(kColumnWidth); }

    std::string make_option_opts(const CLI::Option* option) const override {
        const bool has_kind = option->get_items_expected_max() != 0 && !option->get_positional();
        return has_kind ? " " + option->get_type_name() : std::string();
    }

    // CLI11 adds what a flag such as --no-rays sets.
    std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
        if (is_positional) {
            return option->get_name(true, false);
        }
        std::string names;
        for (const std::string& name : names_of(*option)) {
            names += (names.empty() ? "" : ",") + name;
        }
        return names;
    }

    std::string make_option_desc(const CLI::Option* option) const override {
        const std::string usual = option->get_default_str();
        return option->get_description() + (usual.empty() ? "" : " (default: " + usual + ")");
    }
};

// Returns "--threads" for "-t,--threads".
std::string long_name(const std::string& names) {
    return names.substr(names.rfind(',') + 1);
}

// Returns the function that CLI11 calls with all texts of an option.
CLI::callback_t reader(const std::string& name, const OptionValue& value) {
    return [name, read = value.read](const CLI::results_t& texts) {
        const base::Status status = read(texts);
        if (status.is_ok()) {
            return true;
        }
        const std::string& sentence = status.error().sentence;
        if (sentence.starts_with(name)) {
            throw WholeSentence(sentence, kExitUsage);
        }
        throw CLI::ValidationError(name, sentence);
    };
}

OptionText text_of(const CLI::Option& option, const Offers& offers) {
    OptionText text;
    text.is_word = option.get_positional();
    text.names = text.is_word ? std::vector{option.get_name(true)} : names_of(option);
    text.is_required = option.get_required();
    text.has_value = option.get_items_expected_max() != 0;
    text.is_repeatable = option.get_items_expected_max() > 1;
    text.is_list = option.get_delimiter() != '\0';
    text.kind = text.has_value ? option.get_type_name() : "";
    text.usual = option.get_default_str();
    text.help = option.get_description();
    text.group = option.get_group();
    if (const auto found = offers.find(&option); found != offers.end()) {
        text.offer = found->second;
    }
    return text;
}

CommandText text_of(const CLI::App& app, const Offers& offers) {
    CommandText text;
    text.name = app.get_parent() == nullptr ? "" : app.get_name();
    text.help = app.get_description();
    for (const CLI::Option* const option : app.get_options()) {
        text.options.push_back(text_of(*option, offers));
    }
    return text;
}

}  // namespace

void Command::add(const OptionInfo& info, const OptionValue& value) {
    CLI::Option* const option =
        app_->add_option(info.names, reader(long_name(info.names), value), info.help);
    option->type_name(value.kind);
    option->default_str(info.usual.empty() ? value.usual : info.usual);
    if (!info.group.empty()) {
        option->group(info.group);
    }
    const bool is_positional = option->get_positional();
    if (value.takes == Takes::One && !is_positional) {
        option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);  // read() checks each text
    }
    if (value.takes != Takes::One) {
        option->expected(CLI::detail::expected_max_vector_size);
        option->allow_extra_args(is_positional);  // else the option would take the SCENE after it
    }
    if (value.takes == Takes::ManyWords) {
        option->delimiter(',');
    }
    (*offers_)[option] = value.offer;
}

void Command::add_flag(const OptionInfo& info, bool& is_on) {
    CLI::Option* const option = app_->add_flag(info.names, is_on, info.help);
    if (!info.group.empty()) {
        option->group(info.group);
    }
}

void Command::add_flag(const OptionInfo& info, std::string& text) {
    CLI::Option* const option = app_->add_flag(info.names, text, info.help);
    if (!info.group.empty()) {
        option->group(info.group);
    }
}

void Command::set_required(const char* name, bool is_required) {
    app_->get_option(name)->required(is_required);
}

void Command::set_help(const char* name, const char* help) {
    app_->get_option(name)->description(help);
}

void Command::set_needs(const char* name, const char* needed) {
    app_->get_option(name)->needs(app_->get_option(needed));
}

void Command::remove(const char* name) {
    CLI::Option* const option = app_->get_option(name);
    offers_->erase(option);
    app_->remove_option(option);
}

bool Command::is_chosen() const {
    return app_->parsed();
}

CommandLine::CommandLine(const char* help, const std::string& version, const std::string& footer)
    : program_(std::make_unique<CLI::App>(help)), version_(version) {
    program_->set_version_flag("--version", version);
    // parse() reports a missing command, after CLI11 has reported unknown words.
    program_->require_subcommand(0, 1);
    program_->footer(footer);
}

CommandLine::~CommandLine() = default;

Command CommandLine::add_command(const char* name, const char* help) {
    CLI::App* const command = program_->add_subcommand(name, help);
    command->formatter(std::make_shared<HelpFormatter>());
    return {*command, offers_};
}

void CommandLine::add_writer(const OptionInfo& info, Writer writer) {
    writer_ = std::move(writer);
    program_->add_option(info.names, written_folder_, info.help)->type_name("FOLDER");
}

ProgramText CommandLine::text() const {
    ProgramText text{.version = version_, .program = text_of(*program_, offers_), .commands = {}};
    for (const CLI::App* const command : std::as_const(*program_).get_subcommands({})) {
        text.commands.push_back(text_of(*command, offers_));
    }
    return text;
}

std::optional<std::string> CommandLine::help_of(const std::string& command) const {
    const CLI::App* found = command.empty() ? program_.get() : nullptr;
    for (const CLI::App* const one : std::as_const(*program_).get_subcommands({})) {
        found = one->get_name() == command ? one : found;
    }
    if (found == nullptr) {
        return std::nullopt;
    }
    // App::help() would tell about the command that was chosen.
    const std::string name = command.empty() ? "weft" : "weft " + command;
    return found->get_formatter()->make_help(found, name, CLI::AppFormatMode::Normal);
}

std::optional<int> CommandLine::parse(int argc, char** argv) {
    words_.assign(argv, argv + argc);
    try {
        program_->parse(argc, argv);
        if (!written_folder_.empty()) {
            return writer_(text(), written_folder_);
        }
        if (program_->get_subcommands().empty()) {
            throw CLI::RequiredError::Subcommand(1);
        }
    } catch (const CLI::CallForHelp&) {
        return put_on_stdout(program_->help()) ? kExitDone : kExitOutput;
    } catch (const CLI::CallForVersion& version) {
        return put_on_stdout(std::string(version.what()) + "\n") ? kExitDone : kExitOutput;
    } catch (const CLI::ParseError& error) {
        return fail({base::ErrorKind::Usage, usage_sentence(*program_, words_, error)});
    }
    return std::nullopt;
}

base::Status CommandLine::parse_words(const std::vector<std::string>& words) {
    words_ = words;
    std::vector<std::string> rest(words.rbegin(), words.rend() - 1);  // CLI11 takes the last first
    try {
        program_->parse(std::move(rest));
    } catch (const CLI::Success&) {
        return base::Error{base::ErrorKind::Usage, "found a call for help, expected options"};
    } catch (const CLI::ParseError& error) {
        return base::Error{base::ErrorKind::Usage,
                           usage_sentence(*program_, words_, error, OptionsTold::InSentence)};
    }
    return base::Done{};
}

int CommandLine::fail_missing(const char* what) const {
    return fail(
        {base::ErrorKind::Usage, usage_sentence(*program_, words_, CLI::RequiredError(what))});
}

}  // namespace weft::app
