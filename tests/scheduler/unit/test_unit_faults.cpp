// test_unit_faults.cpp — parts that fail, programs that throw, units that are detached or stop
// answering: the run ends with every number published once, or with one sentence and nothing busy.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/unit/work_runner.h"
#include "tests/scheduler/unit/range_work.h"
#include "tests/scheduler/unit/unit_farm.h"

namespace weft::unit {

namespace {

// Holds units at the device's hook until it is opened.
class Gate {
public:
    // The unit stops here from now on.
    void hold(u32 unit) {
        const std::lock_guard lock(mutex_);
        held_.at(unit) = true;
    }

    void open() {
        const std::lock_guard lock(mutex_);
        std::fill(held_.begin(), held_.end(), false);
        changed_.notify_all();
    }

    void pass(u32 unit) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !held_.at(unit); });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<bool> held_ = std::vector<bool>(64);
};

// Opens the gate when the test ends, however it does, so that devices and runners can die.
class Opener {
public:
    explicit Opener(Gate& gate) : gate_(gate) {}

    ~Opener() { gate_.open(); }

    Opener(const Opener&) = delete;
    Opener& operator=(const Opener&) = delete;
    Opener(Opener&&) = delete;
    Opener& operator=(Opener&&) = delete;

private:
    Gate& gate_;
};

// Runs work again and again until the unit was lost: another worker may have been so fast that
// the unit was not rung at all. Every run must be exact.
bool run_until_lost(WorkRunner& runner, UnitFarm& farm, u32 unit) {
    bool is_exact = true;
    for (u32 round = 0; round < 1000 && !runner.unit_figures(unit).is_lost; ++round) {
        RangeWork work(60000, 2000, farm.programs());
        is_exact = runner.run(work).is_ok() && work.is_exact() && is_exact;
    }
    return is_exact && runner.unit_figures(unit).is_lost;
}

bool is_anyone_busy(UnitFarm& farm) {
    const auto units = farm.units();
    return std::any_of(
        units.begin(), units.end(), [](const ExecutionUnit* unit) { return unit->is_busy(); });
}

constexpr std::chrono::milliseconds kShortPatience(40);

// Work that is put aside when a test says so.
class FaultyAside : public RangeWork {
public:
    using RangeWork::RangeWork;

    bool is_put_aside() override { return is_aside.load(); }

    std::atomic<bool> is_aside{false};
};

// A program whose unit does not come back.
class FinalProgram : public RangeProgram {
public:
    using RangeProgram::RangeProgram;

    [[nodiscard]] bool can_return() const override { return false; }
};

}  // namespace

TEST_SUITE("scheduler/unit/faults") {
    TEST_CASE("W7 parts that fail once are run again and every number is published") {
        for (const u32 count : {1u, 4u}) {
            std::atomic<u64> failed = 0;
            const auto fail = [&](const PartTask& task) {
                const bool fails = task.attempt == 0 && (task.share.word[0] + task.part) % 3 == 0;
                failed += fails ? 1 : 0;
                return fails ? 5u : 0u;
            };
            UnitFarm farm({.cpu_units = count, .gpu_units = 2, .program = {.fail = fail}});
            farm.gpu->start();
            WorkRunner runner(farm.units(), {.units_of_worker = dealt(count + 2, count)});
            RangeWork work(20000, 500, farm.programs());
            REQUIRE(runner.run(work).is_ok());
            CHECK(work.is_exact());
            u64 retried = 0;
            for (u32 unit = 0; unit < runner.unit_count(); ++unit) {
                retried += runner.unit_figures(unit).parts_retried;
            }
            CHECK(failed > 0);
            CHECK(retried == failed);
        }
    }

    TEST_CASE("W7 a part that fails twice ends the run with one sentence and nothing busy") {
        for (const u32 count : {1u, 2u, 8u}) {
            const auto fail = [](const PartTask& task) {
                const bool has_7777 = task.share.word[0] <= 7777 && 7777 < task.share.word[1];
                return has_7777 && task.part == 0 ? 42u : 0u;
            };
            UnitFarm farm({.cpu_units = count, .gpu_units = 1, .program = {.fail = fail}});
            farm.gpu->start();
            WorkRunner runner(farm.units(), {.units_of_worker = dealt(count + 1, count)});
            for (u32 round = 0; round < 3; ++round) {
                RangeWork work(20000, 500, farm.programs());
                const base::Status status = runner.run(work);
                REQUIRE_FALSE(status.is_ok());
                CHECK(status.error().kind == base::ErrorKind::Render);
                CHECK(status.error().sentence.find(
                          "part 0 of a share failed twice (error code 42)") != std::string::npos);
                CHECK(work.is_sound());
                CHECK_FALSE(is_anyone_busy(farm));
            }
        }
    }

    TEST_CASE(
        "W7 an exception of a program is the sentence of the run whichever thread stepped it") {
        for (const u32 gpu_units : {0u, 1u}) {
            const auto fail = [](const PartTask& task) -> u32 {
                if (task.share.word[1] > 9000) {
                    throw std::runtime_error("the ink is dry");
                }
                return 0;
            };
            UnitFarm farm(
                {.cpu_units = 1 - gpu_units, .gpu_units = gpu_units, .program = {.fail = fail}});
            farm.gpu->start();
            WorkRunner runner(farm.units(), {.units_of_worker = {{0}}});
            RangeWork work(20000, 500, farm.programs());
            const base::Status status = runner.run(work);
            REQUIRE_FALSE(status.is_ok());
            CHECK(status.error().sentence == "unit 0 failed: the ink is dry");
            CHECK(work.is_sound());
            CHECK_FALSE(is_anyone_busy(farm));
        }
    }

    TEST_CASE("an exception of the work is the sentence of the run and shares drain") {
        for (const u32 count : {0u, 1u, 4u}) {
            UnitFarm farm({.cpu_units = std::max(1u, count), .gpu_units = 1});
            farm.gpu->start();
            WorkRunner runner(
                farm.units(),
                {.units_of_worker = count == 0 ? one_to_one(0) : dealt(count + 1, count)});
            RangeWork work(20000, 500, farm.programs());
            work.on_publish = [](const WorkItem& share) {
                if (share.word[1] > 15000) {
                    throw std::runtime_error("no slot for it");
                }
            };
            const base::Status status = runner.run(work);
            REQUIRE_FALSE(status.is_ok());
            CHECK(status.error().sentence.find("failed: no slot for it") != std::string::npos);
            CHECK(work.is_sound());
            CHECK_FALSE(is_anyone_busy(farm));
            RangeWork after(5000, 500, farm.programs());
            CHECK(runner.run(after).is_ok());
            CHECK(after.is_exact());
        }
    }

    TEST_CASE("an item that cannot be divided and fits into no unit ends the run") {
        UnitFarm farm({.cpu_units = 2, .unit = {.most_work = 64}});
        WorkRunner runner(farm.units(), {.units_of_worker = one_to_one(2)});
        RangeWork work(1000, 100, farm.programs());
        work.may_divide = false;
        const base::Status status = runner.run(work);
        REQUIRE_FALSE(status.is_ok());
        CHECK(status.error().sentence ==
              "an item of 100 units of work cannot be divided, and a unit holds 64");
        CHECK(work.shares == 0);
    }

    TEST_CASE("work divided into slices ends with a sentence where the deque is full") {
        for (const u32 count : {1u, 2u}) {
            UnitFarm farm({.cpu_units = count, .unit = {.most_work = 64}});
            WorkRunner runner(farm.units(), {.units_of_worker = one_to_one(count)});
            RangeWork work(100000, 100000, farm.programs());
            work.slices = true;
            const base::Status status = runner.run(work);
            REQUIRE_FALSE(status.is_ok());
            CHECK(status.error().sentence.find("is full: items are divided into too uneven") !=
                  std::string::npos);
            CHECK(work.is_sound());
            RangeWork small(500, 500, farm.programs());
            small.slices = true;
            CHECK(runner.run(small).is_ok());
            CHECK(small.is_exact());
        }
    }

    TEST_CASE("W9 a unit detached before the run gets no share and one attached again does") {
        UnitFarm farm({.cpu_units = 2, .gpu_units = 1});
        farm.gpu->start();
        WorkRunner runner(farm.units(), {.units_of_worker = {{0, 1, 2}}, .share_work = 10});
        REQUIRE(runner.detach(1));
        REQUIRE(runner.detach(2));
        CHECK_FALSE(runner.detach(0));
        RangeWork alone(20000, 1000, farm.programs());
        REQUIRE(runner.run(alone).is_ok());
        CHECK(alone.is_exact());
        CHECK(runner.unit_figures(0).work == 20000);
        CHECK_FALSE(runner.unit_figures(1).is_attached);
        CHECK(runner.unit_figures(1).shares == 0);
        CHECK(runner.unit_figures(1).doorbells == 1);  // the detaching itself
        runner.attach(1);
        runner.attach(2);
        REQUIRE(runner.detach(0));
        RangeWork others(20000, 1000, farm.programs());
        REQUIRE(runner.run(others).is_ok());
        CHECK(others.is_exact());
        CHECK(runner.unit_figures(0).work == 20000);
        CHECK(runner.unit_figures(1).work + runner.unit_figures(2).work == 20000);
    }

    TEST_CASE("W9 units detached and attached in a storm lose and repeat nothing") {
        for (const u32 workers : {1u, 2u, 8u}) {
            UnitFarm farm({.cpu_units = 4, .gpu_units = 4, .gpu_threads = 2});
            farm.gpu->start();
            WorkRunner runner(farm.units(),
                              {.units_of_worker = dealt(8, workers), .share_work = 20});
            std::atomic<bool> is_over = false;
            u32 refused = 0;
            RangeWork work(150000, 700, farm.programs());
            {
                std::jthread storm([&] {
                    for (u32 turn = 0; !is_over.load(); ++turn) {
                        const u32 unit = turn * 5 % 8;
                        if (turn % 3 == 2) {
                            runner.attach(unit);
                        } else {
                            refused += runner.detach(unit) ? 0u : 1u;
                        }
                        std::this_thread::yield();
                    }
                });
                const base::Status status = runner.run(work);
                is_over.store(true);
                REQUIRE(status.is_ok());
            }
            CHECK(work.is_exact());
            CHECK_FALSE(is_anyone_busy(farm));
        }
    }

    TEST_CASE("W7 shares of a unit given up for lost are run elsewhere and published once") {
        for (const u32 workers : {0u, 1u, 3u}) {
            Gate gate;
            std::atomic<u32> times_lost = 0;  // unit 2; a busy machine may give up others, too
            UnitFarm farm({.cpu_units = 1, .gpu_units = 2, .gpu_threads = 2});
            farm.gpu->set_hook([&](u32 unit) { gate.pass(unit); });
            gate.hold(1);  // unit 2 of the runner
            farm.gpu->start();
            RunnerConfig config;
            config.units_of_worker = workers == 0 ? one_to_one(0) : dealt(3, workers);
            config.share_work = 100;
            config.patience = kShortPatience;
            config.on_lost = [&](u32 unit) { times_lost += unit == 2 ? 1u : 0u; };
            WorkRunner runner(farm.units(), config);
            const Opener opener(gate);
            REQUIRE(run_until_lost(runner, farm, 2));
            CHECK(runner.unit_figures(2).shares == 0);
            CHECK(runner.unit_figures(2).shares_taken_back > 0);
            CHECK(times_lost == 1);
            CHECK(farm.gpu->unit(1).is_busy());
            // While it hangs it takes no part in the next run either.
            const u64 doorbells = runner.unit_figures(2).doorbells;
            RangeWork without(20000, 2000, farm.programs());
            REQUIRE(runner.run(without).is_ok());
            CHECK(without.is_exact());
            CHECK(runner.unit_figures(2).doorbells == doorbells);
            gate.open();
            while (!farm.gpu->unit(1).is_settled()) {
                std::this_thread::yield();
            }
            // Its late results had no effect, and the unit is used again.
            for (u32 round = 0; round < 1000 && runner.unit_figures(2).shares == 0; ++round) {
                RangeWork after(60000, 2000, farm.programs());
                REQUIRE(runner.run(after).is_ok());
                REQUIRE(after.is_exact());
            }
            CHECK(runner.unit_figures(2).shares > 0);
        }
    }

    TEST_CASE("W7 a unit that hangs while the run is put aside is lost and the run goes on") {
        Gate gate;
        UnitFarm farm({.cpu_units = 1, .gpu_units = 2, .gpu_threads = 1});
        farm.gpu->set_hook([&](u32 unit) { gate.pass(unit); });
        farm.gpu->start();
        RunnerConfig config;
        config.units_of_worker = dealt(3, 2);
        config.share_work = 100;
        config.patience = kShortPatience;
        WorkRunner runner(farm.units(), config);
        const Opener opener(gate);
        FaultyAside work(60000, 2000, farm.programs());
        work.on_publish = [&](const WorkItem&) {
            gate.hold(0);  // one thread: unit 2 of the runner hangs with it
            work.is_aside.store(true);
        };
        REQUIRE(runner.run(work).is_ok());
        // One that was just between two steps is held.
        for (const u32 unit : {1U, 2U}) {
            CHECK(runner.unit_figures(unit).is_lost != farm.units()[unit]->is_held());
        }
        work.on_publish = {};
        work.is_aside.store(false);
        REQUIRE(runner.run(work).is_ok());
        CHECK(work.is_exact());
    }

    TEST_CASE("W7 a lost unit whose program cannot return stays away when it answers again") {
        Gate gate;
        const UnitConfig config{.lane_groups = 1, .most_work = 4096};
        FinalProgram program(config);
        RangeProgram other(config);
        UnitProgram* const pointer = &program;
        EmulatedGpu gpu({1, 1, 1 << 16}, {&pointer, 1}, config);
        ExecutionUnit cpu(0, other, config);
        const std::vector<ExecutionUnit*> units = {&cpu, &gpu.unit(0)};
        gpu.set_hook([&](u32 unit) { gate.pass(unit); });
        gate.hold(0);
        gpu.start();
        RunnerConfig runner_config;
        runner_config.units_of_worker = one_to_one(2);
        runner_config.share_work = 100;
        runner_config.patience = kShortPatience;
        WorkRunner runner(units, runner_config);
        const Opener opener(gate);
        for (u32 round = 0; round < 1000 && !runner.unit_figures(1).is_lost; ++round) {
            RangeWork work(60000, 2000, {&other, &program});
            REQUIRE(runner.run(work).is_ok());
            REQUIRE(work.is_exact());
        }
        REQUIRE(runner.unit_figures(1).is_lost);
        gate.open();
        while (!gpu.unit(0).is_settled()) {
            std::this_thread::yield();
        }
        const u64 doorbells = runner.unit_figures(1).doorbells;
        RangeWork work(60000, 2000, {&other, &program});
        REQUIRE(runner.run(work).is_ok());
        CHECK(work.is_exact());
        CHECK(runner.unit_figures(1).is_lost);
        CHECK(runner.unit_figures(1).doorbells == doorbells);
    }

    TEST_CASE("W7 late results of a lost unit reach nothing while the run goes on") {
        Gate gate;
        UnitFarm farm({.cpu_units = 2, .gpu_units = 2, .gpu_threads = 2});
        farm.gpu->set_hook([&](u32 unit) { gate.pass(unit); });
        gate.hold(0);
        farm.gpu->start();
        RunnerConfig config;
        config.units_of_worker = {{0, 2}, {1, 3}};
        config.share_work = 50;
        config.patience = kShortPatience;
        config.on_lost = [&](u32 unit) {
            if (unit == 2) {
                gate.open();
            }
        };
        WorkRunner runner(farm.units(), config);
        const Opener opener(gate);
        REQUIRE(run_until_lost(runner, farm, 2));
        CHECK(runner.unit_figures(2).shares == 0);
    }

    TEST_CASE("W7 a false alarm costs time only") {
        // Units are held again and again for longer than the patience, then let go.
        for (u32 round = 0; round < 3; ++round) {
            UnitFarm farm({.cpu_units = 1, .gpu_units = 4, .gpu_threads = 4});
            std::atomic<u32> steps = 0;
            farm.gpu->set_hook([&](u32 unit) {
                if (unit != 3 && steps.fetch_add(1) % 50 == 49) {
                    // Busy, not asleep: the machine is slow.
                    const auto until =
                        std::chrono::steady_clock::now() + std::chrono::milliseconds(8);
                    while (std::chrono::steady_clock::now() < until) {
                    }
                }
            });
            farm.gpu->start();
            RunnerConfig config;
            config.units_of_worker = dealt(5, 2);
            config.share_work = 100;
            config.patience = std::chrono::milliseconds(4);
            WorkRunner runner(farm.units(), config);
            RangeWork work(60000, 1000, farm.programs());
            REQUIRE(runner.run(work).is_ok());
            CHECK(work.is_exact());
        }
    }

    TEST_CASE("W7 with no unit left the run ends with a sentence and does not hang") {
        for (const u32 workers : {0u, 1u, 2u}) {
            Gate gate;
            UnitFarm farm({.cpu_units = 0, .gpu_units = 2, .gpu_threads = 1});
            farm.gpu->set_hook([&](u32 unit) { gate.pass(unit); });
            gate.hold(0);  // one thread: unit 1 hangs with it
            farm.gpu->start();
            RunnerConfig config;
            config.units_of_worker = workers == 0 ? one_to_one(0) : dealt(2, workers);
            config.patience = kShortPatience;
            WorkRunner runner(farm.units(), config);
            const Opener opener(gate);
            RangeWork work(60000, 2000, farm.programs());
            const base::Status status = runner.run(work);
            REQUIRE_FALSE(status.is_ok());
            CHECK(status.error().sentence ==
                  "no execution unit is left: of 2, 2 stopped answering and the others are "
                  "detached");
            CHECK(work.shares == 0);
            const base::Status again = runner.run(work);
            CHECK(again.error().sentence == status.error().sentence);
        }
    }

    TEST_CASE("W9 the last unit that still answers cannot be detached") {
        Gate gate;
        UnitFarm farm({.cpu_units = 1, .gpu_units = 1});
        farm.gpu->set_hook([&](u32 unit) { gate.pass(unit); });
        gate.hold(0);
        farm.gpu->start();
        RunnerConfig config;
        config.units_of_worker = one_to_one(2);
        config.share_work = 50;
        config.patience = kShortPatience;
        WorkRunner runner(farm.units(), config);
        const Opener opener(gate);
        REQUIRE(run_until_lost(runner, farm, 1));
        CHECK_FALSE(runner.detach(0));
    }
}

}  // namespace weft::unit
