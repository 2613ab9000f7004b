// test_task_events.cpp — events between streams, and the waits that are refused (N8).
#include <vector>

#include <doctest/doctest.h>

#include "tests/scheduler/task/toy_tasks.h"

namespace weft::task {

namespace {

using toy::drain;
using toy::Log;
using toy::noting;

}  // namespace

TEST_SUITE("scheduler/task/events") {
    TEST_CASE("N8 a task waits for the event of a later task in another queue") {
        TaskRuntime runtime({.queues = 2});
        Log log;
        const StreamIndex first = runtime.create_stream();
        const StreamIndex second = runtime.create_stream();
        const OpenedEvent opened = runtime.open_event(second);
        REQUIRE(opened.is_open());
        CHECK(runtime.submit(first, noting(log, 1, 3), {.waits_for = opened.event}).is_accepted());
        CHECK(runtime.submit(first, noting(log, 2, 3)).is_accepted());
        drain(runtime);
        CHECK(log.empty());
        CHECK(runtime.submit(second, noting(log, 3)).is_accepted());
        CHECK(runtime.submit(second, noting(log, 4), {.signals = opened.event}).is_accepted());
        CHECK(runtime.submit(second, noting(log, 5)).is_accepted());
        drain(runtime);
        CHECK(log == Log{3, 4, 1, 2, 5});
        CHECK(runtime.is_idle());
        CHECK(runtime.submit(first, noting(log, 6), {.waits_for = opened.event}).is_accepted());
        drain(runtime);
        CHECK(log.back() == 6);
    }

    TEST_CASE(
        "N8 a task that would wait for the event of a later task in its shared queue is "
        "refused and changes nothing") {
        TaskRuntime runtime({.queues = 2});
        Log log;
        const StreamIndex first = runtime.create_stream();
        const StreamIndex second = runtime.create_stream();
        const StreamIndex sharing = runtime.create_stream();
        const OpenedEvent opened = runtime.open_event(sharing);
        const u32 free_before = runtime.free_tasks();
        const LaunchEvents wait{.waits_for = opened.event};
        CHECK(runtime.submit(first, noting(log, 1), wait).refusal == Refusal::WaitsForLater);
        CHECK(runtime.figures()[Figure::RefusedWaits] == 1);
        CHECK(runtime.free_tasks() == free_before);
        CHECK(runtime.is_idle());
        CHECK(runtime.submit(second, noting(log, 2), wait).is_accepted());
        CHECK(runtime.submit(sharing, noting(log, 3), {.signals = opened.event}).is_accepted());
        CHECK(runtime.submit(first, noting(log, 4), wait).is_accepted());
        drain(runtime);
        CHECK(log == Log{3, 2, 4});
    }

    TEST_CASE("N8 a ring of waits through two queues is refused at its last launch") {
        TaskRuntime runtime({.queues = 2});
        Log log;
        const StreamIndex first = runtime.create_stream();
        const StreamIndex second = runtime.create_stream();
        const EventId of_first = runtime.open_event(first).event;
        const EventId of_second = runtime.open_event(second).event;
        CHECK(runtime.submit(first, noting(log, 1), {.waits_for = of_second}).is_accepted());
        CHECK(runtime.submit(second, noting(log, 2), {.waits_for = of_first}).refusal ==
              Refusal::WaitsForLater);
        CHECK(runtime.submit(second, noting(log, 3), {.signals = of_second}).is_accepted());
        CHECK(runtime.submit(first, noting(log, 4), {.signals = of_first}).is_accepted());
        drain(runtime);
        CHECK(log == Log{3, 1, 4});
        CHECK(runtime.is_idle());
    }

    TEST_CASE("N8 an event happens when all descendants of its signaller are complete") {
        TaskRuntime runtime({});
        Log log;
        const StreamIndex first = runtime.create_stream();
        const StreamIndex second = runtime.create_stream();
        const EventId event = runtime.open_event(first).event;
        const auto parent = [](TaskContext& task, void* context) {
            CHECK(task.open_group() == Refusal::None);
            Log& own = *static_cast<Log*>(context);
            CHECK(task.launch(task.create_stream(), noting(own, 1)).is_accepted());
            return Outcome::Done;
        };
        CHECK(runtime.submit(second, noting(log, 2, 3), {.waits_for = event}).is_accepted());
        CHECK(runtime.submit(first, {.program = parent, .context = &log}, {.signals = event})
                  .is_accepted());
        drain(runtime);
        CHECK(log == Log{1, 2});
    }

    TEST_CASE("N8 an event that is closed lets its waiters go and its record come back") {
        TaskRuntime runtime({});
        Log log;
        const u32 free_before = runtime.free_tasks();
        const StreamIndex first = runtime.create_stream();
        const EventId event = runtime.open_event(first).event;
        CHECK(runtime.free_tasks() == free_before - 1);
        const StreamIndex second = runtime.create_stream();
        CHECK(runtime.submit(second, noting(log, 1), {.waits_for = event}).is_accepted());
        CHECK(drain(runtime) == 0);
        runtime.close_event(event);
        CHECK(drain(runtime) == 1);
        CHECK(log == Log{1});
        CHECK(runtime.free_tasks() == free_before);
    }

    TEST_CASE("a launch that signals is accepted where there is no room for any other") {
        TaskRuntime runtime({.tasks = 4, .levels = 1, .host_slots = 4, .urgent_tasks = 0});
        Log log;
        const StreamIndex first = runtime.create_stream();
        const StreamIndex second = runtime.create_stream();
        const EventId event = runtime.open_event(second).event;
        for (u64 task = 0; task < 3; ++task) {
            CHECK(runtime.submit(first, noting(log, task), {.waits_for = event}).is_accepted());
        }
        CHECK(runtime.submit(second, noting(log, 9)).refusal == Refusal::NoRoom);
        CHECK(runtime.submit(second, noting(log, 9), {.signals = event}).is_accepted());
        drain(runtime);
        CHECK(log == Log{9, 0, 1, 2});
    }

    TEST_CASE("events run out and come back") {
        TaskRuntime runtime({.events = 2, .urgent_events = 1});
        const StreamIndex stream = runtime.create_stream();
        const OpenedEvent opened = runtime.open_event(stream);
        CHECK(opened.is_open());
        CHECK(runtime.open_event(stream).refusal == Refusal::NoRoom);
        const OpenedEvent urgent = runtime.open_event(stream, true);
        CHECK(urgent.is_open());
        runtime.close_event(opened.event);
        CHECK(runtime.open_event(stream).is_open());
    }

    TEST_CASE("N8 children of one task wait for each other across streams whatever the threads") {
        for (const u32 threads : {1u, 2u, 4u}) {
            TaskRuntime runtime({.events = 256});

            struct World {
                std::vector<u64> numbers;  // not atomic: the events must order the writers
                u64 rounds;
            } world{.numbers = {}, .rounds = 200};

            // Round by round: a child of one stream waits for the last child of the other.
            const auto parent = [](TaskContext& task, void* context) {
                if (task.open_group() != Refusal::None) {
                    return Outcome::NeedsRoom;
                }
                if (task.state()[1]++ == 0) {
                    static_cast<void>(task.create_stream());
                    static_cast<void>(task.create_stream());
                }
                World& own = *static_cast<World*>(context);
                EventId last{};
                for (u64 round = 0; round < own.rounds; ++round) {
                    const StreamIndex stream{static_cast<u32>(round % 2)};
                    const OpenedEvent next = task.open_event(stream);
                    REQUIRE(next.is_open());
                    const TaskDescriptor child{
                        .program =
                            [](TaskContext& writer, void* words) {
                                static_cast<World*>(words)->numbers.push_back(
                                    writer.arguments()[0]);
                                return Outcome::Done;
                            },
                        .context = context,
                        .arguments = {round}};
                    CHECK(task.launch(stream, child, {.waits_for = last, .signals = next.event})
                              .is_accepted());
                    last = next.event;
                }
                return Outcome::Done;
            };
            CHECK(runtime.submit(runtime.create_stream(), {.program = parent, .context = &world})
                      .is_accepted());
            toy::run_with(runtime, threads);
            CHECK(world.numbers.size() == world.rounds);
            for (u64 round = 0; round < world.numbers.size(); ++round) {
                CHECK(world.numbers[round] == round);
            }
        }
    }
}

}  // namespace weft::task
