// test_base.cpp — results, claims and page arrays.
#include <csignal>
#include <cstdint>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::base {

namespace {

// README example begins
base::Result<u32> parse_digit(const std::string& text) {
    if (text.size() != 1 || text[0] < '0' || text[0] > '9') {
        return base::Error{base::ErrorKind::Usage, "found '" + text + "', expected one digit"};
    }
    return static_cast<u32>(text[0] - '0');
}

// README example ends

template <typename Number, u32 count>
base::Result<Number> parse_digits(const std::string& text) {
    if (text.size() != count) {
        return base::Error{base::ErrorKind::Usage, "expected " + std::to_string(count) + " digits"};
    }
    Number number = 0;
    for (const char letter : text) {
        const base::Result<u32> digit = parse_digit(std::string(1, letter));
        WEFT_TRY(digit);
        number = number * 10 + digit.value();
    }
    return number;
}

// Counts how often a step ran.
base::Status step_of(const std::string& text, u32& steps) {
    ++steps;
    WEFT_TRY(parse_digits<u32, 2>(text));
    return base::Done{};
}

base::Status two_steps(const std::string& first, const std::string& second, u32& steps) {
    WEFT_TRY(step_of(first, steps));
    WEFT_TRY(step_of(second, steps));
    return base::Done{};
}

// Whether the program aborts, and its text on stderr.
template <typename Program>
std::string last_words(const Program& program) {
    int ends[2] = {};
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        std::signal(SIGABRT, SIG_DFL);
        program();
        _exit(0);
    }
    close(ends[1]);
    std::string words(1000, '\0');
    const ssize_t count = read(ends[0], words.data(), words.size());
    words.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? words : std::string();
}

}  // namespace

TEST_SUITE("scheduler/base") {
    TEST_CASE("a result is its value or its sentence") {
        CHECK(parse_digit("7").value() == 7);
        const Result<u32> wrong = parse_digit("x");
        REQUIRE_FALSE(wrong.is_ok());
        CHECK(wrong.error().kind == ErrorKind::Usage);
        CHECK(wrong.error().sentence == "found 'x', expected one digit");
    }

    TEST_CASE("a value that can only be moved comes out of a result") {
        Result<std::unique_ptr<u32>> result(std::make_unique<u32>(4));
        const std::unique_ptr<u32> out = std::move(result.value());
        CHECK(*out == 4);
    }

    TEST_CASE("a claim that fails says both values and ends the program") {
        const std::string words = last_words([] { ENSURE(1 + 1, ==, 3); });
        CHECK(words.find("test_base.cpp") != std::string::npos);
        CHECK(words.find("claim failed: 1 + 1 == 3 (2 vs 3)") != std::string::npos);
        CHECK(last_words([] { ENSURE(1 + 1, ==, 2); }).empty());
    }

    TEST_CASE("an error that is tried returns from the function with its kind and sentence") {
        CHECK(parse_digits<u32, 3>("407").value() == 407);
        const base::Result<u32> wrong = parse_digits<u32, 3>("4x7");
        REQUIRE_FALSE(wrong.is_ok());
        CHECK(wrong.error().kind == base::ErrorKind::Usage);
        CHECK(wrong.error().sentence == "found 'x', expected one digit");
    }

    TEST_CASE("a tried step runs once and none runs after one that failed") {
        u32 steps = 0;
        CHECK(two_steps("12", "34", steps).is_ok());
        CHECK(steps == 2);
        steps = 0;
        const base::Status status = two_steps("1", "34", steps);
        CHECK(status.error().sentence == "expected 2 digits");
        CHECK(steps == 1);
    }

    TEST_CASE("the value of an error ends the program") {
        CHECK_FALSE(last_words([] { static_cast<void>(parse_digit("x").value()); }).empty());
    }

    TEST_CASE("page arrays are zeroed and aligned whatever their size") {
        for (const std::size_t count : {std::size_t{1},
                                        std::size_t{1000},
                                        std::size_t{1} << 19,
                                        (std::size_t{1} << 20) + 1}) {
            PageArray<u32> array(count);
            REQUIRE(array.is_allocated());
            CHECK(array.size() == count);
            const auto address = reinterpret_cast<std::uintptr_t>(array.data());
            const bool is_large = array.size_bytes() >= std::size_t{2} << 20;
            CHECK(address % (is_large ? std::size_t{2} << 20 : 64) == 0);
            u32 sum = 0;
            for (const u32 element : array.span()) {
                sum |= element;
            }
            CHECK(sum == 0);
            array[count - 1] = 5;
            const PageArray<u32> moved = std::move(array);
            CHECK(moved[count - 1] == 5);
        }
    }

    TEST_CASE("a page array that is empty or cannot be had says so") {
        CHECK_FALSE(PageArray<u32>(0).is_allocated());
        const PageArray<u32> too_large(std::size_t{1} << 60);
        CHECK_FALSE(too_large.is_allocated());
        CHECK(too_large.size() == 0);
    }
}

}  // namespace weft::base
