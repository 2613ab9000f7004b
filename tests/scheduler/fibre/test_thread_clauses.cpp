// test_thread_clauses.cpp — declarations of threads and routines, each shown with few fibres: keys,
// priorities, safe points, written ranges, and the split of local memory.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/scheduler/fibre/script.h"

namespace weft::fibre {

namespace {

std::vector<u32> vector_of(std::span<const u32> elements) {
    return {elements.begin(), elements.end()};
}

}  // namespace

TEST_SUITE("scheduler/fibre/thread_clauses") {
    TEST_CASE("F6 a spawn without a key has the default key of its routine") {
        Script script;
        u32 ran = 0;
        script.add([](const Packet& packet, Spawner& spawner) {
            if (packet.is_initial_launch) {
                spawner.spawn(1, packet.elements);
            } else {
                spawner.release(packet.elements);
            }
        });
        script.add(
            [&](const Packet& packet, Spawner&) {
                CHECK(packet.key == Key{.value = 7, .tag = 2});
                ran += static_cast<u32>(packet.elements.size());
            },
            {.name = "work", .default_key = {.value = 7, .tag = 2}});
        script.run(20);
        CHECK(ran == 20);
    }

    TEST_CASE("F6 a key is derived from each element and equal keys gather") {
        for (const bool is_sorted : {true, false}) {
            // The material of each element: 40 elements on 4 materials.
            static std::vector<u32> materials;
            materials.assign(40, 0);
            for (u32 element = 0; element < 40; ++element) {
                materials[element] = is_sorted ? element / 10 : element % 4;
            }
            Script script;
            std::vector<u32> packets(4);
            script.add([](const Packet& packet, Spawner& spawner) {
                if (packet.is_initial_launch) {
                    spawner.spawn(1, packet.elements);
                } else {
                    spawner.release(packet.elements);
                }
            });
            script.add(
                [&](const Packet& packet, Spawner&) {
                    ++packets[packet.key.value];
                    CHECK(packet.elements.size() == 10);
                    for (const u32 element : packet.elements) {
                        CHECK(materials[element] == packet.key.value);
                    }
                },
                {.name = "shade",
                 .may_mix_keys = false,
                 .default_key = {.value = 99},
                 .derive_key = [](void*, u32 element) {
                     return Key{.value = materials[element]};
                 }});
            script.run(40);
            CHECK(packets == std::vector<u32>(4, 1));
        }
    }

    TEST_CASE("F7 fibres have the priority of their thread unless they are given one") {
        Script script;
        std::vector<float> plain;
        std::vector<float> given;
        script.add([](const Packet& packet, Spawner& spawner) {
            if (packet.is_initial_launch) {
                CHECK(packet.priority == static_cast<float>(packet.user));
                spawner.spawn(1, {.value = static_cast<u32>(packet.user)}, packet.elements);
            } else {
                spawner.release(packet.elements);
            }
        });
        script.add(
            [&](const Packet& packet, Spawner& spawner) {
                plain.push_back(packet.priority);
                CHECK(packet.priority == static_cast<float>(packet.key.value));
                spawner.spawn(2, packet.key, packet.elements, packet.priority + 0.5f);
            },
            {.name = "plain", .may_mix_keys = false, .policy = Policy::Priority});
        script.add([&](const Packet& packet, Spawner&) { given.push_back(packet.priority); },
                   {.name = "given", .may_mix_keys = false, .policy = Policy::Priority});
        for (const u64 priority : {1u, 3u, 2u}) {
            REQUIRE(script.submit({.launch_count = 16,
                                   .priority = static_cast<float>(priority),
                                   .user = priority}) == Admission::Taken);
        }
        script.cluster().run();
        std::sort(plain.begin(), plain.end());
        std::sort(given.begin(), given.end());
        CHECK(plain == std::vector<float>{1, 2, 3});
        CHECK(given == std::vector<float>{1.5f, 2.5f, 3.5f});
    }

    TEST_CASE("F15 fibres run between the pieces that a large thread is launched in") {
        Script script({.element_count = 64, .collection_count = 8, .admit_batch = 32});
        std::vector<u64> launched;
        u32 fibres = 0;
        u32 fibres_before_last_piece = 0;
        script.add([&](const Packet& packet, Spawner& spawner) {
            if (!packet.is_initial_launch) {
                spawner.release(packet.elements);
                return;
            }
            fibres_before_last_piece = fibres;
            for (u64 k = 0; k < packet.elements.size(); ++k) {
                launched.push_back(packet.first_launch + k);
            }
            CHECK(packet.elements.size() <= 32);
            CHECK(packet.user == 4711);
            CHECK(packet.thread == 0);
            spawner.spawn(1, {}, packet.elements);
        });
        script.add([&](const Packet& packet, Spawner&) {
            fibres += static_cast<u32>(packet.elements.size());
        });
        REQUIRE(script.submit({.launch_count = 200, .user = 4711}) == Admission::Taken);
        script.cluster().run();
        std::vector<u64> expected(200);
        std::iota(expected.begin(), expected.end(), u64{0});
        CHECK(launched == expected);
        CHECK(fibres == 200);
        CHECK(fibres_before_last_piece >= 200 - 64);
        CHECK(script.counters().launch_pieces >= 7);
    }

    TEST_CASE("F15 a parent that pauses for urgent fibres resumes where it was") {
        Script script({.element_count = 64, .collection_count = 8});
        std::vector<std::string> order;
        std::vector<u32> seen(64);
        script.add([&](const Packet& packet, Spawner& spawner) {
            if (!packet.is_initial_launch) {
                spawner.release(packet.elements);
                return;
            }
            // Looks at sixteen elements at a time: a safe point after each. The first piece spawns
            // urgent fibres.
            for (u32 at = 0; at < packet.elements.size(); at += 16) {
                if (at > 0 && spawner.should_put_aside()) {
                    order.push_back("put aside");
                    spawner.put_aside(packet.elements.subspan(at));
                    return;
                }
                order.push_back("launch");
                for (u32 k = at; k < at + 16; ++k) {
                    CHECK(packet.elements[k] == packet.first_launch + k);
                    ++seen[packet.elements[k]];
                }
                const float priority = packet.first_launch + at == 16 ? 5.0f : 0.0f;
                spawner.spawn(1,
                              {.value = static_cast<u32>(packet.first_launch) + at},
                              packet.elements.subspan(at, 16),
                              priority);
            }
        });
        script.add([&](const Packet& packet,
                       Spawner&) { order.push_back(packet.priority > 0 ? "urgent" : "fibres"); },
                   {.name = "work", .packet_fill = 16, .may_mix_keys = false});
        REQUIRE(script.submit({.launch_count = 64, .user = 1}) == Admission::Taken);
        script.cluster().run();
        REQUIRE(order.size() == 9);
        order.resize(6);
        CHECK(order == std::vector<std::string>{
                           "launch", "launch", "put aside", "urgent", "launch", "launch"});
        CHECK(seen == std::vector<u32>(64, 1));
        CHECK(script.counters().put_aside_packets == 1);
        CHECK(script.counters().put_aside_elements == 32);
        CHECK(script.counters().elements_released == 64);
    }

    TEST_CASE("F15 a parent that pauses at every safe point still ends") {
        Script script({.element_count = 64, .collection_count = 8});
        u32 invocations = 0;
        script.add([&](const Packet& packet, Spawner& spawner) {
            ++invocations;
            spawner.put_aside(packet.elements.subspan(1));
            if (packet.is_initial_launch) {
                spawner.spawn(1, {}, packet.elements.first(1));
            } else {
                spawner.release(packet.elements.first(1));
            }
        });
        script.add([](const Packet&, Spawner&) {});
        script.run(64);
        CHECK(invocations == 128);
        CHECK(script.counters().put_aside_elements == 2 * 63 * 64 / 2);
        CHECK(script.counters().elements_released == 64);
    }

    TEST_CASE("F15 nothing is put aside where nothing more urgent is ready") {
        Script script;
        script.add([&](const Packet& packet, Spawner& spawner) {
            if (packet.is_initial_launch) {
                spawner.spawn(1, {}, packet.elements, -1);
                CHECK_FALSE(spawner.should_put_aside());
            } else {
                CHECK_FALSE(spawner.should_put_aside());
                spawner.release(packet.elements);
            }
        });
        script.add([](const Packet&, Spawner&) {}, {.name = "work", .packet_fill = 1});
        script.run(200);
        CHECK(script.counters().put_aside_packets == 0);
    }

    TEST_CASE("F14 a paused parent resumes within the age bound beside a flood of fibres") {
        Script script({.element_count = 32, .collection_count = 8});
        u64 packets = 0;
        u64 put_aside_at = 0;
        u64 resumed_at = 0;
        script.add(
            [&](const Packet& packet, Spawner& spawner) {
                ++packets;
                if (packet.is_initial_launch && packet.first_launch == 0) {
                    // Element 0 has one fibre; the others' parent waits from here on.
                    spawner.spawn(1, {}, packet.elements.first(1), 9);
                    CHECK(spawner.should_put_aside());
                    spawner.put_aside(packet.elements.subspan(1));
                    put_aside_at = packets;
                    return;
                }
                if (packet.is_initial_launch) {
                    resumed_at = packets;
                    spawner.release(packet.elements);
                } else if (packets > 3 * kAgeBound) {
                    spawner.release(packet.elements);
                } else {
                    spawner.spawn(1, {}, packet.elements, 9);
                }
            },
            {.name = "parent", .packet_fill = 1});
        script.add([&](const Packet&, Spawner&) { ++packets; },
                   {.name = "flood", .packet_fill = 1, .may_mix_keys = false});
        script.run(32);
        CHECK(resumed_at > put_aside_at);
        CHECK(resumed_at - put_aside_at <= kAgeBound + 3);
        CHECK(packets > 3 * kAgeBound);
    }

    TEST_CASE("F16 elements give way to cache between runs and come back") {
        Script script({.element_count = 64,
                       .collection_count = 8,
                       .element_bytes = 1024,
                       .cache_bytes = 8192,
                       .cache_entry_bytes = 112});
        u32 most = 0;
        script.add([&](const Packet& packet, Spawner& spawner) {
            if (packet.is_initial_launch) {
                most = std::max(most,
                                *std::max_element(packet.elements.begin(), packet.elements.end()));
                spawner.spawn(1, {}, packet.elements);
            } else {
                spawner.release(packet.elements);
            }
        });
        script.add([&](const Packet& packet, Spawner&) {
            for (const u32 element : packet.elements) {
                void* const entry = script.cluster().cache().find(element);
                static_cast<void>(entry ? entry : script.cluster().cache().insert(element));
            }
        });
        const u32 entries = script.cluster().cache().entry_count();
        for (const u32 managed : {64u, 16u, 1u, 64u}) {
            CAPTURE(managed);
            script.cluster().set_split(managed);
            CHECK((script.cluster().cache().entry_count() > entries) == (managed < 64));
            most = 0;
            script.run(200);
            CHECK(most == managed - 1);
        }
        CHECK(script.cluster().cache().entry_count() == entries);
        CHECK(script.counters().cache.lookups() == 800);
        CHECK(script.counters().cache.hits > 0);
    }

    TEST_CASE(
        "F16 a cluster gives elements to a cache that misses and takes them back for a thread") {
        Script script({.element_count = 64,
                       .collection_count = 8,
                       .lane_count = 8,
                       .element_bytes = 1024,
                       .cache_bytes = 1024,
                       .cache_entry_bytes = 112,
                       .adapts_split = true});
        script.add([&](const Packet& packet, Spawner& spawner) {
            if (packet.is_initial_launch) {
                spawner.spawn(1, {}, packet.elements);
            } else {
                spawner.release(packet.elements);
            }
        });
        u64 fetched = 0;  // 24 keys in turn: too many for the cache as it is at first
        script.add([&](const Packet& packet, Spawner&) {
            for (std::size_t k = 0; k < packet.elements.size(); ++k) {
                void* const entry = script.cluster().cache().find(fetched % 24);
                static_cast<void>(entry ? entry : script.cluster().cache().insert(fetched % 24));
                ++fetched;
            }
        });
        CHECK(script.counters().managed_elements == 64);
        script.run(40'000);
        CHECK(script.counters().managed_elements < 64);
        CHECK(script.counters().managed_elements >= 32);
        CHECK(script.counters().split_moves > 0);
        CHECK(script.counters().cache_bytes ==
              1024 + (64 - script.counters().managed_elements) * 1024);
        CHECK(script.counters().cache.hits > script.counters().cache.misses);
        // A thread that declares all of them is admitted.
        CHECK(script.submit({.launch_count = 64, .elements_at_once = 64}) == Admission::Taken);
        CHECK(script.counters().managed_elements == 64);
        script.cluster().run();
        CHECK(script.counters().elements_released == 40'064);
    }

    TEST_CASE("F16 a thread that needs more elements than are managed is refused") {
        Script script({.element_count = 64, .collection_count = 8});
        script.add(
            [](const Packet& packet, Spawner& spawner) { spawner.release(packet.elements); });
        script.cluster().set_split(10);
        CHECK(script.submit({.launch_count = 40, .elements_at_once = 11}) == Admission::TooLarge);
        CHECK(script.submit({.launch_count = 40, .elements_at_once = 10}) == Admission::Taken);
        script.cluster().run();
        CHECK(script.counters().elements_released == 40);
        CHECK(script.counters().threads.threads_too_large == 1);
    }

    TEST_CASE("F17 a full table pushes back and takes threads again when some have finished") {
        Script script({.element_count = 16, .collection_count = 8, .thread_capacity = 2});
        std::vector<u64> finished;
        script.cluster().set_finished(
            [](void* context, u64 user) {
                static_cast<std::vector<u64>*>(context)->push_back(user);
            },
            &finished);
        script.add([](const Packet& packet, Spawner& spawner) {
            if (packet.is_initial_launch) {
                spawner.spawn(1, {}, packet.elements);
            } else {
                spawner.release(packet.elements);
            }
        });
        script.add([](const Packet&, Spawner&) {});
        for (const u64 user : {10u, 20u}) {
            CHECK(script.submit({.launch_count = 100, .user = user}) == Admission::Taken);
        }
        CHECK(script.submit({.launch_count = 1, .user = 30}) == Admission::Full);
        while (finished.empty()) {
            REQUIRE(script.cluster().step());
        }
        CHECK(script.submit({.launch_count = 1, .user = 30}) == Admission::Taken);
        script.cluster().run();
        CHECK(finished == std::vector<u64>{10, 20, 30});
        CHECK(script.counters().threads.threads_refused == 1);
        CHECK(script.counters().threads.threads_finished == 3);
    }

    TEST_CASE("F18 elements of an initial launch belong to one thread and its pieces follow") {
        Script script({.element_count = 64, .collection_count = 8, .admit_batch = 16});
        std::vector<std::vector<u32>> pieces;
        script.add([&](const Packet& packet, Spawner& spawner) {
            if (packet.is_initial_launch) {
                pieces.push_back(vector_of(packet.elements));
                spawner.spawn(1, {.value = packet.thread}, packet.elements);
            } else {
                spawner.release(packet.elements);
            }
        });
        script.add([](const Packet&, Spawner&) {});
        REQUIRE(script.submit({.launch_count = 20}) == Admission::Taken);
        REQUIRE(script.submit({.launch_count = 20}) == Admission::Taken);
        script.cluster().run();
        REQUIRE(pieces.size() >= 4);
        u64 elements = 0;
        for (const std::vector<u32>& piece : pieces) {
            CHECK(piece.size() <= 16);
            elements += piece.size();
        }
        CHECK(elements == 40);
    }

    TEST_CASE("F19 the depth of the queues is that of the fibres that wait") {
        Script script({.element_count = 64, .collection_count = 8});
        script.add([](const Packet& packet, Spawner& spawner) {
            if (!packet.is_initial_launch) {
                spawner.release(packet.elements);
                return;
            }
            for (u32 fibre = 0; fibre < 5; ++fibre) {
                spawner.spawn(1, {.value = fibre}, packet.elements);
            }
        });
        script.add([](const Packet&, Spawner&) {},
                   {.name = "work", .packet_fill = 64, .may_mix_keys = false});
        script.run(64);
        // One launch of 64, then packets of 64 from 320 waiting downwards, then the parents.
        const FibreCounters& counters = script.counters();
        CHECK(counters.max_waiting_fibres == 320);
        CHECK(counters.waiting_fibres_sum == 64 + (320 + 256 + 192 + 128 + 64) + 64);
        CHECK(counters.packets() == 7);
    }
}

}  // namespace weft::fibre
