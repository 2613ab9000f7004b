// test_fibre_storage.cpp — who is free and how many fibres each element has.
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/fibre/fibre_storage.h"

namespace weft::fibre {

TEST_SUITE("scheduler/fibre/fibre_storage") {
    TEST_CASE("offered elements stay free until they are admitted") {
        FibreStorage storage(4);
        REQUIRE(storage.is_allocated());
        CHECK(storage.offer(2).size() == 2);
        CHECK(storage.free_count() == 4);
        const std::span<const u32> offered = storage.offer(9);
        CHECK(std::vector<u32>(offered.begin(), offered.end()) == std::vector<u32>{0, 1, 2, 3});
        storage.admit(3);
        CHECK(storage.free_count() == 1);
        CHECK(storage.offer(9).front() == 3);
        CHECK(storage.held_count() == 3);
    }

    TEST_CASE("F5 an element is reported exactly when its last fibre is done") {
        FibreStorage storage(3);
        static_cast<void>(storage.offer(3));
        storage.admit(3);
        const std::vector<u32> all{0, 1, 2};
        const std::vector<u32> one{1};
        storage.add_fibres(all);
        storage.add_fibres(one);
        std::vector<u32> idle(3);
        CHECK(storage.complete(all, idle.data()) == 2);
        CHECK(idle[0] == 0);
        CHECK(idle[1] == 2);
        CHECK(storage.count_stranded(all) == 2);
        CHECK(storage.complete(one, idle.data()) == 1);
        CHECK(idle[0] == 1);
    }

    TEST_CASE("a released element is offered again") {
        FibreStorage storage(2);
        static_cast<void>(storage.offer(2));
        storage.admit(2);
        CHECK(storage.offer(2).empty());
        const u32 second = 1;
        storage.release({&second, 1});
        REQUIRE(storage.offer(2).size() == 1);
        CHECK(storage.offer(2).front() == 1);
        CHECK(storage.count_stranded({&second, 1}) == 0);
    }

    TEST_CASE("F18 an element is claimed once per packet") {
        FibreStorage storage(2);
        CHECK(storage.claim(1, 7));
        CHECK_FALSE(storage.claim(1, 7));
        CHECK(storage.claim(0, 7));
        CHECK(storage.claim(1, 8));
    }

    TEST_CASE("a storage without elements is refused") {
        CHECK_FALSE(FibreStorage(0).is_allocated());
    }
}

}  // namespace weft::fibre
