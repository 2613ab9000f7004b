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
    return failed != 0 || context.shouldExit() ? failed : weft::tests::exit_code();
}
