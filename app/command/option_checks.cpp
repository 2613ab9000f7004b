#include "app/command/option_checks.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

#include "app/command/size_text.h"

namespace weft::app {

namespace {

std::string expected(const std::string& what, const std::string& found) {
    return fmt::format("expected {}, found {}", what, found.empty() ? "nothing" : found);
}

// Parses the whole text. Returns false if it is not a number.
template <typename Number>
bool read_number(std::string_view text, Number& number) {
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && rest == end && !text.empty();
}

// Splits a text at its commas.
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

// CLI11's own range checks accept NaN; this one refuses it.
CLI::Validator number_where(const std::string& what, bool (*is_right)(float)) {
    return {[what, is_right](std::string& text) {
                float number = 0;
                const bool is_number = read_number(text, number) && std::isfinite(number);
                return is_number && is_right(number) ? std::string() : expected(what, text);
            },
            "X"};
}

}  // namespace

CLI::Validator whole(u64 least, u64 most) {
    return {[least, most](std::string& text) {
                u64 number = 0;
                if (!read_number(text, number) || number < least || number > most) {
                    return expected(fmt::format("a whole number from {} to {}", least, most), text);
                }
                text = std::to_string(number);  // CLI11 would read 010 as octal
                return std::string();
            },
            "N"};
}

CLI::Validator finite() {
    return number_where("a finite number", [](float) { return true; });
}

CLI::Validator not_negative() {
    return number_where("a finite number from 0", [](float number) { return number >= 0; });
}

CLI::Validator positive() {
    return number_where("a finite number above 0", [](float number) { return number > 0; });
}

CLI::Validator number_between(double least, double most) {
    return {
        [least, most](std::string& text) {
            double number = 0;
            const bool is_right = read_number(text, number) && number >= least && number <= most;
            return is_right ? std::string()
                            : expected(fmt::format("a number from {} to {}", least, most), text);
        },
        "X"};
}

CLI::Validator one_of(const std::vector<std::string>& words) {
    return {[words](std::string& text) {
                if (std::find(words.begin(), words.end(), text) != words.end()) {
                    return std::string();
                }
                return expected(
                    fmt::format(
                        "{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back()),
                    text);
            },
            fmt::format("{}", fmt::join(words, "|"))};
}

CLI::Validator number_list(std::size_t count, float least) {
    return {[count, least](std::string& text) {
                bool is_right = true;
                const std::vector<std::string_view> words = words_of(text);
                for (const std::string_view word : words) {
                    float number = 0;
                    is_right = is_right && read_number(word, number) && std::isfinite(number) &&
                               number >= least;
                }
                is_right = is_right && (count == 0 || words.size() == count);
                return is_right ? std::string()
                                : expected(fmt::format("{}finite numbers{} with commas between",
                                                       count == 0 ? "" : fmt::format("{} ", count),
                                                       least == 0 ? " from 0" : ""),
                                           text);
            },
            "X,X,..."};
}

CLI::Validator whole_list(std::size_t count, u64 most) {
    return {
        [count, most](std::string& text) {
            const std::vector<std::string_view> words = words_of(text);
            bool is_right = words.size() == count;
            for (const std::string_view word : words) {
                u64 number = 0;
                is_right = is_right && read_number(word, number) && number <= most;
            }
            return is_right
                       ? std::string()
                       : expected(
                             fmt::format(
                                 "{} whole numbers from 0 to {} with commas between", count, most),
                             text);
        },
        "N,N,..."};
}

std::vector<float> numbers_of(const std::string& text) {
    std::vector<float> numbers;
    for (const std::string_view word : words_of(text)) {
        read_number(word, numbers.emplace_back());
    }
    return numbers;
}

CLI::Validator existing_folder() {
    return {[](std::string& text) {
                std::error_code is_lost;
                return std::filesystem::is_directory(text, is_lost)
                           ? std::string()
                           : expected("a folder that exists", text);
            },
            "FOLDER"};
}

CLI::Validator memory_size() {
    return {[](std::string& text) {
                return parse_size(text) != 0 ? std::string()
                                             : expected("a size such as 512M or 8G", text);
            },
            "SIZE"};
}

}  // namespace weft::app
