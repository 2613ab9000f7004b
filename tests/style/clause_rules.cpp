#include "tests/style/clause_rules.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

namespace weft::style {

namespace {

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// F12, C4a: a letter of a mechanism, a number from 1 on, perhaps a letter.
bool is_clause(std::string_view word) {
    const std::size_t end = word.find_first_not_of("0123456789", 1);
    const std::string_view rest =
        end == std::string_view::npos ? std::string_view() : word.substr(end);
    return word.size() >= 2 && std::string_view("CFNRW").find(word[0]) != std::string_view::npos &&
           is_digit(word[1]) && word[1] != '0' &&
           (rest.empty() || (rest.size() == 1 && rest >= "a" && rest <= "z"));
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
    if (words.back().empty()) {
        words.pop_back();
    }
    return words;
}

bool is_shown(const std::map<std::string, std::set<std::string>>& shown,
              const std::string& test,
              const std::string& clause) {
    const auto found = shown.find(test);
    return found != shown.end() && found->second.contains(clause);
}

}  // namespace

std::set<std::string> clauses_of_tests(std::string_view text) {
    constexpr std::string_view kCaseMacro = "TEST_CASE(";
    std::set<std::string> clauses;
    for (std::size_t at = text.find(kCaseMacro); at != std::string_view::npos;
         at = text.find(kCaseMacro, at + 1)) {
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

std::set<std::string> clauses_cited(std::string_view text) {
    std::set<std::string> clauses;
    for (std::size_t open = text.find('('); open != std::string_view::npos;
         open = text.find('(', open + 1)) {
        const std::size_t end = text.find_first_of("()\n", open + 1);
        if (end == std::string_view::npos || text[end] != ')') {
            continue;
        }
        const std::vector<std::string> words = words_of(text.substr(open + 1, end - open - 1));
        // Formulas such as (F90 - F0) are no citations: each word is a clause or joins two.
        const bool is_citation = std::all_of(words.begin(), words.end(), [](const auto& word) {
            return is_clause(word) || word == "clause" || word == "to" || word == "and";
        });
        for (const std::string& word : words) {
            if (is_citation && is_clause(word)) {
                clauses.insert(word);
            }
        }
    }
    return clauses;
}

std::map<std::string, Clause> clause_sections(std::string_view page) {
    constexpr std::string_view kHeading = "### ";
    constexpr std::string_view kTests = "- Tests:";
    std::map<std::string, Clause> sections;
    Clause* section = nullptr;
    bool is_tests = false;
    std::istringstream lines{std::string(page)};
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("#")) {
            const std::string name = line.substr(0, line.find(':'));
            const bool is_section =
                line.starts_with(kHeading) && is_clause(name.substr(kHeading.size()));
            section = is_section ? &sections[name.substr(kHeading.size())] : nullptr;
            is_tests = false;
        } else if (section && !line.empty()) {
            is_tests = line.starts_with(kTests) || (is_tests && line.starts_with(" "));
            for (const std::string& word : words_of(line)) {
                if (is_tests && word.starts_with("test_")) {
                    section->tests.insert(word);
                }
            }
            if (!is_tests && !line.starts_with("-") && !line.starts_with(" ")) {
                section->text += line;
            }
        }
    }
    return sections;
}

Faults clause_faults(std::string_view page,
                     const std::map<std::string, std::string>& tests,
                     const std::set<std::string>& used) {
    std::map<std::string, std::set<std::string>> shown;  // by the name of a test file
    for (const auto& [path, text] : tests) {
        const std::size_t begin = path.rfind('/') + 1;
        shown[path.substr(begin, path.rfind('.') - begin)].merge(clauses_of_tests(text));
    }
    const auto sections = clause_sections(page);
    Faults faults;
    for (const std::string& clause : used) {
        if (!sections.contains(clause)) {
            faults.push_back(clause + " is used in the tree and has no section on the page");
        }
    }
    for (const auto& [clause, section] : sections) {
        if (section.text.empty()) {
            faults.push_back(clause + ": the section does not say what it demands");
        }
        if (section.tests.empty()) {
            faults.push_back(clause + ": the section names no test");
        }
        for (const std::string& test : section.tests) {
            if (!is_shown(shown, test, clause)) {
                faults.push_back(clause + ": no case of " + test + " begins with it");
            }
        }
    }
    return faults;
}

std::set<std::string> files_named(std::string_view page) {
    std::set<std::string> files;
    for (std::size_t open = page.find('`'); open != std::string_view::npos;) {
        const std::size_t end = page.find('`', open + 1);
        if (end == std::string_view::npos) {
            break;
        }
        const std::string_view name = page.substr(open + 1, end - open - 1);
        const std::size_t folder = name.rfind('/');
        if (folder != std::string_view::npos && name.find('.', folder) != std::string_view::npos) {
            files.emplace(name);
        }
        open = page.find('`', end + 1);
    }
    return files;
}

}  // namespace weft::style
