// test_list_stack.cpp — re-keyed lists leave in the reverse order of their arrival, or are refused.
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/fibre/list_stack.h"
#include "tests/scheduler/fibre/seeded.h"

namespace weft::fibre {

TEST_SUITE("scheduler/fibre/list_stack") {
    TEST_CASE("F8 the list pushed last leaves first and whole") {
        Seeded random(3);
        ListStack stack(1000);
        REQUIRE(stack.is_allocated());

        struct List {
            u32 key;
            std::vector<u32> elements;
            std::vector<float> payload;
        };

        std::vector<List> twin;
        std::vector<u32> elements(1000);
        std::vector<float> payload(1000);
        u32 popped = 0;
        for (u32 round = 0; round < 5000; ++round) {
            if (random() % 2 && !twin.empty()) {
                REQUIRE(stack.top().key.value == twin.back().key);
                const ListHeader list = stack.pop(elements.data(), payload.data());
                REQUIRE(list.key.value == twin.back().key);
                REQUIRE(std::equal(twin.back().elements.begin(),
                                   twin.back().elements.end(),
                                   elements.begin(),
                                   elements.begin() + list.count));
                REQUIRE(std::equal(twin.back().payload.begin(),
                                   twin.back().payload.end(),
                                   payload.begin(),
                                   payload.begin() + list.count));
                twin.pop_back();
                ++popped;
                continue;
            }
            List list{.key = round, .elements = {}, .payload = {}};
            for (u32 count = 1 + random() % 40; count > 0; --count) {
                list.elements.push_back(random() % 100);
                list.payload.push_back(static_cast<float>(random() % 100));
            }
            const bool fits = stack.entry_count() + list.elements.size() <= 1000;
            REQUIRE(stack.push({.key = {.value = round}}, list.elements, list.payload) == fits);
            if (fits) {
                twin.push_back(list);
            }
            REQUIRE(stack.bottom().key.value == twin.front().key);
        }
        CHECK(popped > 1000);
        CHECK(stack.high_water_entries() <= 1000);
    }

    TEST_CASE("a full stack records nothing and takes a list again after a pop") {
        ListStack stack(4);
        const std::vector<u32> elements{1, 2, 3};
        const std::vector<float> payload{1, 2, 3};
        CHECK(stack.push({}, elements, payload));
        CHECK_FALSE(stack.push({}, elements, payload));
        CHECK(stack.entry_count() == 3);
        std::vector<u32> out(3);
        std::vector<float> numbers(3);
        CHECK(stack.pop(out.data(), numbers.data()).count == 3);
        CHECK(stack.is_empty());
        CHECK(stack.push({}, elements, payload));
    }

    TEST_CASE("a stack of no capacity is allocated and refuses every list") {
        ListStack stack(0);
        const u32 element = 0;
        const float number = 0;
        CHECK(stack.is_allocated());
        CHECK_FALSE(stack.push({}, {&element, 1}, {&number, 1}));
    }
}

}  // namespace weft::fibre
