// test_local_memory.cpp — the border between managed elements and cache moves, the sum stays.
#include <initializer_list>

#include <doctest/doctest.h>

#include "scheduler/fibre/local_memory.h"

namespace weft::fibre {

TEST_SUITE("scheduler/fibre/local_memory") {
    TEST_CASE("F16 moving the border gives bytes of elements to the cache and back") {
        LocalMemory memory(1000, 64, 4096);
        CHECK(memory.total_bytes() == 64000 + 4096);
        CHECK(memory.managed_elements() == 1000);
        CHECK(memory.cache_bytes() == 4096);
        for (const u32 managed : {1u, 999u, 500u, 1000u}) {
            REQUIRE(memory.set_split(managed));
            CHECK(memory.managed_elements() == managed);
            CHECK(memory.managed_bytes() == u64{managed} * 64);
            CHECK(memory.managed_bytes() + memory.cache_bytes() == memory.total_bytes());
        }
        CHECK(memory.cache_bytes() == 4096);
    }

    TEST_CASE("F16 a split beyond the number of elements is refused and changes nothing") {
        LocalMemory memory(16, 32, 0);
        REQUIRE(memory.set_split(8));
        CHECK(!memory.set_split(0));
        CHECK(!memory.set_split(17));
        CHECK(memory.managed_elements() == 8);
        CHECK(memory.cache_bytes() == 8 * 32);
        CHECK(memory.element_capacity() == 16);
    }

    TEST_CASE("F16 the cache is largest with one element left") {
        LocalMemory memory(16, 32, 100);
        const u64 most = memory.most_cache_bytes();
        REQUIRE(memory.set_split(1));
        CHECK(memory.cache_bytes() == most);
    }
}

}  // namespace weft::fibre
