// skipped.h — tests that this machine lacks something for: they are counted and printed, and their
// binary is reported as skipped, not as passed.
//
// A test that lacks something says so and returns. The binary then ends with kSkippedCode, which
// CTest reports as skipped; with 1 where the environment has CI=true and `./dev test` installs what
// is lacking.
#pragma once

#include <string>

namespace weft::tests {

inline constexpr int kSkippedCode = 77;

enum class Source { DevTest, Person };  // of what is lacking

// Counts the running test as skipped. Any test, on its thread.
void skip_for_lack_of(const std::string& what, Source source);

// `is_there`; where it is not, the running test is counted as skipped.
inline bool is_there_or_skipped(bool is_there, const std::string& what, Source source) {
    if (!is_there) {
        skip_for_lack_of(what, source);
    }
    return is_there;
}

}  // namespace weft::tests
