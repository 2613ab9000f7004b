// clause_rules.h — checks the page of clauses against the tree that cites them.
//
// The page explains each clause in a section of its own: a heading "### F5: counted elements", what
// the mechanism must do, and a list item "- Tests: `test_a`, `test_b`." A test that shows a clause
// begins its name with it: "F5 the parent is invoked again ...". Pure, as source_rules.h.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "tests/style/source_rules.h"

namespace weft::style {

// The clauses that names of tests in a file's text begin with: "F2 F5 every ray" gives two.
std::set<std::string> clauses_of_tests(std::string_view text);

// The clauses that comments or pages cite in parentheses: "(F3, F4)", "(F8 to F12)", "(clause C7)".
std::set<std::string> clauses_cited(std::string_view text);

struct Clause {
    std::string text;             // what it demands; empty: the section explains nothing
    std::set<std::string> tests;  // names of test files without folder and extension
};

// The sections of a page by clause.
std::map<std::string, Clause> clause_sections(std::string_view page);

// Clauses of `used` that the page lacks, sections without an explanation or without a test, and
// tests of a section that do not exist or show another clause. `tests`: texts of test files by
// path.
Faults clause_faults(std::string_view page,
                     const std::map<std::string, std::string>& tests,
                     const std::set<std::string>& used);

// Files that the page names in backticks, with a folder and an extension: `engine/a/b.cpp`.
std::set<std::string> files_named(std::string_view page);

}  // namespace weft::style
