// test_work_runner.cpp — every unit of work is published exactly once, for any number of workers,
// units, portions, any mapping and share size, and while units detach and attach.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/unit/work_runner.h"
#include "tests/scheduler/unit/range_work.h"
#include "tests/scheduler/unit/unit_farm.h"

namespace weft::unit {

namespace {

u64 work_of_all(const WorkRunner& runner) {
    u64 work = 0;
    for (u32 unit = 0; unit < runner.unit_count(); ++unit) {
        work += runner.unit_figures(unit).work;
    }
    return work;
}

u64 sum_of_workers(const WorkRunner& runner, u64 WorkerFigures::*figure) {
    u64 sum = 0;
    for (u32 worker = 0; worker < runner.worker_count(); ++worker) {
        sum += runner.worker_figures(worker).*figure;
    }
    return sum;
}

// As a work that grows while it runs: roots beyond the first are given when a share of the one
// before is published.
class WaveWork : public RangeWork {
public:
    WaveWork(u64 count, u64 root, std::vector<RangeProgram*> programs)
        : RangeWork(count, root, std::move(programs)), wave_size_(root) {}

    bool next(WorkItem& item) override {
        // One wave at a time: the next may begin when all of the last is published.
        u64 open = open_.load();
        while (open == 0) {
            if (open_.compare_exchange_strong(open, wave_size_)) {
                return RangeWork::next(item);
            }
        }
        return false;
    }

    void publish(const WorkItem& share, u32 unit, u32 portion) override {
        RangeWork::publish(share, unit, portion);
        open_.fetch_sub(share.word[1] - share.word[0]);
    }

private:
    u64 wave_size_;
    std::atomic<u64> open_{0};  // of the wave that runs
};

// Work that is put aside after every so many calls.
class InterruptedWork : public RangeWork {
public:
    InterruptedWork(u64 count, u64 root, u32 patience, std::vector<RangeProgram*> programs)
        : RangeWork(count, root, std::move(programs)), patience_(patience) {}

    bool is_put_aside() override {
        if (!is_aside_.load() && ++questions_ % patience_ == 0) {
            is_aside_.store(true);
        }
        return is_aside_.load();
    }

    void go_on() { is_aside_.store(false); }

private:
    u32 patience_;
    std::atomic<u32> questions_{0};
    std::atomic<bool> is_aside_{false};
};

// Work that is put aside while a test says so.
class AsideWork : public RangeWork {
public:
    using RangeWork::RangeWork;

    bool is_put_aside() override { return is_aside.load(); }

    std::atomic<bool> is_aside{false};
};

// Ends no share before it is let go, and after so many steps, so that no test waits for ever.
class LongProgram : public RangeProgram {
public:
    using RangeProgram::RangeProgram;

    void begin_part(const PartTask& task, ExecutionUnit& unit) override {
        RangeProgram::begin_part(task, unit);
        has_begun_ = true;
        on_begin();
    }

    bool step(ExecutionUnit& unit) override {
        constexpr u64 kMostSteps = 100'000'000;
        const bool is_long = has_begun_ && !is_let_go.load() && ++steps_ < kMostSteps;
        return is_long || RangeProgram::step(unit);
    }

    std::function<void()> on_begin;
    std::atomic<bool> is_let_go{false};

private:
    bool has_begun_ = false;
    u64 steps_ = 0;
};

}  // namespace

TEST_SUITE("scheduler/unit/work_runner") {
    TEST_CASE("what is put aside stays in its units and every number is still published once") {
        for (const u32 gpu_units : {0u, 2u}) {
            for (const u32 count : {1u, 2u, 4u}) {
                UnitFarm farm({.cpu_units = count, .gpu_units = gpu_units});
                farm.gpu->start();
                WorkRunner runner(farm.units(),
                                  {.units_of_worker = dealt(count + gpu_units, count)});
                InterruptedWork work(200000, 30000, 20, farm.programs());
                u32 runs = 0;
                u32 runs_with_open = 0;
                while (work.numbers_published() < 200000) {
                    work.go_on();
                    REQUIRE(runner.run(work).is_ok());
                    ++runs;
                    for (u32 unit = 0; unit < count + gpu_units; ++unit) {
                        const ExecutionUnit& one = *farm.units()[unit];
                        CHECK((!one.is_busy() || unit < count || one.is_held()));
                        runs_with_open += one.is_busy() ? 1U : 0U;
                    }
                }
                CHECK(work.is_exact());
                CHECK(runs > 1);
                CHECK(runs_with_open > 0);
            }
        }
    }

    TEST_CASE("a run that is put aside waits for no share of a unit with a thread of its own") {
        constexpr u64 kCount = 4096;
        const UnitConfig config{.most_work = kCount};
        LongProgram program(config);
        UnitProgram* const pointer = &program;
        EmulatedGpu gpu({1, 1, 1 << 16}, {&pointer, 1}, config);
        ExecutionUnit* const unit = &gpu.unit(0);
        WorkRunner runner({&unit, 1}, {.units_of_worker = {{0}}, .share_work = kCount});
        AsideWork work(kCount, kCount, {&program});
        program.on_begin = [&] {
            work.is_aside.store(true);
            runner.wake();
        };
        gpu.start();
        REQUIRE(runner.run(work).is_ok());
        CHECK(unit->is_busy());
        CHECK(unit->is_held());
        CHECK(work.shares == 0);
        // It goes on where it was.
        program.is_let_go.store(true);
        work.is_aside.store(false);
        REQUIRE(runner.run(work).is_ok());
        CHECK(work.is_exact());
        CHECK(work.shares == 1);
        CHECK(program.parts_begun == config.lane_groups);
        CHECK_FALSE(unit->is_held());
    }

    TEST_CASE("work that is put aside and never gone on with can be let go") {
        for (const u32 gpu_units : {0u, 2u}) {
            UnitFarm farm({.cpu_units = 2 - gpu_units / 2,
                           .gpu_units = gpu_units,
                           .unit = {.most_work = 1 << 16}});
            farm.gpu->start();
            const auto count = static_cast<u32>(farm.units().size());
            InterruptedWork work(200000, 200000, 40, farm.programs());
            {
                WorkRunner runner(farm.units(),
                                  {.units_of_worker = one_to_one(count), .share_work = 1 << 14});
                REQUIRE(runner.run(work).is_ok());
            }
            CHECK(work.is_sound());
            CHECK(work.numbers_published() < 200000);
            const auto units = farm.units();
            CHECK(std::any_of(units.begin(), units.end(), [](const ExecutionUnit* unit) {
                return unit->is_busy();
            }));
        }
    }

    TEST_CASE("a part that fails twice ends what other workers had put aside") {
        for (const u32 gpu_units : {0u, 1u}) {
            // The first pass of each worker takes a share, so that both hold one when it fails.
            UnitFarm farm({.cpu_units = 2 - gpu_units,
                           .gpu_units = gpu_units,
                           .unit = {.most_work = 4096},
                           .program = {.numbers_per_step = 64, .fail = [](const PartTask& part) {
                                           return part.share.word[0] >= 100000 ? 7u : 0u;
                                       }}});
            farm.gpu->start();
            WorkRunner runner(farm.units(), {.units_of_worker = one_to_one(2)});
            InterruptedWork work(200000, 200000, 7, farm.programs());  // several times on the way
            base::Status ran = base::Done{};
            while (ran.is_ok()) {
                work.go_on();
                ran = runner.run(work);
            }
            CHECK(ran.error().sentence.find("failed twice (error code 7)") != std::string::npos);
            CHECK(work.is_sound());
            CHECK(!farm.units()[0]->is_busy());
            CHECK(!farm.units()[1]->is_busy());
        }
    }

    TEST_CASE("W1 W3 every number is published once whatever the number of workers and units") {
        for (const u32 count : {1u, 2u, 4u, 8u, 64u}) {
            UnitFarm farm({.cpu_units = count});
            WorkRunner runner(farm.units(), {.units_of_worker = one_to_one(count)});
            for (const u64 root : {1u, 3000u, 20000u}) {
                RangeWork work(20000, root, farm.programs());
                REQUIRE(runner.run(work).is_ok());
                CHECK(work.is_exact());
            }
            CHECK(work_of_all(runner) == 60000);
            CHECK(sum_of_workers(runner, &WorkerFigures::roots) == 20000 + 7 + 1);
        }
    }

    TEST_CASE("W3 without worker threads the caller's thread runs every unit") {
        UnitFarm farm({.cpu_units = 2, .gpu_units = 2});
        farm.gpu->start();
        WorkRunner runner(farm.units(), {});
        RangeWork work(20000, 3000, farm.programs());
        const std::thread::id caller = std::this_thread::get_id();
        bool is_on_caller = true;
        work.on_publish = [&](const WorkItem&) {
            is_on_caller = is_on_caller && std::this_thread::get_id() == caller;
        };
        REQUIRE(runner.run(work).is_ok());
        CHECK(work.is_exact());
        CHECK(is_on_caller);
        CHECK(runner.worker_count() == 1);
    }

    TEST_CASE("W3 a CPU unit's shares are run by the worker at its doorbell") {
        const UnitConfig config{.most_work = 4096};
        std::atomic<bool> is_stepped_by_other = false;
        std::atomic<bool> has_thread_of_caller = false;
        const std::thread::id caller = std::this_thread::get_id();
        std::thread::id worker;  // of worker 0, known from what its unit runs
        std::atomic<u32> parts = 0;
        RangeProgram program(config, {.fail = [&](const PartTask&) {
                                 if (parts.fetch_add(1) == 0) {
                                     worker = std::this_thread::get_id();
                                 }
                                 is_stepped_by_other =
                                     is_stepped_by_other || worker != std::this_thread::get_id();
                                 return 0u;
                             }});
        ExecutionUnit unit(0, program, config);
        ExecutionUnit* const pointer = &unit;
        WorkRunner runner({&pointer, 1}, {.units_of_worker = {{0}}});
        RangeWork work(50000, 10000, {&program});
        work.on_publish = [&](const WorkItem&) {
            has_thread_of_caller = has_thread_of_caller || std::this_thread::get_id() == caller;
            is_stepped_by_other = is_stepped_by_other || worker != std::this_thread::get_id();
        };
        REQUIRE(runner.run(work).is_ok());
        CHECK(work.is_exact());
        CHECK_FALSE(is_stepped_by_other);
        CHECK_FALSE(has_thread_of_caller);
    }

    TEST_CASE("W1 idle workers steal what another divides off") {
        UnitFarm farm({.cpu_units = 4, .unit = {.most_work = 64}});
        WorkRunner runner(farm.units(), {.units_of_worker = one_to_one(4), .share_work = 16});
        u64 steals = 0;
        // One root: every other worker with work has stolen. Repeat if one worker was too fast.
        for (u32 round = 0; round < 200 && steals == 0; ++round) {
            RangeWork work(100000, 100000, farm.programs());
            REQUIRE(runner.run(work).is_ok());
            CHECK(work.is_exact());
            steals = sum_of_workers(runner, &WorkerFigures::steals);
        }
        CHECK(steals > 0);
        CHECK(sum_of_workers(runner, &WorkerFigures::steal_attempts) >= steals);
    }

    TEST_CASE("W2 a size of shares that the caller gives is kept") {
        for (const u64 share_work : {1u, 7u, 100u, 100000u}) {
            UnitFarm farm({.cpu_units = 2, .unit = {.most_work = 300}});
            WorkRunner runner(farm.units(),
                              {.units_of_worker = one_to_one(2), .share_work = share_work});
            RangeWork work(10000, 10000, farm.programs());
            u64 most = 0;
            u64 least = 10000;
            std::mutex mutex;
            work.on_publish = [&](const WorkItem& share) {
                const std::lock_guard lock(mutex);
                most = std::max(most, share.word[1] - share.word[0]);
                least = std::min(least, share.word[1] - share.word[0]);
            };
            REQUIRE(runner.run(work).is_ok());
            CHECK(work.is_exact());
            CHECK(most < 2 * share_work);
            CHECK(most <= 300);
            CHECK(least >= std::min<u64>(share_work, 150));
        }
    }

    TEST_CASE("W2 shares stay between the least and the most that a unit says") {
        UnitFarm farm({.cpu_units = 3, .unit = {.most_work = 500, .least_work = 100}});
        WorkRunner runner(farm.units(), {.units_of_worker = one_to_one(3)});
        RangeWork work(100000, 25000, farm.programs());
        std::atomic<bool> is_within = true;
        work.on_publish = [&](const WorkItem& share) {
            const u64 size = share.word[1] - share.word[0];
            is_within = is_within && size >= 100 && size <= 500;
        };
        REQUIRE(runner.run(work).is_ok());
        CHECK(work.is_exact());
        CHECK(is_within);
        CHECK(sum_of_workers(runner, &WorkerFigures::divisions) > 0);
    }

    TEST_CASE("W2 the measured cutoff grows where handing over costs more than the work") {
        UnitFarm farm({.cpu_units = 1,
                       .unit = {.most_work = 1 << 16},
                       .program = {.numbers_per_step = 1 << 20}});
        WorkRunner runner(farm.units(), {.units_of_worker = one_to_one(1)});
        RangeWork work(1 << 20, 1 << 18, farm.programs());
        REQUIRE(runner.run(work).is_ok());
        CHECK(work.is_exact());
        // A number takes a few ns, so shares of a few numbers would be all overhead.
        CHECK(runner.worker_figures(0).last_target_work > 100);
        CHECK(runner.worker_figures(0).hand_over_ns > 0);
        CHECK(runner.worker_figures(0).division_ns > 0);
    }

    TEST_CASE("W4 one portion per unit is enough and more are all used") {
        for (const u32 portions : {1u, 2u, 8u}) {
            UnitFarm farm(
                {.cpu_units = 2, .gpu_units = 1, .unit = {.portions = portions, .most_work = 64}});
            farm.gpu->start();
            WorkRunner runner(farm.units(), {.units_of_worker = {{0, 2}, {1}}, .share_work = 8});
            RangeWork work(20000, 5000, farm.programs());
            REQUIRE(runner.run(work).is_ok());
            CHECK(work.is_exact());
            CHECK(runner.unit_figures(0).doorbells == runner.unit_figures(0).shares);
        }
    }

    TEST_CASE("W8 one worker splits each share among its units") {
        UnitFarm farm({.cpu_units = 3, .unit = {.portions = 1, .most_work = 3000}});
        WorkRunner runner(farm.units(), {.units_of_worker = {{0, 1, 2}}, .share_work = 100});
        RangeWork work(30000, 30000, farm.programs());
        REQUIRE(runner.run(work).is_ok());
        CHECK(work.is_exact());
        double sum = 0;
        for (u32 unit = 0; unit < 3; ++unit) {
            CHECK(runner.work_fraction(unit) > 0.01);
            CHECK(runner.unit_figures(unit).shares > 1);
            sum += runner.work_fraction(unit);
        }
        CHECK(sum == doctest::Approx(1));
    }

    TEST_CASE("W8 uneven mappings lose nothing") {
        const std::vector<std::vector<std::vector<u32>>> mappings = {
            {{0, 1, 2, 3, 4}},
            {{0}, {1, 2, 3, 4}},
            {{}, {0, 1, 2, 3, 4}},
            {{}, {4, 1}, {}, {0, 2}, {}, {3}, {}},
            dealt(5, 2),
            dealt(5, 64)};
        for (const auto& mapping : mappings) {
            UnitFarm farm({.cpu_units = 2, .gpu_units = 3, .gpu_threads = 2});
            farm.gpu->start();
            WorkRunner runner(farm.units(), {.units_of_worker = mapping, .share_work = 50});
            RangeWork work(20000, 1500, farm.programs());
            REQUIRE(runner.run(work).is_ok());
            CHECK(work.is_exact());
            CHECK(work_of_all(runner) == 20000);
        }
    }

    TEST_CASE("W10 one run is split over CPU units and emulated units by the same protocol") {
        for (const u32 gpu_threads : {0u, 1u, 2u, 3u}) {
            UnitFarm farm({.cpu_units = 2, .gpu_units = 3, .gpu_threads = gpu_threads});
            farm.gpu->start();
            // One worker, so that each share is split among all.
            WorkRunner runner(farm.units(), {.units_of_worker = {{0, 1, 2, 3, 4}}});
            RangeWork work(100000, 20000, farm.programs());
            REQUIRE(runner.run(work).is_ok());
            CHECK(work.is_exact());
            for (u32 unit = 0; unit < 5; ++unit) {
                const UnitFigures figures = runner.unit_figures(unit);
                CHECK(figures.shares > 0);
                CHECK(figures.doorbells == figures.shares);
                CHECK(figures.round_trip_ns > 0);
                CHECK(figures.late_round_trip_ns > 0);
            }
        }
    }

    TEST_CASE("W5 workers sleep while a unit keeps all the work") {
        using Clock = std::chrono::steady_clock;
        UnitFarm farm({.cpu_units = 0, .gpu_units = 4, .gpu_threads = 1});
        // The device's thread is held for longer and longer, until the workers had the time.
        std::atomic<Clock::time_point> held_until{Clock::time_point{}};
        farm.gpu->set_hook([&](u32) {
            while (Clock::now() < held_until.load()) {
                std::this_thread::yield();
            }
        });
        farm.gpu->start();
        WorkRunner runner(farm.units(), {.units_of_worker = one_to_one(4)});
        for (std::chrono::microseconds hold(100);
             sum_of_workers(runner, &WorkerFigures::parks) == 0 && hold < std::chrono::seconds(2);
             hold *= 2) {
            held_until.store(Clock::now() + hold);
            RangeWork work(1000, 1000, farm.programs());
            work.may_divide = false;
            REQUIRE(runner.run(work).is_ok());
            CHECK(work.is_exact());
            CHECK(work.shares == 1);
        }
        CHECK(sum_of_workers(runner, &WorkerFigures::parks) > 0);
    }

    TEST_CASE("W1 work that opens only when other work is published comes to its end") {
        for (const u32 count : {1u, 2u, 8u}) {
            UnitFarm farm({.cpu_units = count, .gpu_units = 1});
            farm.gpu->start();
            WorkRunner runner(farm.units(),
                              {.units_of_worker = dealt(count + 1, count), .share_work = 20});
            WaveWork work(20000, 200, farm.programs());
            REQUIRE(runner.run(work).is_ok());
            CHECK(work.is_exact());
        }
    }

    TEST_CASE("many items of one number and one item of many are both run exactly") {
        UnitFarm farm({.cpu_units = 4, .gpu_units = 4, .gpu_threads = 2});
        farm.gpu->start();
        WorkRunner runner(farm.units(), {.units_of_worker = dealt(8, 4)});
        RangeWork tiny(30000, 1, farm.programs());
        REQUIRE(runner.run(tiny).is_ok());
        CHECK(tiny.is_exact());
        CHECK(tiny.shares == 30000);
        RangeWork huge(400000, 400000, farm.programs());
        REQUIRE(runner.run(huge).is_ok());
        CHECK(huge.is_exact());
        RangeWork none(0, 1, farm.programs());
        REQUIRE(runner.run(none).is_ok());
        CHECK(none.shares == 0);
    }
}

}  // namespace weft::unit
