// test_software_cache.cpp — filled entries are found, the least recently used is replaced, and hits
// and misses are counted.
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/fibre/software_cache.h"
#include "tests/scheduler/fibre/seeded.h"

namespace weft::fibre {

namespace {

constexpr u32 kTagBytes = 16;

// Looks an entry up as a routine does, and decodes on a miss. Returns the number found or decoded.
u64 fetch(SoftwareCache& cache, u64 key) {
    if (const void* const found = cache.find(key)) {
        return *static_cast<const u64*>(found);
    }
    const u64 decoded = key * 3 + 1;
    if (void* const entry = cache.insert(key)) {
        *static_cast<u64*>(entry) = decoded;
    }
    return decoded;
}

}  // namespace

TEST_SUITE("scheduler/fibre/software_cache") {
    TEST_CASE("F16 a peek finds what find would find but counts and keeps nothing") {
        SoftwareCache none(0, 8);
        CHECK(none.peek(1) == nullptr);
        SoftwareCache cache(4 * (16 + kTagBytes), 8);
        REQUIRE(cache.entry_count() == 4);
        for (u64 key = 0; key < 4; ++key) {
            CHECK(cache.peek(key) == nullptr);
            fetch(cache, key);
        }
        const CacheCounters before = cache.counters();
        CHECK(*static_cast<const u64*>(cache.peek(0)) == 1);
        CHECK(cache.counters().lookups() == before.lookups());
        // The oldest entry leaves although it was peeked at last.
        fetch(cache, 4);
        CHECK(cache.peek(0) == nullptr);
        CHECK(cache.peek(4) != nullptr);
    }

    TEST_CASE("F16 every lookup returns the entry of its key whatever the size") {
        for (const u64 entries : {0u, 1u, 3u, 4u, 5u, 64u, 1000u}) {
            SoftwareCache cache(entries * (16 + kTagBytes), 8);
            REQUIRE(cache.is_allocated());
            CHECK(cache.entry_count() <= entries);
            CHECK(cache.entry_count() + 3 >= entries);
            Seeded random(7);
            u64 wrong = 0;
            for (u32 step = 0; step < 20000; ++step) {
                const u64 key = random() % 300;
                wrong += fetch(cache, key) == key * 3 + 1 ? 0u : 1u;
            }
            CHECK(wrong == 0);
            CHECK(cache.counters().lookups() == 20000);
            CHECK((cache.counters().hits > 0) == (entries > 0));
        }
    }

    TEST_CASE("F16 keys that fit are fetched once each and zero and the largest are keys as well") {
        SoftwareCache cache(4096 * (16 + kTagBytes), 16);
        const std::vector<u64> keys = {0, 1, ~u64{0}, u64{1} << 63, 12345};
        for (u32 round = 0; round < 3; ++round) {
            for (const u64 key : keys) {
                CHECK(fetch(cache, key) == key * 3 + 1);
            }
        }
        CHECK(cache.counters().misses == keys.size());
        CHECK(cache.counters().hits == 2 * keys.size());
        CHECK(cache.counters().evictions == 0);
    }

    TEST_CASE("F16 the least recently used entry of a set is replaced") {
        SoftwareCache cache(4 * (16 + kTagBytes), 8);  // one set of four
        REQUIRE(cache.entry_count() == 4);
        for (const u64 key : {10u, 11u, 12u, 13u}) {
            fetch(cache, key);
        }
        CHECK(cache.find(10) != nullptr);  // 11 is now the one used longest ago
        fetch(cache, 14);
        CHECK(cache.counters().evictions == 1);
        CHECK(cache.find(11) == nullptr);
        for (const u64 key : {10u, 12u, 13u, 14u}) {
            CHECK(cache.find(key) != nullptr);
        }
    }

    TEST_CASE("F16 inserting a key that is there returns its entry and evicts nothing") {
        SoftwareCache cache(4 * (16 + kTagBytes), 8);
        void* const first = cache.insert(5);
        REQUIRE(first != nullptr);
        CHECK(cache.insert(5) == first);
        CHECK(cache.find(5) == first);
        CHECK(cache.counters().evictions == 0);
    }

    TEST_CASE("F16 entries are apart and aligned to 16 bytes") {
        SoftwareCache cache(256 * (48 + kTagBytes), 40);
        std::unordered_map<std::uintptr_t, u64> by_address;
        for (u64 key = 0; key < 256; ++key) {
            void* const entry = cache.insert(key);
            const auto address = reinterpret_cast<std::uintptr_t>(entry);
            CHECK(address % 16 == 0);
            by_address[address / 48] = key;
        }
        CHECK(by_address.size() <= cache.entry_count());
        CHECK(by_address.size() == 256 - cache.counters().evictions);
    }

    TEST_CASE("F16 a resized cache is empty and holds as many as fit and shrinks and grows") {
        SoftwareCache cache(64 * 32, 16, 512 * 32);
        fetch(cache, 1);
        for (const u32 entries : {512u, 4u, 256u, 0u, 512u}) {
            cache.resize(u64{entries} * 32);
            CHECK(cache.entry_count() == entries);
            CHECK(cache.find(1) == nullptr);
            for (u64 key = 0; key < 2000; ++key) {
                CHECK(fetch(cache, key) == key * 3 + 1);
            }
        }
    }

    TEST_CASE("F16 twice the working set fits better than half of it") {
        std::vector<u64> hits;
        for (const u32 entries : {128u, 512u}) {
            SoftwareCache cache(u64{entries} * 32, 16);
            Seeded random(3);
            for (u32 step = 0; step < 20000; ++step) {
                fetch(cache, random() % 256);
            }
            hits.push_back(cache.counters().hits);
        }
        CHECK(hits[0] > 20000 * 4 / 10);
        CHECK(hits[0] < 20000 * 6 / 10);
        CHECK(hits[1] > 20000 * 9 / 10);
    }
}

}  // namespace weft::fibre
