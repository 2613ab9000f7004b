// test_far_keys.cpp — fibres whose data are far visit what a plain loop visits, few fetches serve
// many of them, and none waits for ever.
#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "tests/scheduler/fibre/far_places.h"
#include "tests/scheduler/fibre/far_world.h"

namespace weft::fibre {

TEST_SUITE("scheduler/fibre/far_keys") {
    TEST_CASE("F8 F12 each fibre visits what a plain loop visits once its data are near") {
        for (const Policy policy :
             {Policy::Fullest, Policy::Oldest, Policy::Priority, Policy::Balanced}) {
            for (const u32 definitions : {1u, 3u, 12u, 256u}) {
                for (const u32 refused : {0u, 3u, 8u}) {
                    far::Settings settings{.policy = policy, .packet_max = 100};
                    settings.puts_aside = refused == 3;
                    settings.cluster = {.element_count = 200,
                                        .collection_count = definitions,
                                        .list_capacity = refused == 8 ? 700u : 5000u};
                    settings.store = {.key_count = 40,
                                      .room = 3 + definitions % 10,
                                      .latency = 1 + 9 * refused,
                                      .refused_of_ten = refused};
                    far::World world(settings);
                    CAPTURE(static_cast<u32>(policy));
                    CAPTURE(definitions);
                    CAPTURE(refused);
                    CHECK(world.run());
                    CHECK(world.is_complete());
                    CHECK(world.broken_promises() == 0);
                    const bool has_most = definitions == 256;
                    CHECK((world.refusals() == 0 || refused == 8 || !has_most));
                    CHECK((world.refusals() > 0 || refused < 8));
                    CHECK((world.all_counters().put_aside_packets > 0) == settings.puts_aside);
                    CHECK((world.all_counters().evicted_collections > 0) == !has_most);
                    const FetchCounters& fetches = world.counters().fetches;
                    // Evicted collections may wait for one fetch beside others of their key.
                    CHECK(fetches.started >= world.store.fetches());
                    CHECK((fetches.started == world.store.fetches() || !has_most));
                    CHECK(fetches.max_chosen <= settings.fetches_ahead);
                    CHECK(fetches.max_chosen > 1);
                    CHECK(world.store.most_coming() <= settings.fetches_ahead);
                    CHECK((refused == 0 || fetches.refused > 0));
                    CHECK(fetches.fibres_served <= world.counters().rekeyed_fibres);
                    CHECK(fetches.fibres_served > 0);
                }
            }
        }
    }

    TEST_CASE("F12 no more fetches are under way than the routine allows") {
        for (const u32 ahead : {1u, 2u, 7u, 100u}) {
            far::Settings settings{.fetches_ahead = ahead};
            settings.cluster = {.element_count = 300};
            settings.store = {.key_count = 30, .room = 30, .latency = 50};
            far::World world(settings);
            CHECK(world.run());
            CHECK(world.is_complete());
            CHECK(world.counters().fetches.max_chosen == std::min(ahead, 30u));
            CHECK(world.store.most_coming() <= ahead);
        }
    }

    TEST_CASE("F12 one fetch serves many fibres") {
        // 10,000 fibres go to 16 keys, with room for four of them.
        for (const u32 elements : {1000u, 16384u}) {
            far::Settings settings{.query_count = 10000, .depth = 1};
            settings.cluster = {.element_count = elements};
            settings.store = {.key_count = 16, .room = 4};
            far::World world(settings);
            CHECK(world.run());
            CHECK(world.is_complete());
            CHECK(world.counters().rekeyed_fibres == 20000);
            CHECK(world.counters().fetches.fibres_served <= 20000);
            CHECK(world.store.fetches() <= (elements < 10000 ? 20000u / 50 : 32u));
        }
    }

    TEST_CASE("F12 fibres leave when their data came for somebody else") {
        // Launches never end; a far fibre waits among them that nobody fetches, as it is alone.
        Places places;
        Script script({.element_count = 64, .admit_batch = 16, .lane_count = 16});
        u64 packets = 0;
        u64 came_at = 0;
        u64 ran_at = 0;
        script.add([&](const Packet& packet, Spawner& spawner) {
            if (++packets >= 200 && came_at == 0) {
                places.of_key[9] = Fetch::Near;
                places.came = {11, 9};  // nobody waits for 11
                came_at = packets;
            }
            if (packet.is_initial_launch) {
                spawner.spawn(packet.first_launch == 0 ? 1 : 2, {}, packet.elements);
            } else {
                spawner.release(packet.elements);
            }
        });
        script.add(
            [&](const Packet& packet, Spawner& spawner) {
                ++packets;
                if (packet.payload.empty()) {
                    go_to(spawner, 9, packet.elements.first(1));
                } else {
                    ran_at = packets;
                }
            },
            places.far({.name = "work", .packet_fill = 1000}));
        script.add([&](const Packet&, Spawner&) { ++packets; },
                   {.name = "flood", .packet_fill = 16, .policy = Policy::Fullest});
        script.run(16 * 1000);
        CHECK(came_at >= 200);
        CHECK(ran_at > came_at);
        CHECK(ran_at <= came_at + 4);
        CHECK(places.asks_of(11) == 0);
        CHECK(places.asks_of(9) <= 2);
        CHECK(places.came.empty());
        CHECK(script.counters().routine[1].fetches.started == 0);
        CHECK(script.counters().routine[1].fetches.near_at_once == 1);
    }

    TEST_CASE("F19 counters of fetches add up and the most at once is the larger") {
        FibreCounters sum;
        FibreCounters other;
        sum.routine[2].fetches = {1, 2, 3, 4, 5};
        other.routine[2].fetches = {10, 20, 30, 40, 3};
        sum.add(other);
        const FetchCounters& fetches = sum.routine[2].fetches;
        CHECK(fetches.started == 11);
        CHECK(fetches.near_at_once == 22);
        CHECK(fetches.refused == 33);
        CHECK(fetches.fibres_served == 44);
        CHECK(fetches.max_chosen == 5);
    }

    TEST_CASE("F12 F14 an overdue far fibre leaves soon after its data are near") {
        // Launches never end, and neither do ready packets; one far fibre waits among them.
        constexpr u64 kLaunches = 3 * kAgeBound;
        for (const u64 coming_for : {u64{0}, u64{500}, kAgeBound}) {
            Places places;
            Script script({.element_count = 64, .admit_batch = 16, .lane_count = 16});
            u64 packets = 0;
            u64 sent_at = 0;
            u64 near_at = 0;
            u64 ran_at = 0;
            script.add([&](const Packet& packet, Spawner& spawner) {
                ++packets;
                if (sent_at > 0 && near_at == 0 && packets > sent_at + kAgeBound + coming_for) {
                    places.of_key[9] = Fetch::Near;
                    near_at = packets;
                }
                if (packet.is_initial_launch) {
                    spawner.spawn(packet.first_launch == 0 ? 1 : 2, {}, packet.elements);
                } else {
                    spawner.release(packet.elements);
                }
            });
            script.add(
                [&](const Packet& packet, Spawner& spawner) {
                    ++packets;
                    if (packet.payload.empty()) {
                        sent_at = packets;
                        go_to(spawner, 9, packet.elements.first(1));
                    } else {
                        ran_at = packets;
                    }
                },
                places.far({.name = "work", .packet_fill = 1000, .policy = Policy::Priority}));
            script.add([&](const Packet&, Spawner&) { ++packets; },
                       {.name = "flood", .packet_fill = 16, .policy = Policy::Fullest});
            script.run(16 * static_cast<u32>(kLaunches));
            CHECK(places.waited.empty());
            CHECK(near_at > sent_at + kAgeBound);
            CHECK(ran_at >= near_at);
            CHECK(ran_at <= near_at + 2);
            CHECK(packets > ran_at + kAgeBound / 4);
            // Nobody asked before it was overdue.
            CHECK(places.asks_of(9) <= coming_for + 4);
            CHECK(script.counters().routine[1].by_reason[static_cast<u32>(LeaveReason::Overdue)] ==
                  1);
        }
    }

    TEST_CASE("F12 an overdue far collection is chosen before fuller ones") {
        // Key 3 comes for as long as the flood lasts; one fibre waits for key 1, four for key 2.
        for (const bool is_overdue : {false, true}) {
            Places places;
            Script script({.element_count = 64, .admit_batch = 16, .lane_count = 16});
            std::vector<u32> keys;
            script.add([&](const Packet& packet, Spawner& spawner) {
                if (packet.is_initial_launch) {
                    spawner.spawn(packet.first_launch < 48 ? 1 : 2, {}, packet.elements);
                } else {
                    spawner.release(packet.elements);
                }
            });
            u32 sent = 0;
            script.add(
                [&](const Packet& packet, Spawner& spawner) {
                    for (u32 at = 0; packet.payload.empty() && at < packet.elements.size(); ++at) {
                        const u32 key = sent < 40 ? 3 : sent == 40 ? 1 : 2;
                        if (sent++ < 45) {
                            go_to(spawner, key, packet.elements.subspan(at, 1));
                        }
                    }
                    if (!packet.payload.empty()) {
                        keys.push_back(packet.key.value);
                    }
                },
                places.far({.name = "work", .packet_fill = 16, .fetches_ahead = 1}));
            script.add([](const Packet&, Spawner&) {},
                       {.name = "flood", .packet_fill = 16, .policy = Policy::Fullest});
            const std::vector<u32> expected =
                is_overdue ? std::vector<u32>{3, 1, 2} : std::vector<u32>{3, 2, 1};
            places.arriving = expected;
            script.run(16 * static_cast<u32>(is_overdue ? kAgeBound : 100));
            CHECK(sent == 48);
            CHECK(keys == expected);
            CHECK(places.waited.size() == 3);
        }
    }
}

}  // namespace weft::fibre
