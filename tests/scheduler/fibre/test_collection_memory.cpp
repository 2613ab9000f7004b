// test_collection_memory.cpp — fibres of equal key gather, and none is lost however small the
// memory is.
#include <map>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/fibre/collection_memory.h"
#include "tests/scheduler/fibre/seeded.h"

namespace weft::fibre {

namespace {

struct Taken {
    CollectionKey name;
    std::vector<u32> elements;
    std::vector<float> payload;
};

Taken take(
    CollectionMemory& memory, ClaimTable& claims, u32 index, u32 most, u32 packet_id, u64 now) {
    Taken taken{.name = memory[index].name,
                .elements = std::vector<u32>(most),
                .payload = std::vector<float>(most)};
    const u32 count = memory.take(index,
                                  most,
                                  {.claims = claims, .packet_id = packet_id},
                                  now,
                                  taken.elements.data(),
                                  taken.payload.data());
    taken.elements.resize(count);
    taken.payload.resize(taken.name.has_payload ? count : 0);
    return taken;
}

CollectionKey name_of(u32 value, u32 routine = 1) {
    return {.routine = routine, .key = {.value = value}};
}

}  // namespace

TEST_SUITE("scheduler/fibre/collection_memory") {
    TEST_CASE("F8 fibres of equal routine and key leave together in order of arrival") {
        CollectionMemory memory(
            {.collection_count = 8, .spawned_capacity = 256, .list_capacity = 64});
        ClaimTable claims(128);
        memory.set_rule(1, {.packet_fill = 30});
        memory.set_rule(2, {.packet_fill = 30});
        std::vector<u32> expected;
        for (u32 element = 0; element < 30; ++element) {
            memory.append(name_of(7), {&element, 1}, {}, {.now = element});
            memory.append(name_of(7, 2), {&element, 1}, {}, {.now = element});
            expected.push_back(element);
            CHECK((memory.best_ready(element) == kNone) == (element < 29));
        }
        const u32 ready = memory.best_ready(30);
        REQUIRE(ready != kNone);
        CHECK(take(memory, claims, ready, 100, 1, 30).elements == expected);
        CHECK(memory.waiting_count() == 30);
    }

    TEST_CASE("a collection leaves in parts and its age is that of the oldest fibre left") {
        CollectionMemory memory(
            {.collection_count = 8, .spawned_capacity = 256, .list_capacity = 64});
        ClaimTable claims(128);
        memory.set_rule(1, {.packet_fill = 100});
        for (u32 element = 0; element < 40; ++element) {
            memory.append(name_of(7), {&element, 1}, {}, {.now = element});
        }
        const u32 other = 50;
        memory.append(name_of(8), {&other, 1}, {}, {.now = 5});
        const u32 seven = memory.oldest();
        CHECK(take(memory, claims, seven, 30, 1, 50).elements.size() == 30);
        // Its chunk began later, so the other key is older now.
        CHECK(memory[seven].birth == 30 / kChunkEntries * kChunkEntries);
        CHECK(memory[memory.oldest()].name.key.value == 8);
        CHECK(take(memory, claims, seven, 30, 2, 50).elements.size() == 10);
        CHECK(memory.waiting_count() == 1);
    }

    TEST_CASE("F18 a fibre whose element is in the packet already waits for the next one") {
        CollectionMemory memory(
            {.collection_count = 2, .spawned_capacity = 256, .list_capacity = 64});
        ClaimTable claims(8);
        memory.set_rule(1, {.packet_fill = 4});
        memory.append(name_of(1), std::vector<u32>{1, 2, 1, 1, 3}, {}, {.now = 0});
        CHECK(take(memory, claims, memory.oldest(), 8, 1, 0).elements == std::vector<u32>{1, 2, 3});
        CHECK(take(memory, claims, memory.oldest(), 8, 2, 0).elements == std::vector<u32>{1});
        CHECK(take(memory, claims, memory.oldest(), 8, 3, 0).elements == std::vector<u32>{1});
        CHECK(claims.counters().granted == 5);
        CHECK(claims.counters().refused == 3);
        CHECK(memory.oldest() == kNone);
    }

    TEST_CASE("F18 where no element repeats fibres leave in order without a claim") {
        CollectionMemory memory(
            {.collection_count = 2, .spawned_capacity = 256, .list_capacity = 64});
        ClaimTable claims(100);
        memory.set_rule(1, {.packet_fill = 100});
        std::vector<u32> elements(50);
        std::iota(elements.begin(), elements.end(), 20u);
        memory.append(name_of(1), elements, {}, {.has_repeats = false, .now = 0});
        CHECK_FALSE(memory[memory.oldest()].has_repeats);
        const Taken first = take(memory, claims, memory.oldest(), 30, 1, 0);
        const Taken rest = take(memory, claims, memory.oldest(), 30, 2, 0);
        CHECK(first.elements == std::vector<u32>(elements.begin(), elements.begin() + 30));
        CHECK(rest.elements == std::vector<u32>(elements.begin() + 30, elements.end()));
        CHECK(claims.counters().granted == 50);
        // The first fibre that may repeat another makes the collection claim.
        memory.append(name_of(1), std::vector<u32>{4, 5}, {}, {.has_repeats = false, .now = 0});
        memory.append(name_of(1), std::vector<u32>{5}, {}, {.has_repeats = true, .now = 0});
        CHECK(take(memory, claims, memory.oldest(), 9, 3, 0).elements == std::vector<u32>{4, 5});
        CHECK(take(memory, claims, memory.oldest(), 9, 4, 0).elements == std::vector<u32>{5});
    }

    TEST_CASE("F10 a key too many evicts the collection that would leave next and drops nothing") {
        CollectionMemory memory(
            {.collection_count = 2, .spawned_capacity = 256, .list_capacity = 64});
        ClaimTable claims(64);
        memory.set_rule(1, {.policy = Policy::Fullest, .packet_fill = 10});
        memory.append(name_of(1), std::vector<u32>{1}, {}, {.now = 0});
        memory.append(name_of(2), std::vector<u32>{2, 3, 4}, {}, {.now = 0});
        memory.append(name_of(3), std::vector<u32>{5}, {}, {.now = 0});
        const u32 evicted = memory.best_ready(0);
        REQUIRE(evicted != kNone);
        CHECK(memory[evicted].name.key.value == 2);
        // The key begins again beside what was evicted, for which another leaves.
        memory.append(name_of(2), std::vector<u32>{6}, {}, {.now = 0});
        FibreCounters counters;
        memory.report(counters);
        CHECK(counters.evicted_collections == 2);
        CHECK(memory.waiting_count() == 6);
        // Eviction costs no age: the first key is gone, so what was evicted for the third is
        // oldest.
        CHECK(take(memory, claims, memory.oldest(), 8, 1, 9).elements == std::vector<u32>{1});
        CHECK(memory.oldest() == evicted);
    }

    TEST_CASE(
        "F8 every fibre leaves once with its own key and number whatever the sizes and the "
        "policy") {
        for (const u32 definitions : {1u, 2u, 5u, 64u}) {
            for (const Policy policy : {Policy::DepthFirst,
                                        Policy::Fullest,
                                        Policy::Oldest,
                                        Policy::Priority,
                                        Policy::Balanced}) {
                Seeded random(definitions);
                CollectionMemory memory({.collection_count = definitions,
                                         .spawned_capacity = 2000,
                                         .list_capacity = 500});
                ClaimTable claims(100);
                memory.set_rule(1, {.policy = policy, .packet_fill = 8, .packet_max = 20});
                std::map<std::pair<u32, bool>, std::multimap<u32, float>> twin;
                u32 packet_id = 0;
                u64 waiting = 0;
                u32 refused = 0;
                for (u64 now = 0; now < 6000 || waiting > 0; ++now) {
                    const bool is_listed = random() % 2;
                    std::vector<u32> elements(random() % 50);
                    std::vector<float> numbers(is_listed ? elements.size() : 0);
                    for (u32& element : elements) {
                        element = random() % 100;
                    }
                    for (float& number : numbers) {
                        number = static_cast<float>(random() % 1000);
                    }
                    const u32 value = random() % 40;
                    const auto count = static_cast<u32>(elements.size());
                    const bool has_room =
                        is_listed ? memory.has_room_for_list(count) : waiting + count < 1200;
                    refused += has_room ? 0u : 1u;
                    if (now < 6000 && has_room) {
                        CollectionKey name = name_of(value);
                        name.has_payload = is_listed;
                        const auto priority = static_cast<float>(random() % 10);
                        memory.append(name, elements, numbers, {.priority = priority, .now = now});
                        for (u32 at = 0; at < count; ++at) {
                            twin[{value, is_listed}].insert(
                                {elements[at], is_listed ? numbers[at] : 0});
                        }
                        waiting += count;
                    }
                    if (random() % 3 == 0) {
                        continue;
                    }
                    u32 index = random() % 4 ? memory.best_ready(now) : memory.oldest();
                    index = index == kNone ? memory.best_partial(now) : index;
                    if (index == kNone) {
                        continue;
                    }
                    const Taken taken = take(memory, claims, index, 20, ++packet_id, now);
                    REQUIRE(taken.elements.size() > 0);
                    auto& left = twin[{taken.name.key.value, taken.name.has_payload}];
                    for (u32 at = 0; at < taken.elements.size(); ++at) {
                        const float number = taken.name.has_payload ? taken.payload[at] : 0;
                        auto [begin, end] = left.equal_range(taken.elements[at]);
                        while (begin != end && begin->second != number) {
                            ++begin;
                        }
                        REQUIRE(begin != end);
                        left.erase(begin);
                    }
                    waiting -= taken.elements.size();
                    REQUIRE(memory.waiting_count() == waiting);
                }
                CHECK(memory.oldest() == kNone);
                CHECK(refused > 0);
            }
        }
    }

    TEST_CASE("fibres put back find room however full the memory of lists is") {
        CollectionMemory memory(
            {.collection_count = 200, .spawned_capacity = 16, .list_capacity = 400});
        ClaimTable claims(400);
        memory.set_rule(1, {});
        CollectionKey name{.routine = 1, .key = {}, .has_payload = true};
        // Ten keys fill a chunk each, with one element twice; then keys of one fibre as long as
        // there is room.
        u32 waiting = 0;
        for (u32 key = 0; key < 200; ++key) {
            std::vector<u32> elements(key < 10 ? kChunkEntries : 1);
            for (u32 at = 1; at < elements.size(); ++at) {
                elements[at] = at - 1;
            }
            const auto count = static_cast<u32>(elements.size());
            if (memory.has_room_for_list(count)) {
                name.key.value = key;
                memory.append(name, elements, std::vector<float>(count), {.now = key});
                waiting += count;
            }
        }
        CHECK(waiting > 150);
        for (u32 key = 0; key < 10; ++key) {
            // The element that is there twice is put back behind the full chunk.
            CHECK(take(memory, claims, key, 2, key + 1, 500).elements == std::vector<u32>{0, 1});
        }
        CHECK(memory.waiting_count() == waiting - 20);
    }

    TEST_CASE("a spawn of many packets' length fills as many collections one after the other") {
        CollectionMemory memory(
            {.collection_count = 1, .spawned_capacity = 1000, .list_capacity = 64});
        ClaimTable claims(1000);
        memory.set_rule(1, {.policy = Policy::Oldest, .packet_fill = 4, .packet_max = 4});
        std::vector<u32> elements(1000);
        std::iota(elements.begin(), elements.end(), 0u);
        memory.append(name_of(1), elements, {}, {.now = 0});
        for (u32 packet = 0; packet < 250; ++packet) {
            const Taken taken =
                take(memory, claims, memory.best_ready(packet), 9, packet + 1, packet);
            REQUIRE(taken.elements.size() == 4);
            REQUIRE(taken.elements[0] == 4 * packet);
        }
        CHECK(memory.best_ready(250) == kNone);
        CHECK(memory.waiting_count() == 0);
    }

    TEST_CASE("lists are refused one by one when their memory is full and never lost") {
        CollectionMemory memory(
            {.collection_count = 4, .spawned_capacity = 16, .list_capacity = 10});
        memory.set_rule(1, {});
        CollectionKey name = name_of(1);
        name.has_payload = true;
        CHECK(memory.has_room_for_list(10));
        CHECK_FALSE(memory.has_room_for_list(11));
        memory.append(name, std::vector<u32>(6), std::vector<float>(6), {.now = 0});
        CHECK(memory.has_room_for_list(4));
        CHECK_FALSE(memory.has_room_for_list(5));
    }
}

}  // namespace weft::fibre
