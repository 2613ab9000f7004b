// test_split_choice.cpp — the border follows the cache's hit rate and nothing else.
#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/fibre/split_choice.h"

namespace weft::fibre {

namespace {

constexpr u32 kCapacity = 800;
constexpr u32 kLeast = 400;

// A cache whose hit rate depends on the border; returns the border after each of `looks` decisions.
template <typename Rate>
std::vector<u32> borders(const Rate& rate_at, u32 looks) {
    SplitChoice choice;
    CacheCounters counters;
    u32 managed = kCapacity;
    std::vector<u32> seen;
    for (u32 look = 0; look < looks; ++look) {
        const auto hits = static_cast<u64>(rate_at(managed) * SplitChoice::kLookups);
        counters.hits += hits;
        counters.misses += SplitChoice::kLookups - hits;
        managed = choice.next(counters, managed, kLeast, kCapacity);
        seen.push_back(managed);
    }
    return seen;
}

}  // namespace

TEST_SUITE("scheduler/fibre/split_choice") {
    TEST_CASE("F16 a cache that hits often leaves all elements managed") {
        const auto seen = borders([](u32) { return 0.95; }, 50);
        CHECK(seen == std::vector<u32>(50, kCapacity));
    }

    TEST_CASE("F16 the cache is given elements for as long as that brings hits") {
        // Each eighth brings a tenth up to 0.8, and nothing beyond.
        const auto seen =
            borders([](u32 managed) { return managed > 600 ? 1.3 - managed / 1000.0 : 0.7; }, 60);
        CHECK(seen[0] == 700);
        CHECK(*std::min_element(seen.begin(), seen.end()) == 500);
        CHECK(seen.back() == 600);
    }

    TEST_CASE("F16 a move that brings no hits is taken back and not repeated at that rate") {
        const auto seen = borders([](u32) { return 0.4; }, 40);
        CHECK(seen[0] == 700);
        CHECK(seen[1] == 700);  // the cache warms up
        for (std::size_t look = 2; look < seen.size(); ++look) {
            CHECK(seen[look] == kCapacity);
        }
    }

    TEST_CASE("F16 elements never fall below what must be managed") {
        const auto seen = borders([](u32 managed) { return 0.85 - managed / 1000.0; }, 60);
        CHECK(seen.back() == kLeast);
    }

    TEST_CASE("F16 nothing is decided on few lookups") {
        SplitChoice choice;
        CacheCounters counters;
        counters.misses = SplitChoice::kLookups - 1;
        CHECK(choice.next(counters, kCapacity, kLeast, kCapacity) == kCapacity);
        ++counters.misses;
        CHECK(choice.next(counters, kCapacity, kLeast, kCapacity) < kCapacity);
        choice.restart(counters);
        counters.misses += SplitChoice::kLookups - 1;
        CHECK(choice.next(counters, 700, kLeast, kCapacity) == 700);
    }
}

}  // namespace weft::fibre
