// test_clauses.cpp — scheduler/CLAUSES.md explains every clause that the tree cites, and names
// tests that show it: first on made-up pages, then on the page itself.
#include <filesystem>

#include <doctest/doctest.h>

#include "tests/style/clause_rules.h"

namespace weft::style {

namespace {

namespace fs = std::filesystem;

// Text by path from the root: sources and pages but those of this folder, whose clauses are made
// up.
std::map<std::string, std::string> texts_below(const std::string& top) {
    std::map<std::string, std::string> texts;
    const fs::path root = WEFT_SOURCE_DIR;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
        const std::string kind = entry.path().extension().string();
        const std::string path = fs::relative(entry.path(), root).generic_string();
        if ((kind == ".h" || kind == ".cpp" || kind == ".md") && !path.starts_with("tests/style")) {
            texts[path] = text_of(entry.path());
        }
    }
    return texts;
}

std::set<std::string> clauses_used() {
    std::set<std::string> used;
    for (const char* top : {"app", "engine", "scheduler", "shaders", "tests"}) {
        for (const auto& [path, text] : texts_below(top)) {
            used.merge(clauses_cited(text));
            used.merge(clauses_of_tests(text));
        }
    }
    return used;
}

std::string clause_page() {
    return text_of(fs::path(WEFT_SOURCE_DIR) / "scheduler" / "CLAUSES.md");
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

    TEST_CASE("clauses are cited in parentheses that hold nothing else") {
        const std::set<std::string> cited = {"C7", "F3", "F4", "F8", "F12"};
        CHECK(clauses_cited("a (F3, F4) b (F8 to F12) f(x) (clause C7)") == cited);
        CHECK(clauses_cited("(C0, DEL, C1) (F90 - F0) F32 (F5").empty());
    }

    TEST_CASE("a clause without a section, a text or a test is a fault") {
        const std::string page =
            "### F1: one\n\nRoutines run.\n\n- Render: a.\n- Tests: `test_a`,\n  `test_b`.\n";
        const std::string shows = kCase + "(\"F1 x\")";
        CHECK(clause_faults(page, {{"a/test_a.cpp", shows}, {"b/test_b.cpp", shows}}, {"F1"})
                  .empty());
        CHECK(clause_faults(page, {{"a/test_a.cpp", shows}, {"b/test_b.cpp", ""}}, {"F1"}) ==
              Faults{"F1: no case of test_b begins with it"});
        CHECK(clause_faults("", {}, {"W4"}) ==
              Faults{"W4 is used in the tree and has no section on the page"});
        CHECK(clause_faults("### W4: doors\n\n- Render: a.\n", {}, {}).size() == 2);
    }

    TEST_CASE("files of a page stand in backticks with folder and extension") {
        const std::set<std::string> named = {"engine/a.cpp"};
        CHECK(files_named("`engine/a.cpp` `State::run` `scheduler/unit` b/c.h") == named);
    }

    TEST_CASE("the page explains every clause of the tree, with tests that show it") {
        const Faults faults = clause_faults(clause_page(), texts_below("tests"), clauses_used());
        for (const std::string& fault : faults) {
            FAIL_CHECK(fault);
        }
    }

    TEST_CASE("every file that the page of clauses names exists") {
        for (const std::string& file : files_named(clause_page())) {
            INFO(file);
            CHECK(fs::exists(fs::path(WEFT_SOURCE_DIR) / file));
        }
    }
}

}  // namespace weft::style
