// test_cluster.cpp — fibres through a whole cluster, compared with plain recursion.
#include <algorithm>
#include <numeric>

#include <doctest/doctest.h>

#include "tests/scheduler/fibre/toy_world.h"

namespace weft::fibre {

namespace {

using toy::Settings;
using toy::World;

constexpr Policy kClusterPolicies[] = {
    Policy::DepthFirst, Policy::Fullest, Policy::Oldest, Policy::Priority, Policy::Balanced};

void check_world(World& world, u64 thread_count) {
    world.run();
    CHECK(world.cluster().is_idle());
    CHECK(world.results() == world.expected());
    CHECK(world.broken_promises() == 0);
    const FibreCounters& counters = world.counters();
    CHECK(counters.fibres_spawned == counters.fibres_completed);
    CHECK(counters.elements_admitted == thread_count);
    CHECK(counters.elements_released == thread_count);
    u64 run = 0;
    u64 rekeyed = 0;
    for (u32 routine = 1; routine < kMaxRoutines; ++routine) {
        run += counters.routine[routine].fibres;
        rekeyed += counters.routine[routine].rekeyed_fibres;
    }
    CHECK(run == counters.fibres_spawned + rekeyed);
}

}  // namespace

TEST_SUITE("scheduler/fibre/cluster") {
    TEST_CASE("every policy gives the results of plain recursion for no thread and one and many") {
        for (const Policy policy : kClusterPolicies) {
            for (const u32 threads : {0u, 1u, 15u, 17u, 5000u}) {
                CAPTURE(policy_name(policy));
                CAPTURE(threads);
                Settings settings{.thread_count = threads, .policy = policy};
                settings.cluster = {
                    .element_count = 512, .collection_count = 64, .list_capacity = 8192};
                World world(settings);
                check_world(world, threads);
            }
        }
    }

    TEST_CASE("one element is enough to run every thread") {
        Settings settings{.thread_count = 50};
        settings.cluster = {.element_count = 1, .collection_count = 1, .list_capacity = 16};
        World world(settings);
        check_world(world, 50);
        CHECK(world.counters().max_elements == 1);
    }

    TEST_CASE(
        "F8 a million fibres through ten thousand elements give the results of plain recursion") {
        Settings settings{.thread_count = 30000,
                          .rounds = 2,
                          .depth = 7,
                          .packet_fill = 10000,
                          .packet_max = 10000};
        settings.cluster = {.element_count = 10000, .list_capacity = 1u << 17};
        World world(settings);
        check_world(world, 30000);
        const FibreCounters& counters = world.counters();
        CHECK(counters.routine[1].fibres + counters.routine[2].fibres > 1000000);
        CHECK(counters.max_elements == 10000);
    }

    TEST_CASE("F8 one key for all fibres makes full packets") {
        Settings settings{.thread_count = 4096, .material_count = 1};
        settings.cluster = {.element_count = 4096};
        World world(settings);
        check_world(world, 4096);
        const RoutineCounters& shade = world.counters().routine[2];
        CHECK(shade.distinct_keys == 1);
        CHECK(shade.lanes_active == shade.lanes_issued);
    }

    TEST_CASE("F15 as many keys as fibres still fill the lanes where keys may be mixed") {
        for (const bool may_mix_keys : {false, true}) {
            Settings settings{.thread_count = 4096, .material_count = 1u << 30};
            settings.may_mix_keys = may_mix_keys;
            settings.cluster = {.element_count = 4096};
            World world(settings);
            check_world(world, 4096);
            const RoutineCounters& shade = world.counters().routine[2];
            CHECK(shade.lanes_issued % 16 == 0);
            CHECK((shade.mixed_packets > 0) == may_mix_keys);
            CHECK((shade.lanes_active * 10 > shade.lanes_issued * 9) == may_mix_keys);
            CHECK(shade.distinct_keys == shade.fibres);
        }
    }

    TEST_CASE("F10 a definition memory of one or two collections evicts and loses nothing") {
        for (const Policy policy : kClusterPolicies) {
            for (const u32 collections : {1u, 2u}) {
                Settings settings{.thread_count = 2000, .policy = policy};
                settings.cluster = {
                    .element_count = 256, .collection_count = collections, .list_capacity = 4096};
                World world(settings);
                check_world(world, 2000);
                CHECK(world.counters().evicted_collections > 0);
            }
        }
    }

    TEST_CASE("F8 lists that do not fit are refused and the results stay the same") {
        for (const Policy policy : kClusterPolicies) {
            for (const u32 capacity : {1u, 20u, 200u}) {
                Settings settings{.thread_count = 2000, .policy = policy};
                settings.cluster = {
                    .element_count = 256, .collection_count = 32, .list_capacity = capacity};
                World world(settings);
                check_world(world, 2000);
                CHECK(world.refusals() > 0);
                CHECK(world.counters().routine[1].refused_lists == world.refusals());
                CHECK(world.counters().max_list_entries <= capacity);
            }
        }
    }

    TEST_CASE("an unkeyed routine gathers in order of arrival and keeps no lists") {
        Settings settings{.thread_count = 3000, .material_count = 50, .ignores_key = true};
        settings.cluster = {.element_count = 1024, .list_capacity = 4096};
        World world(settings);
        check_world(world, 3000);
        CHECK(world.counters().routine[2].distinct_keys == 1);
        CHECK(world.counters().routine[1].rekeyed_lists == 0);
    }

    TEST_CASE("a cluster runs again and adds to its counters") {
        World world({.thread_count = 500});
        check_world(world, 500);
        const u64 first = world.counters().fibres_spawned;
        world.run();
        CHECK(world.results() == world.expected());
        CHECK(world.counters().fibres_spawned == 2 * first);
        CHECK(world.counters().elements_admitted == 1000);
    }

    TEST_CASE("no packet is larger than its routine allows") {
        Settings settings{.thread_count = 3000, .packet_fill = 10, .packet_max = 48};
        settings.cluster = {.element_count = 1024, .list_capacity = 4096};
        World world(settings);
        check_world(world, 3000);
        CHECK(world.biggest_packet() == 48);
    }

    TEST_CASE("F19 packets by fullness add up to all packets and to the active lanes") {
        for (const u32 lanes : {1u, 8u, 16u, 32u}) {
            Settings settings{.thread_count = 3000};
            settings.cluster = {.element_count = 1024, .list_capacity = 4096, .lane_count = lanes};
            World world(settings);
            check_world(world, 3000);
            for (u32 routine = 0; routine < 3; ++routine) {
                const RoutineCounters& sums = world.counters().routine[routine];
                u64 packets = 0;
                for (const u64 count : sums.by_fullness) {
                    packets += count;
                }
                CHECK(packets == sums.packets);
                CHECK(sums.by_fullness[0] == 0);
                CHECK(std::accumulate(sums.by_age.begin(), sums.by_age.end(), u64{0}) ==
                      sums.fibres);
                const u32 oldest = age_bin(world.counters().max_age_packets);
                CHECK(std::all_of(sums.by_age.begin() + oldest + 1, sums.by_age.end(), [](u64 n) {
                    return n == 0;
                }));
                CHECK(sums.lanes_issued >= sums.lanes_active);
                CHECK(sums.lanes_issued < sums.lanes_active + sums.packets * lanes);
                CHECK(sums.lanes_issued % lanes == 0);
            }
        }
    }

    TEST_CASE("F19 packets by reason add up to all packets whatever the memory and the policy") {
        for (const Policy policy : kClusterPolicies) {
            for (const u32 collections : {1u, 64u}) {
                CAPTURE(policy_name(policy));
                CAPTURE(collections);
                Settings settings{.thread_count = 3000, .policy = policy};
                settings.cluster = {
                    .element_count = 512, .collection_count = collections, .list_capacity = 4096};
                World world(settings);
                check_world(world, 3000);
                const FibreCounters& counters = world.counters();
                u64 launches = 0;
                u64 evicted = 0;
                for (const RoutineCounters& sums : counters.routine) {
                    u64 packets = 0;
                    for (const u64 count : sums.by_reason) {
                        packets += count;
                    }
                    CHECK(packets == sums.packets);
                    launches += sums.by_reason[static_cast<u32>(LeaveReason::Launch)];
                    evicted += sums.by_reason[static_cast<u32>(LeaveReason::Evicted)];
                }
                CHECK(launches == counters.launch_pieces);
                CHECK((evicted > 0) == (counters.evicted_collections > 0));
                const u64 lists =
                    counters.routine[1].by_reason[static_cast<u32>(LeaveReason::List)];
                CHECK((lists > 0) == (policy == Policy::DepthFirst));
            }
        }
    }

    TEST_CASE("F19 one key leaves full and many keys that do not mix leave because lanes idle") {
        const auto shade_of = [](u32 materials) {
            Settings settings{.thread_count = 4096, .material_count = materials};
            settings.may_mix_keys = false;
            settings.cluster = {.element_count = 4096, .collection_count = 8192};
            World world(settings);
            check_world(world, 4096);
            return world.counters().routine[2];
        };
        const RoutineCounters one = shade_of(1);
        CHECK(one.by_reason[static_cast<u32>(LeaveReason::Full)] == one.packets);
        const RoutineCounters many = shade_of(1u << 30);
        CHECK(many.by_reason[static_cast<u32>(LeaveReason::Full)] == 0);
        CHECK(2 * many.by_reason[static_cast<u32>(LeaveReason::Idle)] > many.packets);
    }

    TEST_CASE("a cluster without elements or lanes or collections is refused") {
        CHECK_FALSE(Cluster({.element_count = 0}).is_allocated());
        CHECK_FALSE(Cluster({.collection_count = 0}).is_allocated());
        CHECK_FALSE(Cluster({.lane_count = 0}).is_allocated());
        CHECK(Cluster({.list_capacity = 0}).is_allocated());
    }
}

}  // namespace weft::fibre
