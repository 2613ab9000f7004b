// clause_rules.h — the table of clauses on a page and the names of tests, held against each other.
//
// A row of the table is `| F5, F6 | what carries it | test_a, test_b |`. The name of a test that
// shows a clause begins with it: "F5 the parent is invoked again ...". Pure, as source_rules.h.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/style/source_rules.h"

namespace weft::style {

// The clauses that names of tests in a file's text begin with: "F2 F5 every ray" gives two.
std::set<std::string> clauses_of_tests(std::string_view text);

// Of a page: clauses in the first column, tests in the third, by clause.
std::map<std::string, std::set<std::string>> clause_table(std::string_view page);

// Clauses of `expected` that the table lacks or has no test for, and tests of it that show no
// clause of their row. `tests`: texts of test files by their path.
Faults clause_faults(std::string_view page,
                     const std::map<std::string, std::string>& tests,
                     const std::vector<std::string>& expected);

}  // namespace weft::style
