// test_main.cpp — the entry point of every doctest binary.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "tests/skipped.h"

namespace weft::tests {

namespace {

struct Skips {
    std::set<std::string> lines;  // a test and what it lacks
    bool is_fault = false;        // something that `./dev test` installs is lacking
};

Skips& skips() {
    static Skips the_only;
    return the_only;
}

bool is_ci() {
    const char* const value = std::getenv("CI");
    return value != nullptr && std::string(value) == "true";
}

int exit_code() {
    for (const std::string& line : skips().lines) {
        std::fprintf(stderr, "skipped: %s\n", line.c_str());
    }
    return skips().is_fault ? EXIT_FAILURE : skips().lines.empty() ? EXIT_SUCCESS : kSkippedCode;
}

// Counts the cases that the command line names.
struct CaseCount : doctest::IReporter {
    static inline unsigned cases = 0;

    explicit CaseCount(const doctest::ContextOptions&) {}

    void test_run_end(const doctest::TestRunStats& stats) override {
        cases = stats.numTestCasesPassingFilters;
    }

    void report_query(const doctest::QueryData&) override {}

    void test_run_start() override {}

    void test_case_start(const doctest::TestCaseData&) override {}

    void test_case_reenter(const doctest::TestCaseData&) override {}

    void test_case_end(const doctest::CurrentTestCaseStats&) override {}

    void test_case_exception(const doctest::TestCaseException&) override {}

    void subcase_start(const doctest::SubcaseSignature&) override {}

    void subcase_end() override {}

    void log_assert(const doctest::AssertData&) override {}

    void log_message(const doctest::MessageData&) override {}

    void test_case_skipped(const doctest::TestCaseData&) override {}
};

REGISTER_LISTENER("case count", 1, CaseCount);

}  // namespace

void skip_for_lack_of(const std::string& what, Source source) {
    const doctest::detail::TestCase* const test = doctest::getContextOptions()->currentTest;
    skips().lines.insert(std::string(test != nullptr ? test->m_name : "") + ": no " + what);
    skips().is_fault = skips().is_fault || (source == Source::DevTest && is_ci());
}

}  // namespace weft::tests

int main(int argc, char** argv) {
    doctest::Context context(argc, argv);
    const int failed = context.run();
    if (failed != 0 || context.shouldExit()) {
        return failed;
    }
    // CTest names the files of a test, and a name without a file must not pass.
    if (weft::tests::CaseCount::cases == 0) {
        std::fprintf(stderr, "no test case has such a file or name\n");
        return EXIT_FAILURE;
    }
    return weft::tests::exit_code();
}
