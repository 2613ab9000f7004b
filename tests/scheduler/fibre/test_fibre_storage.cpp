// test_fibre_storage.cpp — free elements, their threads, and the counts of their fibres.
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/fibre/claim_table.h"
#include "scheduler/fibre/fibre_storage.h"

namespace weft::fibre {

namespace {

std::vector<u32> copy_of(std::span<const u32> elements) {
    return {elements.begin(), elements.end()};
}

}  // namespace

TEST_SUITE("scheduler/fibre/fibre_storage") {
    TEST_CASE("elements are admitted in rising order and know their thread") {
        FibreStorage storage(4);
        REQUIRE(storage.is_allocated());
        CHECK(copy_of(storage.admit(3, 7)) == std::vector<u32>{0, 1, 2});
        CHECK(storage.free_count() == 1);
        CHECK(storage.held_count() == 3);
        CHECK(copy_of(storage.admit(1, 8)) == std::vector<u32>{3});
        CHECK(copy_of(storage.thread_of()) == std::vector<u32>{7, 7, 7, 8});
    }

    TEST_CASE("F5 an element is reported exactly when its last fibre is done") {
        FibreStorage storage(3);
        static_cast<void>(storage.admit(3, 0));
        const std::vector<u32> all{0, 1, 2};
        const std::vector<u32> one{1};
        CHECK(storage.add_fibres(all, 1).without_fibres == 3);
        CHECK(storage.add_fibres(one, 2).without_fibres == 0);
        std::vector<u32> idle(3);
        CHECK(storage.complete(all, idle.data()) == 2);
        CHECK(idle[0] == 0);
        CHECK(idle[1] == 2);
        CHECK(storage.first_stranded(all) == 0);
        CHECK(storage.first_stranded(one) == kNone);
        CHECK(storage.complete(one, idle.data()) == 1);
        CHECK(idle[0] == 1);
    }

    TEST_CASE("a released element is admitted again") {
        FibreStorage storage(2);
        static_cast<void>(storage.admit(2, 0));
        CHECK(storage.free_count() == 0);
        const u32 second = 1;
        storage.release({&second, 1});
        CHECK(storage.first_stranded({&second, 1}) == kNone);
        CHECK(storage.first_held() == 0);
        CHECK(copy_of(storage.admit(1, 5)) == std::vector<u32>{1});
    }

    TEST_CASE("F16 a limited storage admits its first elements only") {
        FibreStorage storage(8);
        storage.limit(3);
        CHECK(storage.free_count() == 3);
        CHECK(copy_of(storage.admit(3, 0)) == std::vector<u32>{0, 1, 2});
        storage.release(std::vector<u32>{0, 1, 2});
        storage.limit(8);
        CHECK(storage.admit(8, 0).size() == 8);
    }

    TEST_CASE("F16 elements beyond a limit that are held leave as they are released") {
        FibreStorage storage(6);
        static_cast<void>(storage.admit(5, 0));
        storage.limit(2);
        CHECK(storage.held_count() == 5);
        CHECK(storage.beyond_count() == 3);
        CHECK(storage.free_count() == 0);
        CHECK(storage.first_held() == 0);
        storage.release(std::vector<u32>{4, 1, 2});
        CHECK(storage.beyond_count() == 1);
        CHECK(copy_of(storage.admit(1, 1)) == std::vector<u32>{1});
        // Moved back: what is free there is managed again, what is held when it is released.
        storage.limit(6);
        CHECK(storage.beyond_count() == 0);
        CHECK(storage.free_count() == 3);
        storage.release(std::vector<u32>{3});
        CHECK(storage.admit(4, 2).size() == 4);
        CHECK(storage.held_count() == 6);
    }

    TEST_CASE("F18 an element repeats a routine until it has no fibre at all") {
        FibreStorage storage(3);
        static_cast<void>(storage.admit(3, 0));
        const std::vector<u32> all{0, 1, 2};
        const std::vector<u32> one{1};
        std::vector<u32> idle(3);
        CHECK_FALSE(storage.add_fibres(all, 1).has_repeats);
        CHECK_FALSE(storage.add_fibres(one, 7).has_repeats);
        CHECK(storage.add_fibres(one, 1).has_repeats);
        // Two of three fibres are done: whose the third is, the storage does not know.
        CHECK(storage.complete(all, idle.data()) == 2);
        CHECK(storage.complete(one, idle.data()) == 0);
        CHECK(storage.add_fibres(all, 1).has_repeats);
        CHECK(storage.complete(all, idle.data()) == 2);
        CHECK(storage.complete(one, idle.data()) == 1);
        CHECK_FALSE(storage.add_fibres(all, 1).has_repeats);
    }

    TEST_CASE("F18 an element that is there twice repeats its routine") {
        FibreStorage storage(2);
        static_cast<void>(storage.admit(2, 0));
        const SpawnedOn on = storage.add_fibres(std::vector<u32>{1, 0, 1}, 3);
        CHECK(on.has_repeats);
        CHECK(on.without_fibres == 2);
    }

    TEST_CASE("F18 an element is claimed once per packet") {
        ClaimTable claims(2);
        CHECK(claims.claim(1, 7));
        CHECK_FALSE(claims.claim(1, 7));
        CHECK(claims.claim(0, 7));
        CHECK(claims.claim(1, 8));
    }

    TEST_CASE("a storage without elements is refused") {
        CHECK_FALSE(FibreStorage(0).is_allocated());
    }
}

}  // namespace weft::fibre
