// test_key_dealer.cpp — the elements of a spawn, dealt to their keys.
#include <array>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/fibre/key_dealer.h"
#include "tests/scheduler/fibre/script.h"
#include "tests/scheduler/fibre/seeded.h"

namespace weft::fibre {

namespace {

using Dealt = std::vector<std::pair<Key, std::vector<u32>>>;

Key key_of(void* context, u32 element) {
    return (*static_cast<std::vector<Key>*>(context))[element];
}

Dealt deal_all(KeyDealer& dealer, std::span<const u32> elements, std::vector<Key>& keys) {
    Dealt dealt;
    while (!elements.empty()) {
        const std::size_t before = elements.size();
        for (const KeyRun& run : dealer.deal(elements, key_of, &keys)) {
            dealt.push_back({run.key, {run.elements.begin(), run.elements.end()}});
        }
        REQUIRE(elements.size() < before);
    }
    return dealt;
}

// The same for few keys, by looking for each key.
Dealt dealt_slowly(std::span<const u32> elements, const std::vector<Key>& keys) {
    Dealt dealt;
    for (const u32 element : elements) {
        auto at = dealt.begin();
        while (at != dealt.end() && !(at->first == keys[element])) {
            ++at;
        }
        at = at == dealt.end() ? dealt.insert(at, {keys[element], {}}) : at;
        at->second.push_back(element);
    }
    return dealt;
}

}  // namespace

TEST_SUITE("scheduler/fibre/key_dealer") {
    TEST_CASE("F6 elements are dealt to their keys in order of arrival") {
        Seeded random(1);
        KeyDealer dealer(500);
        REQUIRE(dealer.is_allocated());
        for (const u32 key_count : {1U, 2U, 7U, KeyDealer::kMostKeys}) {
            std::vector<Key> keys(500);
            for (Key& key : keys) {
                // Equal values under different tags are different keys.
                const u32 number = random() % key_count;
                key = {.value = number / 2 * 0x01000000, .tag = number % 2};
            }
            std::vector<u32> elements(500);
            for (u32& element : elements) {
                element = random() % 500;
            }
            CHECK(deal_all(dealer, elements, keys) == dealt_slowly(elements, keys));
        }
    }

    TEST_CASE("more keys or elements than fit are dealt in several calls and none is lost") {
        Seeded random(2);
        KeyDealer dealer(300);
        std::vector<Key> keys(1000);
        std::vector<u32> elements(1000);
        for (u32 k = 0; k < 1000; ++k) {
            keys[k] = {.value = random() % 200};
            elements[k] = k;
        }
        std::vector<u32> count(1000);
        for (const auto& [key, run] : deal_all(dealer, elements, keys)) {
            for (const u32 element : run) {
                CHECK(keys[element] == key);
                ++count[element];
            }
        }
        CHECK(count == std::vector<u32>(1000, 1));
    }

    TEST_CASE("F6 F8 elements whose keys alternate gather as if each key were spawned alone") {
        for (const bool ignores_key : {false, true}) {
            Script script;
            RoutineId work = 0;
            script.add([&](const Packet& packet, Spawner& spawner) {
                if (packet.is_initial_launch) {
                    return spawner.spawn(work, packet.elements);
                }
                spawner.release(packet.elements);
            });
            work = script.add(
                [&](const Packet& packet, Spawner&) {
                    for (const u32 element : packet.elements) {
                        CHECK((ignores_key || element % 3 == packet.key.value));
                    }
                },
                {.name = "work",
                 .may_mix_keys = false,
                 .ignores_key = ignores_key,
                 .derive_key = [](void*, u32 element) { return Key{.value = element % 3}; }});
            script.run(240);
            CHECK(script.counters().routine[work].packets == (ignores_key ? 1 : 3));
            CHECK(script.counters().claims.refused == 0);
        }
    }
}

}  // namespace weft::fibre
