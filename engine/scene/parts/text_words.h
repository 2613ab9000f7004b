// text_words.h — the words and numbers of text files, without locale.
//
// Pure; any thread.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <type_traits>

namespace weft::scene {

// Without the blanks around it.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n\v\f") {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

// Takes the next word from a line; empty at its end.
inline std::string_view next_word(std::string_view& line, std::string_view blanks = " \t\r\n") {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    const std::string_view word = line.substr(0, line.find_first_of(blanks));
    line.remove_prefix(word.size());
    return word;
}

// The number that all of the word says, which may begin with '+'; none: it says no finite one.
template <typename T>
std::optional<T> number_of(std::string_view word) {
    word.remove_prefix(word.starts_with('+') ? 1 : 0);
    T number{};
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    bool is_good = problem == std::errc() && end == word.data() + word.size();
    if constexpr (std::is_floating_point_v<T>) {
        is_good = is_good && std::isfinite(number);
    }
    return is_good ? std::optional(number) : std::nullopt;
}

}  // namespace weft::scene
