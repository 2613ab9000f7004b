#include "tests/style/clause_rules.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace weft::style {

namespace {

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// F12, C4a: a letter of a mechanism, a number, perhaps a letter.
bool is_clause(std::string_view word) {
    const std::size_t end = word.find_first_not_of("0123456789", 1);
    const std::string_view rest =
        end == std::string_view::npos ? std::string_view() : word.substr(end);
    return word.size() >= 2 && std::string_view("CFNRW").find(word[0]) != std::string_view::npos &&
           is_digit(word[1]) && (rest.empty() || (rest.size() == 1 && rest >= "a" && rest <= "z"));
}

// Words of letters, digits and underscores.
std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words(1);
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
            words.back() += c;
        } else if (!words.back().empty()) {
            words.emplace_back();
        }
    }
    return words;
}

}  // namespace

std::set<std::string> clauses_of_tests(std::string_view text) {
    constexpr std::string_view kCase = "TEST_CASE(";
    std::set<std::string> clauses;
    for (std::size_t at = text.find(kCase); at != std::string_view::npos;
         at = text.find(kCase, at + 1)) {
        const std::size_t quote = text.find('"', at);
        const std::size_t end = quote == std::string_view::npos ? quote : text.find('"', quote + 1);
        if (end == std::string_view::npos) {
            break;
        }
        std::istringstream name{std::string(text.substr(quote + 1, end - quote - 1))};
        for (std::string word; name >> word && is_clause(word);) {
            clauses.insert(word);
        }
    }
    return clauses;
}

std::map<std::string, std::set<std::string>> clause_table(std::string_view page) {
    std::map<std::string, std::set<std::string>> table;
    std::istringstream lines{std::string(page)};
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find('|');
        const std::size_t second = line.find('|', first + 1);
        const std::size_t third = second == std::string::npos ? second : line.find('|', second + 1);
        if (first != 0 || third == std::string::npos) {
            continue;
        }
        std::set<std::string> tests;
        for (const std::string& word : words_of(std::string_view(line).substr(third))) {
            if (word.starts_with("test_")) {
                tests.insert(word);
            }
        }
        for (const std::string& word : words_of(std::string_view(line).substr(0, second))) {
            if (is_clause(word)) {
                table[word].insert(tests.begin(), tests.end());
            }
        }
    }
    return table;
}

Faults clause_faults(std::string_view page,
                     const std::map<std::string, std::string>& tests,
                     const std::vector<std::string>& expected) {
    std::map<std::string, std::set<std::string>> shown;  // by the name of a test file
    for (const auto& [path, text] : tests) {
        const std::size_t begin = path.rfind('/') + 1;
        shown[path.substr(begin, path.rfind('.') - begin)].merge(clauses_of_tests(text));
    }
    const auto table = clause_table(page);
    Faults faults;
    for (const std::string& clause : expected) {
        if (!table.contains(clause)) {
            faults.push_back(clause + " has no row in the table of clauses");
        }
    }
    for (const auto& [clause, names] : table) {
        const std::string& shows = clause;
        if (std::none_of(names.begin(), names.end(), [&](const std::string& name) {
                return shown.contains(name) && shown.at(name).contains(shows);
            })) {
            faults.push_back(clause + ": no test of its row has a name that begins with it");
        }
    }
    // What a row names should show something of it.
    std::map<std::string, bool> is_used;
    for (const auto& [clause, names] : table) {
        for (const std::string& name : names) {
            is_used[name] =
                is_used[name] || (shown.contains(name) && shown.at(name).contains(clause));
        }
    }
    for (const auto& [name, is_right] : is_used) {
        if (!is_right) {
            faults.push_back(name + " stands in the table of clauses and shows none of its row");
        }
    }
    return faults;
}

}  // namespace weft::style
