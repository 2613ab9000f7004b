#include "app/option_checks.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <string_view>

namespace weft::app {

namespace {

std::string expected(const std::string& what, const std::string& found) {
    return fmt::format("expected {}, found {}", what, found.empty() ? "nothing" : found);
}

// The whole text as a number; false where it is none.
template <typename Number>
bool read_number(std::string_view text, Number& number) {
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && rest == end && !text.empty();
}

// The parser's own checks let NaN pass.
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
                text = std::to_string(number);  // the parser would take 010 for an octal number
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
    return {[least, most](std::string& text) {
                double number = 0;
                const bool is_right =
                    read_number(text, number) && number >= least && number <= most;
                return is_right
                           ? std::string()
                           : expected(fmt::format("a number from {} to {}", least, most), text);
            },
            "X"};
}

CLI::Validator one_of(const std::vector<std::string>& words) {
    return {[words](std::string& text) {
                if (std::find(words.begin(), words.end(), text) != words.end()) {
                    return std::string();
                }
                return expected(fmt::format("{} or {}",
                                            fmt::join(words.begin(), words.end() - 1, ", "),
                                            words.back()),
                                text);
            },
            fmt::format("{}", fmt::join(words, "|"))};
}

u64 parse_size(const std::string& text) {
    u64 number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) {
        return 0;
    }
    std::string unit(end, text.data() + text.size());
    std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char letter) {
        return static_cast<char>(std::toupper(letter));
    });
    if (unit.empty()) {
        return number;
    }
    const std::size_t place = std::string_view("KMGT").find(unit[0]);
    const std::string_view rest = std::string_view(unit).substr(1);
    if (place == std::string_view::npos || (!rest.empty() && rest != "B" && rest != "IB")) {
        return 0;
    }
    const std::size_t shift = 10 * (place + 1);
    return number << shift >> shift == number ? number << shift : 0;
}

CLI::Validator memory_size() {
    return {[](std::string& text) {
                return parse_size(text) != 0 ? std::string()
                                             : expected("a size such as 512M or 8G", text);
            },
            "SIZE"};
}

}  // namespace weft::app
