// test_time_limit.cpp — when a frame with a time limit stops sampling.
#include <doctest/doctest.h>

#include "engine/frame/time_limit.h"

namespace weft::frame::testing {

namespace {

// 10 ns of processor time for the means of a pixel.
TimeLimit two_seconds() {
    return {.limit_s = 2, .means_cost_s = 1e-8, .thread_count = 2};
}

}  // namespace

TEST_SUITE("engine/frame/time_limit") {
    TEST_CASE("a small picture is sampled up to the limit") {
        const TimeLimit limit = two_seconds();
        const u64 pixels = 256 * 256;
        CHECK(limit.left({1.99, 4, pixels}) == TimeLeft::Enough);
        CHECK(limit.left({2.001, 4, pixels}) == TimeLeft::EndWave);
        CHECK(limit.left({2.05, 4, pixels}) == TimeLeft::EndShares);
        CHECK(limit.left({2.11, 4, pixels}) == TimeLeft::GiveUp);
    }

    TEST_CASE("a large picture is sampled until its means still fit") {
        const TimeLimit limit = two_seconds();
        const u64 pixels = 50'000'000;  // half a second of one processor
        CHECK(limit.reserve_s({1, 2, pixels}) == doctest::Approx(0.25));
        CHECK(limit.reserve_s({1, 1, pixels}) == doctest::Approx(0.5));
        CHECK(limit.left({1.7, 3.4, pixels}) == TimeLeft::Enough);
        CHECK(limit.left({1.76, 3.52, pixels}) == TimeLeft::EndWave);
        CHECK(limit.left({1.76, 1.76, pixels}) == TimeLeft::GiveUp);
        CHECK(limit.left({1.76, 1.76, 0}) == TimeLeft::Enough);
    }

    TEST_CASE("at least half of the limit is left for samples") {
        const TimeLimit limit = two_seconds();
        CHECK(limit.reserve_s({0.9, 0.01, 500'000'000}) == 1);
        CHECK(limit.left({0.9, 0.01, 500'000'000}) == TimeLeft::Enough);
    }

    TEST_CASE("the next look is when the end comes nearer, and at once where it is there") {
        const TimeLimit limit = two_seconds();
        CHECK(limit.until_next_s({0.5, 1, 0}, 0.05) == 0.05);
        CHECK(limit.until_next_s({1.99, 4, 0}, 0.05) == doctest::Approx(0.01));
        CHECK(limit.until_next_s({2.01, 4, 0}, 0.05) == doctest::Approx(0.03));
        CHECK(limit.until_next_s({2.2, 4, 0}, 0.05) == 0.05);
    }

    TEST_CASE("a frame without a limit never ends by it") {
        const TimeLimit limit;
        CHECK(limit.left({1e9, 1e9, 1'000'000'000}) == TimeLeft::Enough);
        CHECK(limit.until_next_s({1e9, 1e9, 1'000'000'000}, 0.05) == 0.05);
    }
}

}  // namespace weft::frame::testing
