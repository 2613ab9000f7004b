// test_far_fetches.cpp — when far data are asked for, and what leaves when they are near.
#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "tests/scheduler/fibre/far_places.h"

namespace weft::fibre {

TEST_SUITE("scheduler/fibre/far_fetches") {
    TEST_CASE("F8 F12 a collection gathers while its data come and leaves at once") {
        Places places;
        Script script({.element_count = 8, .admit_batch = 1, .lane_count = 1});
        add_parent(script);
        std::vector<std::size_t> sizes;
        script.add(
            [&](const Packet& packet, Spawner& spawner) {
                if (packet.payload.empty()) {
                    go_to(spawner, 7, packet.elements);
                } else {
                    CHECK(places.of_key[7] == Fetch::Near);
                    sizes.push_back(packet.elements.size());
                }
            },
            places.far(
                {.name = "work", .packet_fill = 1, .packet_max = 2, .prefetch = [](void*, Key key) {
                     // Not even one packet ahead.
                     const Fetch place = Places::current->of_key[key.value];
                     CHECK((key.value != 7 || place == Fetch::Near));
                 }}));
        // The fifth of eight elements makes the fetch worthwhile; the others still come.
        places.arriving = {7};
        script.run(8);
        CHECK(places.waited.size() == 1);
        CHECK(places.asks_of(7) > 3);
        CHECK(sizes == std::vector<std::size_t>{2, 2, 2, 2});
        const FetchCounters& fetches = script.counters().routine[1].fetches;
        CHECK(fetches.started == 1);
        CHECK(fetches.near_at_once == 0);
        CHECK(fetches.fibres_served == 8);
        CHECK(fetches.max_chosen == 1);
    }

    TEST_CASE(
        "F12 a cluster awaits the routine whose data are coming and not one that was refused") {
        Places places;
        Script script({.element_count = 8, .admit_batch = 8, .lane_count = 8});
        script.add([](const Packet& packet, Spawner& spawner) {
            if (packet.is_initial_launch) {
                spawner.spawn(1, {}, packet.elements);
                spawner.spawn(2, {}, packet.elements);
            } else {
                spawner.release(packet.elements);
            }
        });
        static std::vector<u32> awaited;
        awaited.clear();
        std::vector<u32> keys;
        RoutineDesc far = places.far({.name = "work", .packet_fill = 8, .fetches_ahead = 2});
        for (const u32 routine : {1u, 2u}) {
            far.await_fetch = [](void*) {
                awaited.push_back(1);
                Places::current->of_key[10] = Fetch::Near;
            };
            if (routine == 2) {
                far.await_fetch = [](void*) {
                    awaited.push_back(2);
                    Places::current->of_key = std::vector<Fetch>(64, Fetch::Near);
                    Places::current->of_key[10] = Fetch::Coming;
                };
            }
            script.add(
                [&, routine](const Packet& packet, Spawner& spawner) {
                    for (u32 at = 0; packet.payload.empty() && at < 3; ++at) {
                        go_to(spawner, 10 * routine + at, packet.elements);
                    }
                    if (!packet.payload.empty()) {
                        keys.push_back(packet.key.value);
                    }
                },
                far);
        }
        for (u32 key = 0; key < 20; ++key) {
            places.of_key[key] = Fetch::Refused;
        }
        script.run(8);
        // While something of the second comes, it waits there; then for what is left of the first.
        CHECK(awaited == std::vector<u32>{2, 1});
        std::sort(keys.begin(), keys.end());
        CHECK(keys == std::vector<u32>{10, 11, 12, 20, 21, 22});
        CHECK(script.counters().routine[1].fetches.max_chosen == 2);
        CHECK(script.counters().routine[2].fetches.max_chosen == 2);
    }

    TEST_CASE("F12 for want of other work those keys are fetched that serve most for their cost") {
        for (const double cost : {1.0, 0.25}) {
            CAPTURE(cost);
            Places places;
            Script script({.element_count = 256, .admit_batch = 16, .lane_count = 16});
            script.add([](const Packet& packet, Spawner& spawner) {
                if (packet.is_initial_launch) {
                    spawner.spawn(1, {}, packet.elements);
                    spawner.spawn(2, {}, packet.elements);
                } else {
                    spawner.release(packet.elements);
                }
            });
            // The first routine has eight fibres of each key, the second four.
            for (const u32 routine : {1U, 2U}) {
                script.add(
                    [routine](const Packet& packet, Spawner& spawner) {
                        const u32 count = routine == 1 ? 8 : 4;
                        for (u32 at = 0; packet.payload.empty() && at * count < 16; ++at) {
                            go_to(spawner,
                                  10 * routine + at,
                                  packet.elements.subspan(std::size_t{at} * count, count));
                        }
                    },
                    places.far({.name = "work",
                                .packet_fill = 16,
                                .fetches_ahead = 2,
                                .fetch_cost = routine == 1 ? 1.0 : cost}));
            }
            places.arriving = cost < 1 ? std::vector<u32>{20, 21, 22, 23, 10, 11}
                                       : std::vector<u32>{10, 11, 20, 21, 22, 23};
            const u32 first_routine = places.arriving.front() / 10;
            script.run(16);
            // Two fetches were under way at once, then another where one had come.
            REQUIRE(places.waited.size() == 6);
            CHECK(places.waited.front() == 2);
            CHECK(places.asked[0] / 10 == first_routine);
            CHECK(places.asked[1] / 10 == first_routine);
            CHECK(places.asked[0] != places.asked[1]);
        }
    }

    TEST_CASE("F11 of keys of equal cost those with urgent fibres are fetched before fuller ones") {
        for (const float priority : {0.0F, 3.0F}) {
            CAPTURE(priority);
            Places places;
            Script script({.element_count = 256, .admit_batch = 16, .lane_count = 16});
            script.add([priority](const Packet& packet, Spawner& spawner) {
                if (packet.is_initial_launch) {
                    spawner.spawn(1, {}, packet.elements);
                    spawner.spawn(2, {}, packet.elements, priority);
                } else {
                    spawner.release(packet.elements);
                }
            });
            // The first routine has twelve fibres of its key, the second eight: as many as fourteen
            // where they are urgent.
            for (const u32 routine : {1U, 2U}) {
                script.add(
                    [routine](const Packet& packet, Spawner& spawner) {
                        if (packet.payload.empty()) {
                            go_to(spawner,
                                  10 * routine,
                                  packet.elements.first(routine == 1 ? 12 : 8));
                        }
                    },
                    places.far({.name = "work", .packet_fill = 16, .fetches_ahead = 1}));
            }
            places.arriving = priority > 0 ? std::vector<u32>{20, 10} : std::vector<u32>{10, 20};
            const u32 first = places.arriving.front();
            script.run(16);
            CHECK(places.asked.front() == first);
        }
    }

    TEST_CASE("F12 where a fetch is refused while another comes no more are chosen") {
        Places places;
        Script script({.element_count = 64, .admit_batch = 8, .lane_count = 8});
        add_parent(script);
        std::vector<u32> ran;
        script.add(
            [&](const Packet& packet, Spawner& spawner) {
                for (u32 at = 0; packet.payload.empty() && at < 4; ++at) {
                    // Eight fibres of key 1, and ever fewer of the others.
                    go_to(spawner, 1 + at, packet.elements.subspan(at));
                }
                if (!packet.payload.empty()) {
                    ran.push_back(packet.key.value);
                }
            },
            places.far({.name = "work", .packet_fill = 8}));
        places.of_key[2] = Fetch::Refused;
        places.arriving = {1, 2, 3, 4};
        script.run(8);
        // Key 2 was refused while key 1 came, so that 3 and 4 were not asked for.
        CHECK(places.waited.front() == 2);
        CHECK(std::vector<u32>(places.asked.begin(), places.asked.begin() + 2) ==
              std::vector<u32>{1, 2});
        CHECK(ran == std::vector<u32>{1, 2, 3, 4});
    }

    TEST_CASE("F15 parents give way to urgent far fibres once their data are near and not before") {
        for (const bool is_near : {false, true}) {
            Places places;
            Script script({.element_count = 8, .admit_batch = 8, .lane_count = 1});
            std::vector<bool> gives_way;
            script.add(
                [&](const Packet& packet, Spawner& spawner) {
                    if (packet.is_initial_launch) {
                        spawner.spawn(1, {}, packet.elements.first(6), 100);
                        spawner.spawn(2, {}, packet.elements.subspan(6));
                    } else {
                        gives_way.push_back(spawner.should_put_aside());
                        spawner.release(packet.elements);
                    }
                },
                {.name = "parent", .packet_fill = 1});
            script.add(
                [&](const Packet& packet, Spawner& spawner) {
                    if (packet.payload.empty()) {
                        go_to(spawner, 7, packet.elements);
                    }
                },
                places.far({.name = "work", .packet_fill = 1}));
            script.add([](const Packet&, Spawner&) {}, {.name = "ready", .packet_fill = 1});
            places.of_key[7] = is_near ? Fetch::Near : Fetch::Coming;
            places.arriving = {7};
            script.run(8);
            REQUIRE(gives_way.size() >= 2);
            CHECK(gives_way.front() == is_near);
            CHECK(places.waited.empty() == is_near);
        }
    }

    TEST_CASE("F12 far fibres are not asked about while something else can run and they are few") {
        Places places;
        Script script({.element_count = 64, .admit_batch = 4, .lane_count = 4});
        add_parent(script);
        u32 launched = 0;
        script.add(
            [&](const Packet& packet, Spawner& spawner) {
                if (packet.payload.empty()) {
                    CHECK(places.asked.empty());
                    launched += static_cast<u32>(packet.elements.size());
                    go_to(spawner, 7, packet.elements);
                }
            },
            places.far({.name = "work", .packet_fill = 4}));
        places.arriving = {7};
        script.run(32);
        CHECK(launched == 32);
        CHECK(places.asks_of(7) == 3);  // Coming; then Near, and once more as the packet leaves
    }

    TEST_CASE("F12 packets leave in the order in which their data arrive") {
        Places places;
        Script script({.element_count = 8, .admit_batch = 8, .lane_count = 8});
        add_parent(script);
        std::vector<u32> keys;
        script.add(
            [&](const Packet& packet, Spawner& spawner) {
                for (u32 at = 0; packet.payload.empty() && at < 4; ++at) {
                    go_to(spawner, 1 + at, packet.elements.subspan(at, 4));
                }
                if (!packet.payload.empty()) {
                    keys.push_back(packet.key.value);
                }
            },
            places.far({.name = "work", .packet_fill = 8, .fetches_ahead = 4}));
        places.arriving = {3, 1, 4, 2};
        script.run(8);
        CHECK(keys == std::vector<u32>{3, 1, 4, 2});
    }

    TEST_CASE("F12 what has arrived leaves before new launches and partial packets") {
        Places places;
        Script script({.element_count = 16, .admit_batch = 4, .lane_count = 4});
        std::vector<char> order;
        script.add([&](const Packet& packet, Spawner& spawner) {
            if (packet.is_initial_launch) {
                order.push_back('l');
                spawner.spawn(packet.first_launch < 12 ? 1 : 2, {.value = 0}, packet.elements);
            } else {
                spawner.release(packet.elements);
            }
        });
        script.add(
            [&](const Packet& packet, Spawner& spawner) {
                if (packet.payload.empty()) {
                    places.of_key[5] = packet.elements.size() > 0 ? Fetch::Near : Fetch::Coming;
                    go_to(spawner, 5, packet.elements);
                } else {
                    order.push_back('f');
                }
            },
            places.far({.name = "work", .packet_fill = 4}));
        script.add([&](const Packet&, Spawner&) { order.push_back('p'); },
                   {.name = "partial", .packet_fill = 1000, .may_mix_keys = false});
        script.run(40);
        // The third launch makes twelve far fibres of sixteen: they leave before the fourth.
        const std::vector<char> begin(order.begin(), order.begin() + 5);
        CHECK(begin == std::vector<char>{'l', 'l', 'l', 'f', 'l'});
        CHECK(script.counters().routine[1].fetches.near_at_once == 1);
        CHECK(script.counters().routine[1].fetches.started == 0);
        CHECK(script.counters().routine[1].fetches.fibres_served == 0);
    }

    TEST_CASE("F12 a refused fetch is asked for again only after a packet or an arrival") {
        Places places;
        Script script({.element_count = 8, .admit_batch = 8, .lane_count = 8});
        add_parent(script);
        u32 ran = 0;
        script.add(
            [&](const Packet& packet, Spawner& spawner) {
                if (packet.payload.empty()) {
                    go_to(spawner, 1, packet.elements.first(4));
                    go_to(spawner, 2, packet.elements.subspan(4));
                } else {
                    ++ran;
                }
            },
            places.far({.name = "work", .packet_fill = 8}));
        places.of_key = std::vector<Fetch>(64, Fetch::Refused);
        REQUIRE(script.submit({.launch_count = 8}) == Admission::Taken);
        CHECK(script.cluster().step());
        CHECK(script.cluster().step());
        CHECK(script.cluster().step());
        for (u32 await = 1; await <= 5; ++await) {
            // Each step asks about both once, then waits for other clusters' fetches.
            CHECK(places.waited.size() == await);
            CHECK(places.asks_of(1) == await);
            CHECK(places.asks_of(2) == await);
            CHECK(script.cluster().step());
        }
        CHECK(ran == 0);
        places.arriving = {2, 1};
        script.cluster().run();
        CHECK(ran == 2);
        CHECK(script.counters().routine[1].fetches.started == 0);
        CHECK(script.counters().routine[1].fetches.near_at_once == 2);
        CHECK(script.counters().routine[1].fetches.refused >= 12);
    }

    TEST_CASE("F12 steps that run nothing do not ask for a refused fetch again") {
        Places places;
        Script script({.element_count = 8, .admit_batch = 8, .lane_count = 8});
        u32 ran = 0;
        script.add([](const Packet& packet, Spawner& spawner) {
            if (!packet.is_initial_launch) {
                spawner.release(packet.elements);
                return;
            }
            spawner.spawn(1, {}, packet.elements.first(5));
            for (u32 at = 5; at < 8; ++at) {
                spawner.spawn(2, {.value = at}, packet.elements.subspan(at, 1));
            }
        });
        script.add(
            [&](const Packet& packet, Spawner& spawner) {
                if (packet.payload.empty()) {
                    go_to(spawner, 1, packet.elements);
                }
            },
            places.far({.name = "work", .packet_fill = 5, .may_mix_keys = false}));
        script.add([&](const Packet&, Spawner&) { ++ran; }, {.name = "small"});
        places.of_key[1] = Fetch::Refused;
        REQUIRE(script.submit({.launch_count = 8}) == Admission::Taken);
        CHECK(script.cluster().step());
        CHECK(script.cluster().step());
        // Each small packet of three goes to the input buffer, then all of them run.
        for (u32 step = 0; step < 4; ++step) {
            CHECK(ran == 0);
            CHECK(script.cluster().step());
            CHECK(places.asks_of(1) == 1);
        }
        CHECK(ran == 1);
        CHECK(places.waited.empty());
        CHECK(script.cluster().step());
        CHECK(places.asks_of(1) == 2);
        places.of_key[1] = Fetch::Near;
        script.cluster().run();
    }

    TEST_CASE("F12 data that were dropped before the packet left are fetched once more") {
        Places places;
        Script script({.element_count = 8, .admit_batch = 8, .lane_count = 8});
        add_parent(script);
        std::vector<u32> keys;
        script.add(
            [&](const Packet& packet, Spawner& spawner) {
                if (packet.payload.empty()) {
                    go_to(spawner, 1, packet.elements.first(4));
                    go_to(spawner, 2, packet.elements.subspan(4));
                    return;
                }
                CHECK(places.of_key[packet.key.value] == Fetch::Near);
                keys.push_back(packet.key.value);
                if (keys.size() == 1) {
                    places.of_key[2] = Fetch::Coming;  // the other's were near
                    places.arriving = {2};
                }
            },
            places.far({.name = "work", .packet_fill = 8}));
        places.of_key[1] = Fetch::Near;
        places.of_key[2] = Fetch::Near;
        script.run(8);
        CHECK(keys == std::vector<u32>{1, 2});
        CHECK(places.waited.size() == 1);
        CHECK(script.counters().routine[1].fetches.near_at_once == 2);
        CHECK(script.counters().routine[1].fetches.started == 1);
        CHECK(script.counters().routine[1].fetches.fibres_served == 4);
    }
}

}  // namespace weft::fibre
