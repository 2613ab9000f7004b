// test_conflicts.cpp — fibres of one element never share a packet, whoever spawned them.
#include <array>
#include <vector>

#include <doctest/doctest.h>

#include "tests/scheduler/fibre/script.h"
#include "tests/scheduler/fibre/seeded.h"

namespace weft::fibre {

TEST_SUITE("scheduler/fibre/conflicts") {
    TEST_CASE("F18 an element with several fibres of one key is never twice in a packet") {
        for (const bool may_mix_keys : {false, true}) {
            Script script;
            RoutineId work = 0;
            std::vector<u32> runs(20);
            u32 packets = 0;
            script.add([&](const Packet& packet, Spawner& spawner) {
                if (!packet.is_initial_launch) {
                    spawner.release(packet.elements);
                    return;
                }
                for (u32 fibre = 0; fibre < 4; ++fibre) {
                    spawner.spawn(work, {.value = 1}, packet.elements);
                }
            });
            work = script.add(
                [&](const Packet& packet, Spawner&) {
                    ++packets;
                    std::vector<u32> seen(20);
                    for (const u32 element : packet.elements) {
                        CHECK(++seen[element] == 1);
                        ++runs[element];
                    }
                },
                {.name = "work", .may_mix_keys = may_mix_keys});
            script.run(20);
            CHECK(runs == std::vector<u32>(20, 4));
            CHECK(packets >= 4);
            CHECK(script.counters().claims.refused > 0);
        }
    }

    TEST_CASE("F18 whatever routines spawn onto an element no packet has it twice") {
        Seeded random(4);
        Script script({.element_count = 64, .collection_count = 3});
        std::vector<u32> left(64);
        std::array<RoutineId, 3> work{};
        u64 spawned = 0;
        u64 ran = 0;
        // Spawns up to two fibres of any routine and of few keys onto elements that are still to
        // have some, in no order and some at once.
        const auto spawn_some = [&](std::span<const u32> elements, Spawner& spawner) {
            std::array<std::array<std::vector<u32>, 2>, 3> onto;
            for (const u32 element : elements) {
                for (u32 fibre = random() % 3; fibre > 0 && left[element] > 0; --fibre) {
                    --left[element];
                    onto[random() % 3][random() % 2].push_back(element);
                }
            }
            for (u32 routine = 0; routine < 3; ++routine) {
                for (u32 key = 0; key < 2; ++key) {
                    spawner.spawn(work[routine], {.value = key}, onto[routine][key]);
                    spawned += onto[routine][key].size();
                }
            }
        };
        script.add([&](const Packet& packet, Spawner& spawner) {
            std::vector<u32> going;
            std::vector<u32> done;
            for (const u32 element : packet.elements) {
                left[element] = packet.is_initial_launch ? 50 : left[element];
                (left[element] > 0 ? going : done).push_back(element);
            }
            for (const u32 element : going) {
                --left[element];
            }
            spawned += going.size();
            spawner.spawn(work[random() % 3], {.value = random() % 2}, going);
            spawn_some(going, spawner);
            spawner.release(done);
        });
        for (RoutineId& routine : work) {
            routine = script.add(
                [&](const Packet& packet, Spawner& spawner) {
                    std::vector<u32> seen(64);
                    for (const u32 element : packet.elements) {
                        CHECK(++seen[element] == 1);
                    }
                    ran += packet.elements.size();
                    spawn_some(packet.elements, spawner);
                },
                {.name = "work", .may_mix_keys = &routine != &work[0]});
        }
        script.run(500);
        CHECK(ran == spawned);
        CHECK(ran == u64{500} * 50);
        CHECK(script.counters().claims.refused > 0);
    }
}

}  // namespace weft::fibre
