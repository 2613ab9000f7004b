// ensure.h — checked claims about the program itself: a failed one prints both values and aborts.
//
// ENSURE always checks; DEBUG_ENSURE only where NDEBUG is not defined. Wrong input is not checked
// here: it gives a Result (result.h). Any thread.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

namespace weft::base {

// Prints "file:line: claim failed: what (left vs right)" on stderr and aborts.
[[noreturn]] void fail_claim(const char* file,
                             int line,
                             const char* claim,
                             const std::string& values);

template <typename Left, typename Right>
std::string both_values(const Left& left, const Right& right) {
    std::ostringstream text;
    text << left << " vs " << right;
    return text.str();
}

}  // namespace weft::base

// ENSURE(left, ==, right): the claim must hold whatever the input was.
#define ENSURE(left, op, right)                                                   \
    do {                                                                          \
        if (!((left)op(right))) {                                                 \
            ::weft::base::fail_claim(__FILE__,                                    \
                                     __LINE__,                                    \
                                     #left " " #op " " #right,                    \
                                     ::weft::base::both_values((left), (right))); \
        }                                                                         \
    } while (false)

#ifdef NDEBUG
#    define DEBUG_ENSURE(left, op, right) \
        do {                              \
        } while (false)
#else
#    define DEBUG_ENSURE(left, op, right) ENSURE(left, op, right)
#endif

#define UNREACHABLE(why) ::weft::base::fail_claim(__FILE__, __LINE__, "unreachable", why)
