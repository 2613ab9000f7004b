// test_cache_model.cpp — caches whose misses can be counted by hand.
#include <doctest/doctest.h>

#include "engine/bench/cache_model.h"

using weft::u32;
using weft::u64;
using weft::bench::CacheModel;
using weft::bench::SetCache;

TEST_SUITE("engine/bench/cache_model") {
    TEST_CASE("a set keeps the lines used last and drops the one that was used longest ago") {
        SetCache cache(u64{2} * 64, 2);  // one set of two ways
        CHECK(!cache.touch(1));
        CHECK(!cache.touch(2));
        CHECK(cache.touch(1));
        CHECK(!cache.touch(3));  // drops 2
        CHECK(cache.touch(1));
        CHECK(!cache.touch(2));  // drops 3
        CHECK(!cache.touch(3));
        CHECK(cache.misses() == 5);
    }

    TEST_CASE("lines of different sets do not drive each other out") {
        SetCache cache(u64{4} * 64, 1);  // four sets of one way
        for (u64 line = 0; line < 4; ++line) {
            CHECK(!cache.touch(line));
        }
        for (u64 line = 0; line < 4; ++line) {
            CHECK(cache.touch(line));
        }
        CHECK(!cache.touch(4));  // where line 0 was
        CHECK(!cache.touch(0));
        CHECK(cache.touch(1));
    }

    TEST_CASE("a working set of a megabyte misses L1 each time and L2 once") {
        CacheModel model;
        constexpr u64 kBytes = u64{1} << 20;
        constexpr u32 kRounds = 3;
        alignas(64) static char memory[kBytes];
        for (u32 round = 0; round < kRounds; ++round) {
            for (u64 at = 0; at < kBytes; at += 256) {
                model.fetch(memory + at, 256);
            }
        }
        const auto misses = model.misses();
        CHECK(misses[0] == kRounds * kBytes / 64);
        CHECK(misses[1] == kBytes / 64);
        CHECK(misses[2] == kBytes / 64);
        CHECK(misses[3] == kBytes / 64);
    }

    TEST_CASE("a fetch across a border of lines touches both") {
        CacheModel model;
        alignas(64) static char memory[128];
        model.fetch(memory + 60, 8);
        CHECK(model.misses()[0] == 2);
    }
}
