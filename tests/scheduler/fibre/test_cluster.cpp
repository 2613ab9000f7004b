// test_cluster.cpp — fibres through a whole cluster, held against plain recursion.
#include <doctest/doctest.h>

#include "tests/scheduler/fibre/toy_world.h"

namespace weft::fibre {

namespace {

using toy::Settings;
using toy::World;

constexpr Policy kPolicies[] = {
    Policy::DepthFirst, Policy::Fullest, Policy::Oldest, Policy::Priority, Policy::Balanced};

void check_world(World& world, u64 thread_count) {
    world.run();
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
        for (const Policy policy : kPolicies) {
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
}

}  // namespace weft::fibre
