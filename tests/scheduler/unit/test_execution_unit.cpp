// test_execution_unit.cpp — one unit by itself, stepped by hand: portions, parts, barrier, status,
// retries, detaching.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/unit/execution_unit.h"
#include "tests/scheduler/unit/range_work.h"

namespace weft::unit {

namespace {

// Takes parts in and ends them when the test says so.
class SlowProgram : public UnitProgram {
public:
    void begin_part(const PartTask& task, ExecutionUnit& /*unit*/) override {
        begun.push_back(task);
        if (throws) {
            throw std::runtime_error("the roof leaks");
        }
    }

    bool step(ExecutionUnit& unit) override {
        for (const auto& [portion, part, error_code] : ending) {
            unit.finish_part(portion, part, error_code);
        }
        const bool has_ended = !ending.empty();
        ending.clear();
        return has_ended;
    }

    struct Ending {
        u32 portion;
        u32 part;
        u32 error_code;
    };

    std::vector<PartTask> begun;
    std::vector<Ending> ending;
    bool throws = false;
};

TaskRegisters task_of(Operation operation, u32 part_count, u64 epoch) {
    TaskRegisters task;
    task.operation = operation;
    task.part_count = part_count;
    task.epoch = epoch;
    task.share.word = {epoch, epoch + 1, epoch + 2, epoch + 3};
    return task;
}

}  // namespace

TEST_SUITE("scheduler/unit/execution_unit") {
    TEST_CASE("a unit that is held begins and ends nothing until it may go on") {
        SlowProgram program;
        ExecutionUnit unit(0, program, {.lane_groups = 1, .portions = 2});
        ParkingPlace place;   // of the unit's thread
        ParkingPlace worker;  // of the one that asks
        unit.set_thread_place(&place);
        unit.ring(0, task_of(Operation::Run, 1, 10));
        CHECK(unit.step());
        REQUIRE(program.begun.size() == 1);
        for (u32 round = 0; round < 2; ++round) {
            // Asked, not held: the stepping thread has to step once more.
            const u32 ticket = worker.announce(Sleep::ForAnswers);
            unit.hold(worker);
            CHECK_FALSE(unit.is_held());
            CHECK(unit.must_step());
            CHECK(unit.must_stay_awake());
            CHECK_FALSE(unit.step());
            CHECK(unit.is_held());
            worker.park(ticket);  // returns at once: it was woken
            worker.leave();
            // Held, with a share that runs, one that is not begun, and an end that waits.
            CHECK(unit.is_settled());
            CHECK_FALSE(unit.must_step());
            if (round == 0) {
                unit.ring(1, task_of(Operation::Run, 1, 20));
            }
            program.ending = {{0, 0, 0}};
            CHECK_FALSE(unit.must_stay_awake());
            CHECK_FALSE(unit.step());
            CHECK(unit.is_ringing(0));
            CHECK(program.begun.size() == 1);
            program.ending.clear();
            unit.go_on();
            CHECK_FALSE(unit.is_held());
            CHECK(unit.must_step());
            CHECK(unit.must_stay_awake());
        }
        // An order that was taken back is not obeyed.
        unit.hold(worker);
        unit.go_on();
        program.ending = {{0, 0, 0}};
        CHECK(unit.step());
        CHECK_FALSE(unit.is_held());
        CHECK_FALSE(unit.is_ringing(0));
        CHECK(program.begun.size() == 2);
    }

    TEST_CASE("W4 each portion has a doorbell and registers of its own") {
        SlowProgram program;
        ExecutionUnit unit(3, program, {.lane_groups = 1, .portions = 2});
        CHECK_FALSE(unit.step());
        unit.ring(1, task_of(Operation::Run, 1, 20));
        unit.ring(0, task_of(Operation::Run, 1, 10));
        CHECK(unit.is_busy());
        CHECK(unit.must_stay_awake());
        CHECK(unit.step());
        REQUIRE(program.begun.size() == 2);
        CHECK(program.begun[0].portion == 0);
        CHECK(program.begun[0].share.word[0] == 10);
        CHECK(program.begun[1].portion == 1);
        CHECK(program.begun[1].share.word[3] == 23);
        CHECK_FALSE(unit.must_stay_awake());
        program.ending = {{1, 0, 0}};
        CHECK(unit.step());
        CHECK(unit.is_ringing(0));
        CHECK_FALSE(unit.is_ringing(1));
        CHECK(unit.answer(1).answered_epoch == 20);
        CHECK(unit.answer(1).status.done_parts == 1);
    }

    TEST_CASE("W6 the primary divides a share into G parts and a barrier holds until all ended") {
        for (const u32 groups : {1u, 2u, 4u, 32u}) {
            SlowProgram program;
            ExecutionUnit unit(0, program, {.lane_groups = groups, .portions = 1});
            unit.ring(0, task_of(Operation::Run, groups, 5));
            CHECK(unit.step());
            REQUIRE(program.begun.size() == groups);
            for (u32 part = 0; part < groups; ++part) {
                CHECK(program.begun[part].part == part);
                CHECK(program.begun[part].part_count == groups);
                CHECK(program.begun[part].epoch == 5);
            }
            for (u32 part = groups; part-- > 0;) {
                CHECK(unit.is_ringing(0));
                CHECK_FALSE(unit.step());  // nothing ended, nothing to begin
                program.ending = {{0, part, 0}};
                CHECK(unit.step());
            }
            CHECK_FALSE(unit.is_ringing(0));
            CHECK(unit.answer(0).status.done_parts == (groups == 32 ? ~0u : (1u << groups) - 1));
        }
    }

    TEST_CASE("W7 a part that failed is begun once more and its second end stands") {
        SlowProgram program;
        ExecutionUnit unit(0, program, {.lane_groups = 2, .portions = 1});
        unit.ring(0, task_of(Operation::Run, 2, 1));
        unit.step();
        program.ending = {{0, 1, 9}, {0, 0, 0}};
        CHECK(unit.step());
        CHECK(unit.is_ringing(0));
        CHECK(unit.step());
        REQUIRE(program.begun.size() == 3);
        CHECK(program.begun[2].part == 1);
        CHECK(program.begun[2].attempt == 1);
        SUBCASE("well") {
            program.ending = {{0, 1, 0}};
            CHECK(unit.step());
            REQUIRE_FALSE(unit.is_ringing(0));
            CHECK(unit.answer(0).status.done_parts == 3);
            CHECK(unit.answer(0).status.error_code == 0);
            CHECK(unit.answer(0).status.retried_parts == 1);
        }
        SUBCASE("badly") {
            program.ending = {{0, 1, 8}};
            CHECK(unit.step());
            REQUIRE_FALSE(unit.is_ringing(0));
            CHECK(unit.answer(0).status.done_parts == 1);
            CHECK(unit.answer(0).status.error_code == 8);
            CHECK(unit.answer(0).status.error_part == 1);
        }
    }

    TEST_CASE("W6 parts that end within their beginning end the share in one step") {
        const UnitConfig config{.lane_groups = 4, .portions = 2, .most_work = 64};
        RangeProgram program(config, {.numbers_per_step = 0});
        ExecutionUnit unit(0, program, config);
        TaskRegisters task = task_of(Operation::Run, 4, 1);
        task.share.word = {100, 110, 0, 0};
        unit.ring(0, task);
        CHECK(unit.step());
        REQUIRE_FALSE(unit.is_ringing(0));
        for (u64 place = 0; place < 10; ++place) {
            CHECK(program.take(0, place) == yield_of(100 + place));
        }
        CHECK(program.parts_begun == 4);
    }

    TEST_CASE("W9 a unit told to detach ends what it has and answers") {
        SlowProgram program;
        ExecutionUnit unit(0, program, {.lane_groups = 1, .portions = 2});
        unit.ring(0, task_of(Operation::Run, 1, 1));
        unit.step();
        unit.ring(1, task_of(Operation::Detach, 0, 2));
        CHECK(unit.step());
        CHECK_FALSE(unit.is_ringing(1));
        CHECK(unit.is_ringing(0));
        program.ending = {{0, 0, 0}};
        CHECK(unit.step());
        CHECK(unit.answer(0).status.done_parts == 1);
        unit.ring(1, task_of(Operation::Attach, 0, 3));
        CHECK(unit.step());
        unit.ring(0, task_of(Operation::Run, 1, 4));
        unit.step();
        CHECK(program.begun.size() == 2);
    }

    TEST_CASE(
        "W9 a share that was rung before the order to detach is run though it is seen after it") {
        SlowProgram program;
        ExecutionUnit unit(0, program, {.lane_groups = 1, .portions = 2});
        unit.ring(1, task_of(Operation::Run, 1, 1));
        unit.ring(0, task_of(Operation::Detach, 0, 2));
        CHECK(unit.step());
        CHECK(program.begun.size() == 1);
        CHECK_FALSE(unit.is_ringing(0));
        program.ending = {{1, 0, 0}};
        CHECK(unit.step());
        CHECK(unit.answer(1).status.done_parts == 1);
    }

    TEST_CASE("W7 what a program throws ends every task in it and every later one") {
        SlowProgram program;
        ExecutionUnit unit(0, program, {.lane_groups = 2, .portions = 2});
        unit.ring(0, task_of(Operation::Run, 2, 1));
        unit.step();
        program.throws = true;
        unit.ring(1, task_of(Operation::Run, 2, 2));
        CHECK(unit.step());
        for (const u32 portion : {0u, 1u}) {
            REQUIRE_FALSE(unit.is_ringing(portion));
            CHECK(unit.answer(portion).status.error_code == kProgramThrew);
        }
        CHECK(unit.thrown() == "the roof leaks");
        const std::size_t begun = program.begun.size();
        unit.ring(0, task_of(Operation::Run, 2, 3));
        CHECK(unit.step());
        CHECK_FALSE(unit.is_ringing(0));
        CHECK(unit.answer(0).status.error_code == kProgramThrew);
        CHECK(program.begun.size() == begun);
    }

    TEST_CASE("W7 an answer names the epoch that was rung and times in order") {
        SlowProgram program;
        ExecutionUnit unit(0, program, {.lane_groups = 1, .portions = 1});
        u64 progress = unit.progress();
        for (u64 epoch = 1; epoch < 5; ++epoch) {
            unit.ring(0, task_of(Operation::Run, 1, epoch));
            program.ending = {{0, 0, 0}};
            CHECK(unit.step());
            REQUIRE_FALSE(unit.is_ringing(0));
            CHECK(unit.is_settled());
            CHECK(unit.answer(0).answered_epoch == epoch);
            CHECK(unit.answer(0).status.begun_ns <= unit.answer(0).status.ended_ns);
            CHECK(unit.progress() > progress);
            progress = unit.progress();
        }
    }
}

}  // namespace weft::unit
