// test_fibre_clauses.cpp — single clauses of the scheduler, each shown with few fibres.
#include <map>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/fibre/shared_packet_unit.h"
#include "tests/scheduler/fibre/script.h"

namespace weft::fibre {

namespace {

constexpr Policy kAllPolicies[] = {
    Policy::DepthFirst, Policy::Fullest, Policy::Oldest, Policy::Priority, Policy::Balanced};

std::vector<u32> elements_of(std::span<const u32> elements) {
    return {elements.begin(), elements.end()};
}

// Spawns one fibre per element of the packet onto `routine` at first launch, releases the elements
// after that.
Body once(const RoutineId& routine, Key key = {}) {
    return [&routine, key](const Packet& packet, Spawner& spawner) {
        if (packet.is_initial_launch) {
            spawner.spawn(routine, key, packet.elements);
        } else {
            spawner.release(packet.elements);
        }
    };
}

constexpr ClusterConfig kFloodConfig{
    .element_count = 32, .collection_count = 4, .list_capacity = 256};

// Runs one lone fibre beside a flood of others, and returns how many packets it waited. The flood:
// elements that come back at once to a key that is always ready, `flood_packets` times; with lists
// it goes on to a new key each time.
u64 packets_until_lone_fibre(Script& script,
                             Policy policy,
                             bool may_mix_keys,
                             bool is_flood_of_lists) {
    RoutineId hot = 0;
    RoutineId lone = 0;
    u64 packets = 0;
    u64 lone_ran_at = 0;
    constexpr u64 kFlood = 3 * kAgeBound;
    script.add(
        [&](const Packet& packet, Spawner& spawner) {
            ++packets;
            for (const u32 element : packet.elements) {
                if (packet.is_initial_launch && element == 0) {
                    spawner.spawn(lone, {.value = 99}, {&element, 1}, -5);
                } else if (element == 0 || packets >= kFlood) {
                    spawner.release({&element, 1});
                } else {
                    spawner.spawn(hot, {.value = 1}, {&element, 1}, 5);
                }
            }
        },
        {.name = "work", .packet_fill = 1});
    hot = script.add(
        [&](const Packet& packet, Spawner& spawner) {
            ++packets;
            if (is_flood_of_lists && packets < kFlood) {
                const std::vector<float> numbers(packet.elements.size());
                static_cast<void>(
                    spawner.rekey({.value = 1 - packet.key.value}, packet.elements, numbers));
            }
        },
        {.name = "work", .packet_fill = 1, .may_mix_keys = false, .policy = policy});
    lone = script.add(
        [&](const Packet&, Spawner&) { lone_ran_at = ++packets; },
        {.name = "work", .packet_fill = 64, .may_mix_keys = may_mix_keys, .policy = policy});
    script.run(32);
    CHECK(packets >= kFlood);
    CHECK(script.counters().max_age_packets >= lone_ran_at - 2);
    return lone_ran_at;
}

}  // namespace

TEST_SUITE("scheduler/fibre/clauses") {
    TEST_CASE("F2 a spawned fibre runs after its parent has returned") {
        Script script;
        RoutineId work = 0;
        bool is_parent_running = false;
        u32 ran = 0;
        script.add([&](const Packet& packet, Spawner& spawner) {
            is_parent_running = true;
            once(work)(packet, spawner);
            is_parent_running = false;
        });
        work = script.add([&](const Packet& packet, Spawner&) {
            CHECK_FALSE(is_parent_running);
            ran += static_cast<u32>(packet.elements.size());
        });
        script.run(40);
        CHECK(ran == 40);
    }

    TEST_CASE("F3 a fibre spawns another onto its own element with another key") {
        Script script;
        RoutineId first = 0;
        RoutineId second = 0;
        u32 parents = 0;
        u32 seconds = 0;
        script.add([&](const Packet& packet, Spawner& spawner) {
            parents += packet.is_initial_launch ? 0 : static_cast<u32>(packet.elements.size());
            CHECK(seconds >= parents);
            once(first, {.value = 3})(packet, spawner);
        });
        first = script.add([&](const Packet& packet, Spawner& spawner) {
            spawner.spawn(second, {.value = 4}, packet.elements);
        });
        second = script.add([&](const Packet& packet, Spawner&) {
            CHECK(packet.key.value == 4);
            seconds += static_cast<u32>(packet.elements.size());
        });
        script.run(10);
        CHECK(seconds == 10);
        CHECK(parents == 10);
    }

    TEST_CASE(
        "F5 the parent is invoked again exactly when the last fibre of an element completes") {
        Script script;
        RoutineId work = 0;
        std::vector<u32> open(64);
        std::vector<u32> invoked(64);
        script.add([&](const Packet& packet, Spawner& spawner) {
            for (const u32 element : packet.elements) {
                CHECK(open[element] == 0);
                CHECK(packet.is_initial_launch == (invoked[element] == 0));
                // The n-th invocation of element e spawns (e + n) mod 5 + 1 fibres, each with its
                // own key.
                if (++invoked[element] > 3) {
                    spawner.release({&element, 1});
                    continue;
                }
                open[element] = (element + invoked[element]) % 5 + 1;
                for (u32 key = 0; key < open[element]; ++key) {
                    spawner.spawn(work, {.value = key}, {&element, 1});
                }
            }
        });
        work = script.add([&](const Packet& packet, Spawner&) {
            for (const u32 element : packet.elements) {
                --open[element];
            }
        });
        script.run(64);
        CHECK(invoked == std::vector<u32>(64, 4));
        CHECK(open == std::vector<u32>(64, 0));
    }

    TEST_CASE("F7 the collection of higher priority leaves first") {
        Script script;
        RoutineId work = 0;
        std::vector<u32> order;
        script.add([&](const Packet& packet, Spawner& spawner) {
            if (!packet.is_initial_launch) {
                spawner.release(packet.elements);
                return;
            }
            const float priorities[] = {2, 5, 1, 4};
            for (u32 key = 0; key < 4; ++key) {
                spawner.spawn(work, {.value = key}, packet.elements, priorities[key]);
            }
        });
        work = script.add(
            [&](const Packet& packet, Spawner&) {
                order.push_back(packet.key.value);
                CHECK(packet.priority == (packet.key.value == 1 ? 5.0f : packet.priority));
            },
            {.name = "work", .packet_fill = 1, .may_mix_keys = false, .policy = Policy::Priority});
        script.run(20);
        CHECK(order == std::vector<u32>{1, 3, 0, 2});
    }

    TEST_CASE("F7 a list that goes on to another key keeps the priority of its packet") {
        for (const Policy policy : kAllPolicies) {
            Script script;
            u32 lists = 0;
            script.add([](const Packet& packet, Spawner& spawner) {
                if (packet.is_initial_launch) {
                    spawner.spawn(1, {}, packet.elements, 2.5f);
                } else {
                    spawner.release(packet.elements);
                }
            });
            script.add(
                [&](const Packet& packet, Spawner& spawner) {
                    CHECK(packet.priority == 2.5f);
                    lists += packet.payload.empty() ? 0u : 1u;
                    const std::vector<float> numbers(packet.elements.size());
                    if (packet.key.value < 3) {
                        const Key next{.value = packet.key.value + 1};
                        CHECK(spawner.rekey(next, packet.elements, numbers));
                    }
                },
                {.name = "work", .policy = policy});
            script.run(32);
            CHECK(lists == 3);
        }
    }

    TEST_CASE("F8 an element that goes on to several keys comes back when all of them are done") {
        for (const Policy policy : kAllPolicies) {
            Script script;
            RoutineId work = 0;
            u32 leaves = 0;
            u32 returned = 0;
            script.add([&](const Packet& packet, Spawner& spawner) {
                returned += packet.is_initial_launch ? 0 : static_cast<u32>(packet.elements.size());
                once(work)(packet, spawner);
            });
            work = script.add(
                [&](const Packet& packet, Spawner& spawner) {
                    CHECK(returned == 0);
                    if (packet.key.value > 2) {
                        leaves += static_cast<u32>(packet.elements.size());
                        CHECK(packet.payload.size() == packet.elements.size());
                        return;
                    }
                    const std::vector<float> numbers(packet.elements.size(), 0.5f);
                    for (u32 child = 3 * packet.key.value + 1; child < 3 * packet.key.value + 4;
                         ++child) {
                        CHECK(spawner.rekey({.value = child}, packet.elements, numbers));
                    }
                },
                {.name = "work", .policy = policy});
            script.run(16);
            // Of the keys 0 to 9 those above 2 are leaves.
            CHECK(leaves == 16 * 7);
            CHECK(returned == 16);
            CHECK(script.counters().fibres_spawned == 16);
            CHECK(script.counters().fibres_completed == 16);
        }
    }

    TEST_CASE("F8 depth first runs the list pushed last next") {
        Script script;
        RoutineId work = 0;
        std::vector<u32> order;
        script.add(once(work, {.value = 1}));
        work = script.add([&](const Packet& packet, Spawner& spawner) {
            const u32 node = packet.key.value;
            order.push_back(node);
            if (node < 4) {
                const std::vector<float> numbers(packet.elements.size());
                CHECK(spawner.rekey({.value = 2 * node}, packet.elements, numbers));
                CHECK(spawner.rekey({.value = 2 * node + 1}, packet.elements, numbers));
            }
        });
        script.run(64);
        CHECK(order == std::vector<u32>{1, 3, 7, 6, 2, 5, 4});
        // Its lists never meet the hash: the one collection is that of the root and then of the
        // parent.
        CHECK(script.counters().max_collections == 1);
        CHECK(script.counters().max_list_entries == 3 * 64);
    }

    TEST_CASE("F12 the fetch of a key's data starts before its packet runs and one packet ahead") {
        Script script;
        RoutineId work = 0;
        static std::map<u32, u32> fetched;
        fetched.clear();
        u32 ahead = 0;
        script.add([&](const Packet& packet, Spawner& spawner) {
            if (!packet.is_initial_launch) {
                spawner.release(packet.elements);
                return;
            }
            for (u32 key = 0; key < 10; ++key) {
                spawner.spawn(work, {.value = key}, packet.elements);
            }
        });
        work = script.add(
            [&](const Packet& packet, Spawner&) {
                CHECK(fetched[packet.key.value] == 1);
                ahead += fetched.size() > script.counters().routine[1].packets ? 1u : 0u;
            },
            {.name = "work",
             .packet_fill = 1,
             .may_mix_keys = false,
             .prefetch = [](void*, Key key) { ++fetched[key.value]; }});
        script.run(5);
        CHECK(fetched.size() == 10);
        CHECK(ahead == 9);
    }

    TEST_CASE(
        "F14 a lone fibre waits no longer than the age bound and the fibres that waited before "
        "it") {
        for (const Policy policy : kAllPolicies) {
            for (const bool may_mix_keys : {false, true}) {
                for (const bool is_flood_of_lists : {false, true}) {
                    CAPTURE(policy_name(policy));
                    CAPTURE(may_mix_keys);
                    CAPTURE(is_flood_of_lists);
                    Script script(kFloodConfig);
                    const u64 waited =
                        packets_until_lone_fibre(script, policy, may_mix_keys, is_flood_of_lists);
                    CHECK(waited > kAgeBound);
                    CHECK(waited <= kAgeBound + 1 + 32 + 2);
                }
            }
        }
    }

    TEST_CASE("F14 behind a shared unit a lone fibre waits 64 and 512 packets more at most") {
        for (const Policy policy : kAllPolicies) {
            for (const bool is_flood_of_lists : {false, true}) {
                CAPTURE(policy_name(policy));
                CAPTURE(is_flood_of_lists);
                SharedPacketUnit unit(kFloodConfig, 2);
                Script script(kFloodConfig, unit, 1);
                const u64 waited =
                    packets_until_lone_fibre(script, policy, true, is_flood_of_lists);
                CHECK(waited > kAgeBound);
                CHECK(waited <= kAgeBound + 64 + 512 + 1 + 32 + 2);
            }
        }
    }

    TEST_CASE("F15 small collections of one routine share a lane group and tags never do") {
        for (const u32 tag_count : {1u, 2u, 16u}) {
            Script script;
            RoutineId work = 0;
            std::vector<std::vector<u32>> packets;
            script.add([&](const Packet& packet, Spawner& spawner) {
                for (const u32 element : packet.elements) {
                    if (packet.is_initial_launch) {
                        spawner.spawn(
                            work, {.value = element, .tag = element % tag_count}, {&element, 1});
                    } else {
                        spawner.release({&element, 1});
                    }
                }
            });
            work = script.add([&](const Packet& packet, Spawner&) {
                packets.push_back(elements_of(packet.elements));
                CHECK(packet.is_mixed == (packet.elements.size() > 1));
                for (const u32 element : packet.elements) {
                    CHECK(element % tag_count == packet.key.tag);
                }
                CHECK(packet.key.value == packet.elements.front());
            });
            script.run(16);
            CHECK(packets.size() == tag_count);
        }
    }

    TEST_CASE(
        "F15 lanes left idle by one key are filled from other keys and full groups stay pure") {
        Script script;
        RoutineId work = 0;
        u32 mixed = 0;
        script.add([&](const Packet& packet, Spawner& spawner) {
            if (!packet.is_initial_launch) {
                spawner.release(packet.elements);
                return;
            }
            // Three keys with 24, 21 and 19 fibres: three pure groups, and one of 8 + 5 + 3.
            spawner.spawn(work, {.value = 1}, packet.elements.first(24));
            spawner.spawn(work, {.value = 2}, packet.elements.subspan(24, 21));
            spawner.spawn(work, {.value = 3}, packet.elements.subspan(45));
        });
        work = script.add([&](const Packet& packet, Spawner&) {
            mixed += packet.is_mixed ? 1u : 0u;
            CHECK(packet.elements.size() == 16);
        });
        script.run(64);
        CHECK(mixed == 1);
        CHECK(script.counters().routine[1].packets == 4);
        CHECK(script.counters().routine[1].distinct_keys == 6);
    }

    TEST_CASE("a thread submitted when another has finished is run too") {
        struct Chain {
            Cluster cluster{{.element_count = 64}};
            u32 left = 10;
        } chain;

        const auto parent = [](void*, const Packet& packet, Spawner& spawner) {
            if (packet.is_initial_launch) {
                return spawner.spawn(1, {}, packet.elements);
            }
            spawner.release(packet.elements);
        };
        const auto work = [](void*, const Packet&, Spawner&) {};
        chain.cluster.declare({.name = "parent", .run = parent});
        chain.cluster.declare({.name = "work", .run = work});
        chain.cluster.set_finished(
            [](void* context, u64 user) {
                Chain& own = *static_cast<Chain*>(context);
                CHECK(user == own.left);
                if (--own.left > 0) {
                    CHECK(own.cluster.submit({.launch_count = 3, .user = own.left}) ==
                          Admission::Taken);
                }
            },
            &chain);
        CHECK(chain.cluster.submit({.launch_count = 3, .user = 10}) == Admission::Taken);
        chain.cluster.run();
        CHECK(chain.left == 0);
        CHECK(chain.cluster.is_idle());
        CHECK(chain.cluster.counters().elements_released == 30);
    }

    TEST_CASE("counters of several clusters are summed and their maxima are maxima") {
        FibreCounters sum{.fibres_spawned = 5, .max_age_packets = 7};
        FibreCounters other{
            .fibres_spawned = 6, .fibres_completed = 2, .max_age_packets = 3, .max_elements = 9};
        other.routine[3].packets = 4;
        other.routine[3].by_fullness[16] = 8;
        other.routine[3].by_reason[1] = 3;
        other.routine[3].by_age[2] = 90;
        other.routine[2].by_age[6] = 10;
        sum.add(other);
        sum.add(other);
        CHECK(sum.fibres_spawned == 17);
        CHECK(sum.fibres_completed == 4);
        CHECK(sum.max_age_packets == 7);
        CHECK(sum.max_elements == 9);
        CHECK(sum.routine[3].packets == 8);
        CHECK(sum.routine[3].by_fullness[16] == 16);
        CHECK(sum.routine[3].by_reason[1] == 6);
        CHECK(sum.routine[3].by_age[2] == 180);
        CHECK(sum.ages()[2] == 180);
        CHECK(sum.ages()[6] == 20);
    }

    TEST_CASE(
        "F19 a wait falls into the bin of its power of two and a quantile of fibres has a wait") {
        CHECK(age_bin(0) == 0);
        CHECK(age_bin(1) == 1);
        CHECK(age_bin(2) == 2);
        CHECK(age_bin(3) == 2);
        CHECK(age_bin(4) == 3);
        CHECK(age_bin(~u64{0}) == kAgeBins - 1);
        AgeBins ages{};
        CHECK(age_of_quantile(ages, 0.5) == 0);
        ages[0] = 40;
        ages[3] = 55;
        ages[9] = 5;
        CHECK(age_of_quantile(ages, 0.4) == 0);
        CHECK(age_of_quantile(ages, 0.5) == 7);
        CHECK(age_of_quantile(ages, 0.95) == 7);
        CHECK(age_of_quantile(ages, 0.99) == 511);
        CHECK(age_of_quantile(ages, 1) == 511);
    }
}

}  // namespace weft::fibre
