// test_work_runner.cpp — every unit of work is published exactly once, whatever the workers, units,
// portions, mapping and leaf size.
#include <array>
#include <atomic>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/unit/work_runner.h"
#include "tests/scheduler/unit/range_work.h"
#include "tests/scheduler/unit/unit_farm.h"

namespace weft::unit {

TEST_SUITE("scheduler/unit/work_runner") {
    TEST_CASE("W1 W3 every number is published once whatever the number of workers and units") {
        for (const u32 count : {1u, 2u, 4u, 8u, 64u}) {
            UnitFarm farm({.cpu_units = count});
            WorkRunner runner(farm.units(), {.units_of_worker = one_to_one(count)});
            RangeWork work(20000, 3000, farm.programs());
            REQUIRE(runner.run(work).is_ok());
            CHECK(work.is_exact());
        }
    }

    TEST_CASE("W3 without workers the caller's thread runs all units") {
        UnitFarm farm({.cpu_units = 2, .gpu_units = 2});
        farm.gpu->start();
        WorkRunner runner(farm.units(), {});
        RangeWork work(20000, 3000, farm.programs());
        REQUIRE(runner.run(work).is_ok());
        CHECK(work.is_exact());
        CHECK(runner.worker_count() == 1);
    }

    TEST_CASE("W10 one run is split over CPU units and emulated units by the same protocol") {
        for (const u32 gpu_threads : {0u, 1u, 2u, 3u}) {
            UnitFarm farm({.cpu_units = 2, .gpu_units = 3, .gpu_threads = gpu_threads});
            farm.gpu->start();
            WorkRunner runner(farm.units(), {.units_of_worker = {{0, 2}, {1, 3, 4}}});
            RangeWork work(100000, 20000, farm.programs());
            REQUIRE(runner.run(work).is_ok());
            CHECK(work.is_exact());
        }
    }
}

}  // namespace weft::unit
