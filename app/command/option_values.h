// option_values.h — the kinds of values that options take: how each is parsed, checked and stored.
//
// A refusal states the expected value, then the found one. Numbers are decimal: 010 is ten. The
// variables must outlive CommandLine::parse(). One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/command/command_line.h"
#include "app/command/option_names.h"

namespace weft::app {

// Returns the value of one text, or an error (OptionValue::read).
template <typename Value>
using Parse = std::function<base::Result<Value>(const std::string& text)>;

using Texts = std::vector<std::string>;

// "expected WHAT, found TEXT"
base::Error unexpected(const std::string& what, const std::string& text);

// "a, b or c"
std::string either_of(const std::vector<std::string_view>& words);

// One value; `usual` is the default in the help. A std::optional<Value> stays empty unless the
// option is given.
template <typename Value, typename Variable>
OptionValue one_value(Variable& value, std::string kind, std::string usual, Parse<Value> parse) {
    auto read = [&value, parse = std::move(parse)](const Texts& texts) -> base::Status {
        for (const std::string& text : texts) {
            base::Result<Value> parsed = parse(text);
            WEFT_TRY(parsed);
            value = std::move(parsed.value());
        }
        return base::Done{};
    };
    return {Takes::One, std::move(kind), std::move(usual), std::move(read)};
}

// One value for each occurrence of the option. They replace the default values.
template <typename Value>
OptionValue value_list(std::vector<Value>& values, std::string kind, Parse<Value> parse) {
    auto read = [&values, parse = std::move(parse)](const Texts& texts) -> base::Status {
        values.clear();
        for (const std::string& text : texts) {
            base::Result<Value> parsed = parse(text);
            WEFT_TRY(parsed);
            values.push_back(std::move(parsed.value()));
        }
        return base::Done{};
    };
    return {Takes::Many, std::move(kind), "", std::move(read)};
}

// Parses a name of the table, which must outlive the result.
template <typename Value>
Parse<Value> parse_name(const Names<Value>& names) {
    return [&names](const std::string& text) -> base::Result<Value> {
        std::vector<std::string_view> words;
        for (const Named<Value>& named : names) {
            if (named.name == text) {
                return Value(named.value);
            }
            words.push_back(named.name);
        }
        return unexpected(either_of(words), text);
    };
}

// "box|gaussian"
template <typename Value>
std::string kind_of(const Names<Value>& names) {
    std::string kind;
    for (const Named<Value>& named : names) {
        kind += (kind.empty() ? "" : "|") + std::string(named.name);
    }
    return kind;
}

// A value that the table names.
template <typename Value>
OptionValue one_of(Value& value, const Names<Value>& names) {
    return one_value<Value>(
        value, kind_of(names), std::string(name_in(names, value)), parse_name(names));
}

template <typename Value>
OptionValue one_of(std::optional<Value>& value, const Names<Value>& names) {
    return one_value<Value>(value, kind_of(names), "", parse_name(names));
}

// Names of the table with commas between them.
template <typename Value>
OptionValue several_of(std::vector<Value>& values, const Names<Value>& names) {
    OptionValue option = value_list<Value>(values, kind_of(names), parse_name(names));
    option.takes = Takes::ManyWords;
    return option;
}

// A whole number in [least, most].
OptionValue whole(u32& value, u64 least, u64 most);
OptionValue whole(std::optional<u32>& value, u64 least, u64 most);

// A finite number: any; at least 0; above 0; in [least, most].
OptionValue finite(float& value);
OptionValue not_negative(float& value);
OptionValue positive(float& value);
OptionValue positive(double& value);
OptionValue number_between(float& value, double least, double most);

// Any text: a name of a file, or of a part of the scene.
OptionValue any_text(std::string& value, const char* kind = "TEXT");
OptionValue any_texts(std::vector<std::string>& values, Offer offer = {});

// A view transform: one of ours, or any other name.
OptionValue view_name(std::optional<std::string>& value);

// A file. The endings, such as ".exr", are those that a shell offers; others are taken, too.
OptionValue file_name(std::string& value, std::vector<std::string> endings);
// The same, and not empty: as an empty variable of a script is.
OptionValue input_file_name(std::string& value, std::vector<std::string> endings);

// Folders that exist.
OptionValue existing_folders(std::vector<std::string>& values);

// An amount of memory (scheduler/base/size_text.h), no smaller than that.
OptionValue memory_size(u64& bytes, u64 least_bytes = 1);

// Splits a text at its commas.
std::vector<std::string_view> words_of(std::string_view text);

// Parses all of the text. Returns none if it is not a number, or not finite.
template <typename Number>
std::optional<Number> number_of(std::string_view text);

// Parses finite numbers with commas between them. Returns none for any other text.
std::optional<std::vector<float>> numbers_of(std::string_view text);

}  // namespace weft::app
