// test_shared_packet_unit.cpp — clusters behind one packet unit: packets are scattered over them,
// nothing is lost, and no cluster touches another's elements.
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "tests/scheduler/fibre/script.h"
#include "tests/scheduler/fibre/toy_world.h"

namespace weft::fibre {

namespace {

using toy::Settings;
using toy::World;

constexpr Policy kSharedPolicies[] = {
    Policy::DepthFirst, Policy::Fullest, Policy::Oldest, Policy::Priority, Policy::Balanced};

// A device of several clusters, each with queries of its own.
struct Device {
    SharedPacketUnit unit;
    std::vector<std::unique_ptr<World>> worlds;

    Device(Settings settings, u32 cluster_count) : unit(settings.cluster, cluster_count) {
        REQUIRE(unit.is_allocated());
        settings.shared = &unit;
        for (u32 index = 0; index < cluster_count; ++index) {
            settings.index = index;
            settings.first_query = u64{index} * settings.thread_count;
            worlds.push_back(std::make_unique<World>(settings));
        }
    }

    void run(u64 queries_per_thread) {
        std::vector<std::jthread> drivers;
        for (const std::unique_ptr<World>& world : worlds) {
            drivers.emplace_back([&] { world->run(queries_per_thread); });
        }
    }

    void check() const {
        for (const std::unique_ptr<World>& world : worlds) {
            CHECK(world->results() == world->expected());
            CHECK(world->broken_promises() == 0);
            CHECK(world->counters().fibres_spawned == world->counters().fibres_completed);
            CHECK(world->cluster().is_idle());
        }
    }
};

// Two clusters of four elements driven by the test itself, one step at a time. Elements come to
// `work` with key 5 at their first launch and are released after it; packets are noted.
struct Pair {
    struct Ran {
        u32 cluster;
        u32 packet_id;
        std::vector<u32> elements;
        float priority;
    };

    struct Side {
        Pair* pair;
        u32 index;
        u32 first_key = 5;
        bool in_pairs = false;   // every two elements have a key of their own ...
        bool is_rising = false;  // ... and a higher priority than those before
    };

    static constexpr ClusterConfig kConfig{
        .element_count = 4, .collection_count = 8, .list_capacity = 64, .lane_count = 2};
    SharedPacketUnit unit{kConfig, 2};
    std::vector<Ran> ran;
    std::vector<u32> delivered;
    std::array<Side, 2> sides{{{this, 0}, {this, 1}}};
    std::array<std::unique_ptr<Cluster>, 2> clusters;

    explicit Pair(u32 packet_fill, Policy policy = Policy::Fullest) {
        unit.set_delivered(
            [](void* context, u32 cluster) {
                static_cast<Pair*>(context)->delivered.push_back(cluster);
            },
            this);
        for (Side& side : sides) {
            clusters[side.index] = std::make_unique<Cluster>(kConfig, unit, side.index);
            clusters[side.index]->declare({.name = "parent", .run = run_parent, .context = &side});
            clusters[side.index]->declare({.name = "work",
                                           .run = run_work,
                                           .context = &side,
                                           .packet_fill = packet_fill,
                                           .may_mix_keys = false,
                                           .policy = policy});
        }
    }

    void submit(u32 cluster, u32 launches, float priority = 0) {
        const ThreadDesc desc{.launch_count = launches, .priority = priority};
        REQUIRE(clusters[cluster]->submit(desc) == Admission::Taken);
    }

    static void run_parent(void* context, const Packet& packet, Spawner& spawner) {
        const Side& side = *static_cast<Side*>(context);
        if (packet.is_initial_launch) {
            const u32 run = side.in_pairs ? 2 : 4;
            for (u32 at = 0; at < packet.elements.size(); at += run) {
                const auto count = std::min<std::size_t>(run, packet.elements.size() - at);
                spawner.spawn(1,
                              {.value = side.first_key + at},
                              packet.elements.subspan(at, count),
                              side.is_rising ? static_cast<float>(at) : packet.priority);
            }
        } else {
            spawner.release(packet.elements);
        }
    }

    static void run_work(void* context, const Packet& packet, Spawner&) {
        const Side& side = *static_cast<Side*>(context);
        side.pair->ran.push_back({side.index,
                                  packet.packet_id,
                                  {packet.elements.begin(), packet.elements.end()},
                                  packet.priority});
    }
};

}  // namespace

TEST_SUITE("scheduler/fibre/shared_packet_unit") {
    TEST_CASE("F13 one to sixty-four clusters on as many threads give the same results") {
        for (const u32 clusters : {1u, 2u, 4u, 8u, 64u}) {
            CAPTURE(clusters);
            Settings settings{.thread_count = 1000 / clusters + 20, .rounds = 2, .depth = 5};
            settings.cluster = {.element_count = 64, .collection_count = 64, .list_capacity = 2048};
            Device device(settings, clusters);
            device.run(30);
            device.check();
            const FibreCounters figures = device.unit.counters();
            CHECK(figures.scattered_packets > 0);
            CHECK(figures.scattered_slices <= figures.scattered_packets * clusters);
            CHECK(figures.largest_slices * clusters >= figures.scattered_fibres);
            CHECK(figures.dropped_fibres == 0);
        }
    }

    TEST_CASE("F13 every policy gives the results of plain recursion on four clusters") {
        for (const Policy policy : kSharedPolicies) {
            for (const u32 capacity : {20u, 4096u}) {
                CAPTURE(policy_name(policy));
                Settings settings{.thread_count = 150, .policy = policy};
                settings.cluster = {
                    .element_count = 64, .collection_count = 16, .list_capacity = capacity};
                Device device(settings, 4);
                device.run(50);
                device.check();
            }
        }
    }

    TEST_CASE("F13 a packet is cut into slices by where its elements live and each keeps its id") {
        Pair pair(8);
        pair.submit(0, 4);
        pair.submit(1, 4);
        CHECK(pair.clusters[0]->step());  // both launch
        CHECK(pair.clusters[1]->step());
        CHECK(pair.ran.empty());
        CHECK(pair.clusters[0]->step());  // eight fibres are a packet; this cluster runs its slice
        CHECK(pair.delivered == std::vector<u32>{1});
        CHECK(pair.clusters[1]->step());
        REQUIRE(pair.ran.size() == 2);
        CHECK(pair.ran[0].cluster == 0);
        CHECK(pair.ran[1].cluster == 1);
        CHECK(pair.ran[0].packet_id == pair.ran[1].packet_id);
        CHECK(pair.ran[0].elements == std::vector<u32>{0, 1, 2, 3});
        CHECK(pair.ran[1].elements == std::vector<u32>{0, 1, 2, 3});
        const FibreCounters figures = pair.unit.counters();
        CHECK(figures.scattered_packets == 1);
        CHECK(figures.scattered_fibres == 8);
        CHECK(figures.scattered_slices == 2);
        CHECK(figures.largest_slices == 4);
        pair.clusters[0]->run();
        pair.clusters[1]->run();
    }

    TEST_CASE("F13 a cluster goes on by itself while the others stand still") {
        Pair pair(8);
        pair.submit(0, 40);
        pair.submit(1, 4);
        CHECK(pair.clusters[1]->step());
        pair.clusters[0]->run();
        CHECK(pair.clusters[0]->is_idle());
        CHECK_FALSE(pair.clusters[1]->is_idle());
        pair.clusters[1]->run();
        CHECK(pair.clusters[1]->is_idle());
    }

    TEST_CASE("F11 of two packets alike that of the fuller cluster leaves first") {
        for (const u32 launches_of_other : {2u, 4u}) {
            Pair pair(2, Policy::Balanced);
            // Packets of two fibres each; the first cluster's is the oldest, and it holds half of
            // its elements.
            pair.sides[1].first_key = 100;
            pair.sides[1].in_pairs = true;
            pair.submit(0, 2);
            CHECK(pair.clusters[0]->step());
            pair.submit(1, launches_of_other);
            CHECK(pair.clusters[1]->step());
            // Looking for a packet of its own it lets those leave first that are more urgent.
            CHECK(pair.clusters[0]->step());
            CHECK(pair.delivered.empty() == (launches_of_other == 2));
            pair.clusters[0]->run();
            pair.clusters[1]->run();
        }
    }

    TEST_CASE("F11 which of two clusters is fuller makes no difference to policies by one name") {
        Pair pair(2, Policy::Oldest);
        pair.sides[1].first_key = 100;
        pair.sides[1].in_pairs = true;
        pair.submit(0, 2);
        CHECK(pair.clusters[0]->step());
        pair.submit(1, 4);
        CHECK(pair.clusters[1]->step());
        CHECK(pair.clusters[0]->step());
        CHECK(pair.ran.size() == 1);
        pair.clusters[0]->run();
        pair.clusters[1]->run();
    }

    TEST_CASE("F14 of two slices in an inbox the more urgent is run first") {
        Pair pair(2, Policy::Oldest);
        pair.sides[1] = {&pair, 1, 6, true, true};
        pair.submit(1, 4);
        CHECK(pair.clusters[1]->step());
        // The other cluster lets both packets leave while it looks for one of its own.
        pair.submit(0, 2);
        pair.clusters[0]->run();
        CHECK(pair.ran.size() == 1);
        pair.clusters[1]->run();
        REQUIRE(pair.ran.size() == 3);
        CHECK(pair.ran[1].priority == 2);
        CHECK(pair.ran[2].priority == 0);
        CHECK(pair.ran[2].packet_id < pair.ran[1].packet_id);
    }

    TEST_CASE("F13 clusters with equal work get equal slices") {
        constexpr ClusterConfig kConfig{.element_count = 64, .list_capacity = 64};
        SharedPacketUnit unit(kConfig, 4);
        std::vector<std::unique_ptr<Script>> scripts;
        for (u32 index = 0; index < 4; ++index) {
            Script& script = *scripts.emplace_back(std::make_unique<Script>(kConfig, unit, index));
            script.add([](const Packet& packet, Spawner& spawner) {
                if (packet.is_initial_launch) {
                    spawner.spawn(1, {.value = 3}, packet.elements);
                } else {
                    spawner.release(packet.elements);
                }
            });
            script.add([](const Packet&, Spawner&) {},
                       {.name = "work", .packet_fill = 256, .policy = Policy::Fullest});
            REQUIRE(script.submit({.launch_count = 640}) == Admission::Taken);
        }
        for (bool is_going = true; is_going;) {
            is_going = false;
            for (const std::unique_ptr<Script>& script : scripts) {
                is_going = script->cluster().step() || is_going;
            }
        }
        const FibreCounters figures = unit.counters();
        // The largest slice of a packet is hardly larger than the mean one.
        CHECK(figures.scattered_fibres == 2 * 4 * 640);
        CHECK(figures.largest_slices * 4 * 10 <= figures.scattered_fibres * 11);
    }

    TEST_CASE(
        "F12 behind a shared unit a fetch starts before its packet runs and one packet ahead") {
        constexpr ClusterConfig kConfig{.element_count = 8, .list_capacity = 64};
        SharedPacketUnit unit(kConfig, 2);
        Script script(kConfig, unit, 0);
        static std::vector<u32> fetched;
        fetched.assign(10, 0);
        u32 ahead = 0;
        u32 ran = 0;
        script.add([](const Packet& packet, Spawner& spawner) {
            if (!packet.is_initial_launch) {
                spawner.release(packet.elements);
                return;
            }
            for (u32 key = 0; key < 7; ++key) {
                spawner.spawn(1, {.value = key}, packet.elements);
            }
        });
        script.add(
            [&](const Packet& packet, Spawner&) {
                CHECK(fetched[packet.key.value] == 1);
                ++ran;
                const auto count = std::count(fetched.begin(), fetched.end(), 1u);
                ahead += count > ran ? 1u : 0u;
            },
            {.name = "work",
             .packet_fill = 1,
             .may_mix_keys = false,
             .policy = Policy::Fullest,
             .prefetch = [](void*, Key key) { ++fetched[key.value]; }});
        script.run(8);
        CHECK(ran == 7);
        CHECK(std::count(fetched.begin(), fetched.end(), 1u) == 7);
        CHECK(ahead == 6);
    }

    TEST_CASE(
        "F18 a range is free for any cluster once its thread has ended or its cluster is lost") {
        // A claim that outlived its thread would stop this program.
        Pair pair(8);
        const auto submit = [&](u32 cluster, WriteRange range) {
            return pair.clusters[cluster]->submit({.launch_count = 1, .range = range});
        };
        CHECK(submit(0, {0, 10}) == Admission::Taken);
        CHECK(submit(0, {5, 20}) == Admission::Taken);
        CHECK(submit(1, {20, 30}) == Admission::Taken);
        pair.clusters[0]->run();
        CHECK(pair.clusters[0]->counters().threads.threads_kept_apart == 1);
        CHECK(submit(1, {0, 20}) == Admission::Taken);
        pair.clusters[1]->abandon();
        CHECK(submit(0, {0, 30}) == Admission::Taken);
        pair.clusters[0]->run();
        CHECK(pair.clusters[0]->counters().threads.threads_finished == 3);
    }

    TEST_CASE("an abandoned cluster's fibres are dropped and the others' are not") {
        Pair pair(8);
        pair.submit(0, 4);
        pair.submit(1, 4);
        CHECK(pair.clusters[0]->step());
        CHECK(pair.clusters[1]->step());
        pair.clusters[1]->abandon();
        CHECK(pair.unit.counters().dropped_fibres == 4);
        CHECK_FALSE(pair.clusters[1]->step());
        pair.clusters[1]->run();  // does nothing, and ends
        pair.clusters[0]->run();
        REQUIRE(pair.ran.size() == 1);
        CHECK(pair.ran[0].cluster == 0);
        CHECK(pair.ran[0].elements.size() == 4);
        // Its place can be taken again.
        pair.clusters[1].reset();
        pair.clusters[1] = std::make_unique<Cluster>(Pair::kConfig, pair.unit, 1);
        for (const auto run : {Pair::run_parent, Pair::run_work}) {
            pair.clusters[1]->declare({.name = "again",
                                       .run = run,
                                       .context = &pair.sides[1],
                                       .packet_fill = 8,
                                       .may_mix_keys = false,
                                       .policy = Policy::Fullest});
        }
        pair.submit(1, 3);
        pair.clusters[1]->run();
        CHECK(pair.ran.size() == 2);
    }

    TEST_CASE("late calls of an abandoned cluster have no effect") {
        // The first cluster is given up in the middle of its parent routine, which goes on to
        // spawn.
        constexpr ClusterConfig kConfig{.element_count = 8, .list_capacity = 64};
        SharedPacketUnit unit(kConfig, 2);
        Cluster lost(kConfig, unit, 0);

        struct Context {
            Cluster* cluster;
            u32 ran = 0;
        } context{&lost};

        lost.declare({.name = "parent",
                      .run =
                          [](void* own, const Packet& packet, Spawner& spawner) {
                              spawner.spawn(1, {.value = 1}, packet.elements);
                              static_cast<Context*>(own)->cluster->abandon();
                              spawner.spawn(1, {.value = 2}, packet.elements);
                          },
                      .context = &context});
        lost.declare(
            {.name = "work",
             .run = [](void* own, const Packet&, Spawner&) { ++static_cast<Context*>(own)->ran; },
             .context = &context});
        REQUIRE(lost.submit({.launch_count = 8}) == Admission::Taken);
        lost.run();
        CHECK(context.ran == 0);
        CHECK(unit.counters().dropped_fibres == 8);
    }

    TEST_CASE("clusters abandoned at any moment disturb no other") {
        Settings settings{.thread_count = 400, .rounds = 2, .depth = 5, .policy = Policy::Fullest};
        settings.cluster = {.element_count = 64, .collection_count = 32, .list_capacity = 2048};
        for (u32 round = 0; round < 5; ++round) {
            Device device(settings, 4);
            std::atomic<bool> is_done{false};
            {
                std::jthread killer([&] {
                    // At another moment in each round: after so many packets.
                    while (device.unit.now() < 20 + 150 * round && !is_done) {
                        std::this_thread::yield();
                    }
                    device.worlds[0]->cluster().abandon();
                    device.worlds[2]->cluster().abandon();
                });
                std::vector<std::jthread> drivers;
                for (u32 index = 0; index < 4; ++index) {
                    drivers.emplace_back([&, index] { device.worlds[index]->run(~u64{0}); });
                }
                drivers.clear();
                is_done = true;
            }
            for (const u32 index : {1u, 3u}) {
                CHECK(device.worlds[index]->results() == device.worlds[index]->expected());
                CHECK(device.worlds[index]->broken_promises() == 0);
            }
        }
    }
}

}  // namespace weft::fibre
