#include "app/command/shell_word.h"

namespace weft::app {

std::string shell_word(const std::string& text) {
    constexpr const char* kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,=+@%-";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) {
        return text;
    }
    std::string word = "'";
    for (const char letter : text) {
        word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    }
    return word + "'";
}

std::optional<std::vector<std::string>> shell_words(const std::string& line) {
    std::vector<std::string> words;
    bool is_open = false;  // a word has begun
    char quote = 0;        // the open quotation mark; 0: none
    for (std::size_t at = 0; at < line.size(); ++at) {
        const char letter = line[at];
        const bool is_space = letter == ' ' || letter == '\t' || letter == '\n';
        if (quote == 0 && is_space) {
            is_open = false;
            continue;
        }
        if (!is_open) {
            words.emplace_back();
            is_open = true;
        }
        if (letter == '\\' && quote != '\'') {
            if (++at == line.size()) {
                return std::nullopt;
            }
            words.back() += line[at];
        } else if (quote == letter) {
            quote = 0;
        } else if (quote == 0 && (letter == '\'' || letter == '"')) {
            quote = letter;
        } else {
            words.back() += letter;
        }
    }
    return quote == 0 ? std::optional(words) : std::nullopt;
}

std::string shell_line(const std::vector<std::string>& texts) {
    std::string line;
    for (const std::string& text : texts) {
        line += (line.empty() ? "" : " ") + shell_word(text);
    }
    return line;
}

}  // namespace weft::app
