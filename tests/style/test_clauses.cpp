// test_clauses.cpp — every clause of the mechanisms has a test that says so, first on made-up
// pages, then on the table of scheduler/README.md.
#include <filesystem>

#include <doctest/doctest.h>

#include "tests/style/clause_rules.h"

namespace weft::style {

namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> test_sources() {
    std::map<std::string, std::string> tests;
    const fs::path root = fs::path(WEFT_SOURCE_DIR) / "tests";
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
        if (entry.path().extension() == ".cpp") {
            tests[fs::relative(entry.path(), root).generic_string()] = text_of(entry.path());
        }
    }
    return tests;
}

std::vector<std::string> all_clauses() {
    std::vector<std::string> clauses;
    for (const auto& [letter, count] : {std::pair('F', 19), {'W', 10}, {'N', 13}, {'R', 12}}) {
        for (int number = 1; number <= count; ++number) {
            clauses.push_back(letter + std::to_string(number));
        }
    }
    return clauses;
}

const std::string kCase = "TEST_" + std::string("CASE");  // no test of this file itself

}  // namespace

TEST_SUITE("style/clauses") {
    TEST_CASE("clauses are what the name of a test begins with") {
        const std::string text = kCase + "(\"F2 F5 every ray\") {\n" + kCase +
                                 "(\n        \"C4a one of W3\") " + kCase + "(\"Four F7\")";
        CHECK(clauses_of_tests(text) == std::set<std::string>{"C4a", "F2", "F5"});
        CHECK(clauses_of_tests("F1 no test").empty());
    }

    TEST_CASE("a clause without a test is a fault and so is a test without a clause") {
        const std::string page = "| F1, F2 | cluster.cpp | test_a; frame: test_b (F2) |\n";
        const std::string first = kCase + "(\"F1 x\")";
        const std::string second = kCase + "(\"F2 y\")";
        CHECK(clause_faults(page, {{"a/test_a.cpp", first}, {"b/test_b.cpp", second}}, {"F1"})
                  .empty());
        CHECK(clause_faults(page, {{"a/test_a.cpp", first}, {"b/test_b.cpp", first}}, {}).size() ==
              1);
        CHECK(
            clause_faults(page, {{"test_a.cpp", first + second}, {"test_b.cpp", ""}}, {}).size() ==
            1);
        CHECK(clause_faults(page, {{"test_c.cpp", first + second}}, {}).size() == 4);
        CHECK(clause_faults("", {}, {"W4"}).size() == 1);
    }

    TEST_CASE("every clause of the table has a test whose name begins with it") {
        const std::string page = text_of(fs::path(WEFT_SOURCE_DIR) / "scheduler" / "README.md");
        for (const std::string& fault : clause_faults(page, test_sources(), all_clauses())) {
            FAIL_CHECK(fault);
        }
    }
}

}  // namespace weft::style
