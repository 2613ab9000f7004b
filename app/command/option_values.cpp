#include "app/command/option_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include "scheduler/base/size_text.h"

namespace weft::app {

namespace {

// The parser of finite numbers for which `is_right` holds.
template <typename Number>
Parse<Number> parse_number(std::string what, bool (*is_right)(Number)) {
    return [what = std::move(what), is_right](const std::string& text) -> base::Result<Number> {
        const std::optional<Number> number = number_of<Number>(text);
        if (number && is_right(*number)) {
            return *number;
        }
        return unexpected(what, text);
    };
}

// Refuses numbers beyond the range of float, whatever the type of the variable.
template <typename Number>
OptionValue number_above_0(Number& value) {
    const auto is_right = [](Number number) {
        constexpr double kMost = std::numeric_limits<float>::max();
        return number > 0 && static_cast<double>(number) <= kMost;
    };
    return one_value<Number>(value,
                             "X",
                             fmt::format("{}", value),
                             parse_number<Number>("a finite number above 0", is_right));
}

}  // namespace

base::Error unexpected(const std::string& what, const std::string& text) {
    return {base::ErrorKind::Usage,
            fmt::format("expected {}, found {}", what, text.empty() ? "nothing" : text)};
}

std::string either_of(const std::vector<std::string_view>& words) {
    return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (std::size_t comma = text.find(','); comma != std::string_view::npos;
         comma = text.find(',')) {
        words.push_back(text.substr(0, comma));
        text.remove_prefix(comma + 1);
    }
    words.push_back(text);
    return words;
}

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    Number number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || rest != end || !std::isfinite(static_cast<double>(number))) {
        return std::nullopt;
    }
    return number;
}

template std::optional<u32> number_of<u32>(std::string_view text);
template std::optional<u64> number_of<u64>(std::string_view text);
template std::optional<float> number_of<float>(std::string_view text);
template std::optional<double> number_of<double>(std::string_view text);

std::optional<std::vector<float>> numbers_of(std::string_view text) {
    std::vector<float> numbers;
    for (const std::string_view word : words_of(text)) {
        const std::optional<float> number = number_of<float>(word);
        if (!number) {
            return std::nullopt;
        }
        numbers.push_back(*number);
    }
    return numbers;
}

namespace {

Parse<u32> parse_whole(u64 least, u64 most) {
    return [least, most](const std::string& text) -> base::Result<u32> {
        const std::optional<u64> number = number_of<u64>(text);
        if (!number || *number < least || *number > most) {
            return unexpected(fmt::format("a whole number from {} to {}", least, most), text);
        }
        return static_cast<u32>(*number);
    };
}

}  // namespace

OptionValue whole(u32& value, u64 least, u64 most) {
    return one_value<u32>(value, "N", fmt::format("{}", value), parse_whole(least, most));
}

OptionValue whole(std::optional<u32>& value, u64 least, u64 most) {
    return one_value<u32>(value, "N", "", parse_whole(least, most));
}

OptionValue finite(float& value) {
    return one_value<float>(value,
                            "X",
                            fmt::format("{}", value),
                            parse_number<float>("a finite number", [](float) { return true; }));
}

OptionValue not_negative(float& value) {
    return one_value<float>(
        value,
        "X",
        fmt::format("{}", value),
        parse_number<float>("a finite number from 0", [](float number) { return number >= 0; }));
}

OptionValue positive(float& value) {
    return number_above_0(value);
}

OptionValue positive(double& value) {
    return number_above_0(value);
}

OptionValue number_between(float& value, double least, double most) {
    return one_value<float>(value,
                            "X",
                            fmt::format("{}", value),
                            [least, most](const std::string& text) -> base::Result<float> {
                                const std::optional<double> number = number_of<double>(text);
                                if (!number || *number < least || *number > most) {
                                    return unexpected(
                                        fmt::format("a number from {} to {}", least, most), text);
                                }
                                return static_cast<float>(*number);
                            });
}

OptionValue any_text(std::string& value, const char* kind) {
    return one_value<std::string>(
        value, kind, value, [](const std::string& text) -> base::Result<std::string> {
            return text;
        });
}

OptionValue any_texts(std::vector<std::string>& values, Offer offer) {
    OptionValue option = value_list<std::string>(
        values, "TEXT", [](const std::string& text) -> base::Result<std::string> { return text; });
    option.offer = std::move(offer);
    return option;
}

OptionValue view_name(std::optional<std::string>& value) {
    return one_value<std::string>(
        value,
        kind_of(view_transform_names()) + "|NAME",
        "",
        [](const std::string& text) -> base::Result<std::string> { return text; });
}

OptionValue file_name(std::string& value, std::vector<std::string> endings) {
    OptionValue option = any_text(value, "FILE");
    option.offer.endings = std::move(endings);
    return option;
}

OptionValue input_file_name(std::string& value, std::vector<std::string> endings) {
    OptionValue option = one_value<std::string>(
        value, "FILE", value, [](const std::string& text) -> base::Result<std::string> {
            return text.empty() ? unexpected("the name of a file", text)
                                : base::Result<std::string>(text);
        });
    option.offer.endings = std::move(endings);
    return option;
}

OptionValue existing_folders(std::vector<std::string>& values) {
    return value_list<std::string>(
        values, "FOLDER", [](const std::string& text) -> base::Result<std::string> {
            std::error_code is_lost;
            if (std::filesystem::is_directory(text, is_lost)) {
                return text;
            }
            return unexpected("a folder that exists", text);
        });
}

OptionValue memory_size(u64& bytes, u64 least_bytes) {
    return one_value<u64>(
        bytes,
        "SIZE",
        base::size_text(bytes),
        [least_bytes](const std::string& text) -> base::Result<u64> {
            const u64 size = base::parse_size(text);
            if (size < least_bytes) {
                const std::string least =
                    least_bytes > 1 ? " of at least " + base::size_text(least_bytes) + "," : "";
                return unexpected("a size" + least + " such as 512M or 8G", text);
            }
            return size;
        });
}

}  // namespace weft::app
