// test_task_runtime.cpp — one level of tasks: descriptors, priorities, slots and eviction, streams,
// pending tasks.
#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "tests/scheduler/task/toy_tasks.h"

namespace weft::task {

namespace {

using toy::drain;
using toy::Log;
using toy::noting;

// Counts up to arguments[0] in state[0], a safe point after each, and notes each count plus
// arguments[1].
Outcome count_up(TaskContext& task, void* context) {
    while (task.state()[0] < task.arguments()[0]) {
        ++task.state()[0];
        static_cast<Log*>(context)->push_back(task.arguments()[1] + task.state()[0]);
        if (task.should_stop()) {
            return Outcome::PutAside;
        }
    }
    return Outcome::Done;
}

// Lets its equals go first after every count.
Outcome count_in_turns(TaskContext& task, void* context) {
    ++task.state()[0];
    static_cast<Log*>(context)->push_back(task.arguments()[1] + task.state()[0]);
    return task.state()[0] < task.arguments()[0] ? Outcome::PutAside : Outcome::Done;
}

// A count that submits a task of high priority on the way.
struct Interrupted {
    TaskRuntime* runtime;
    Log log;
    u32 urgent_priority;
};

Outcome count_up_interrupted(TaskContext& task, void* context) {
    Interrupted& world = *static_cast<Interrupted*>(context);
    while (task.state()[0] < 6) {
        world.log.push_back(++task.state()[0]);
        if (task.state()[0] == 3) {
            const TaskDescriptor urgent = noting(world.log, 100, world.urgent_priority);
            CHECK(world.runtime->submit(world.runtime->create_stream(), urgent).is_accepted());
        }
        if (task.should_stop()) {
            return Outcome::PutAside;
        }
    }
    return Outcome::Done;
}

}  // namespace

TEST_SUITE("scheduler/task/task_runtime") {
    TEST_CASE("N1 a descriptor is a record of fixed size that arrives as it was launched") {
        CHECK(sizeof(TaskDescriptor) == 104);
        CHECK(std::is_trivially_copyable_v<TaskDescriptor>);
        TaskRuntime runtime({});
        Log log;
        const auto check = [](TaskContext& task, void* context) {
            const u64 sum = task.arguments()[0] + task.arguments()[5] + task.state()[0];
            static_cast<Log*>(context)->push_back(sum * 10 + task.priority());
            return Outcome::Done;
        };
        const TaskDescriptor task{.program = check,
                                  .context = &log,
                                  .arguments = {1, 0, 0, 0, 0, 20},
                                  .state = {300},
                                  .priority = 2};
        CHECK(runtime.submit(runtime.create_stream(), task).is_accepted());
        CHECK(drain(runtime) == 1);
        CHECK(log == Log{3212});
    }

    TEST_CASE("N2 tasks run by priority and equals in the order in which they came") {
        TaskRuntime runtime({});
        Log log;
        for (const u32 priority : {1u, 3u, 0u, 3u, 1u}) {
            CHECK(runtime.submit(runtime.create_stream(), noting(log, priority, priority))
                      .is_accepted());
        }
        drain(runtime);
        CHECK(log == Log{3, 3, 1, 1, 0});
    }

    TEST_CASE("N2 equals that are put aside take turns") {
        TaskRuntime runtime({});
        Log log;
        for (u64 number = 0; number < 3; ++number) {
            const TaskDescriptor task{
                .program = count_in_turns, .context = &log, .arguments = {3, 10 * number}};
            CHECK(runtime.submit(runtime.create_stream(), task).is_accepted());
        }
        drain(runtime);
        CHECK(log == Log{1, 11, 21, 2, 12, 22, 3, 13, 23});
    }

    TEST_CASE(
        "N3 a waiting task of higher priority evicts the running one which resumes where it "
        "was before its equals") {
        TaskRuntime runtime({.slots = 1, .urgent_slots = 0});
        Interrupted world{.runtime = &runtime, .log = {}, .urgent_priority = 1};
        const TaskDescriptor task{.program = count_up_interrupted, .context = &world};
        CHECK(runtime.submit(runtime.create_stream(), task).is_accepted());
        CHECK(runtime.submit(runtime.create_stream(), noting(world.log, 50)).is_accepted());
        drain(runtime);
        CHECK(world.log == Log{1, 2, 3, 100, 4, 5, 6, 50});
        CHECK(runtime.figures()[Figure::Evicted] == 1);
        CHECK(runtime.figures()[Figure::StopsAsked] == 1);
        CHECK(runtime.is_idle());
    }

    TEST_CASE("N3 a task of equal priority evicts none and a free slot makes eviction needless") {
        for (const bool is_slot_free : {false, true}) {
            TaskRuntime runtime({.slots = is_slot_free ? 2u : 1u, .urgent_slots = 0});
            Interrupted world{.runtime = &runtime, .log = {}, .urgent_priority = is_slot_free};
            const TaskDescriptor task{.program = count_up_interrupted, .context = &world};
            CHECK(runtime.submit(runtime.create_stream(), task).is_accepted());
            drain(runtime);
            CHECK(world.log == Log{1, 2, 3, 4, 5, 6, 100});
            CHECK(runtime.figures()[Figure::StopsAsked] == 0);
        }
    }

    TEST_CASE("N3 the lowest running tasks are asked to stop and no more of them than wait above") {
        TaskRuntime runtime({.slots = 3, .urgent_slots = 0});
        std::vector<TaskId> pending;
        const auto wait = [](TaskContext& task, void* context) {
            static_cast<std::vector<TaskId>*>(context)->push_back(task.id());
            return Outcome::Pending;
        };
        for (const u32 priority : {2u, 0u, 1u}) {
            const TaskDescriptor task{.program = wait, .context = &pending, .priority = priority};
            CHECK(runtime.submit(runtime.create_stream(), task).is_accepted());
            CHECK(drain(runtime) == 1);
        }
        Log log;
        CHECK(runtime.submit(runtime.create_stream(), noting(log, 1, 2)).is_accepted());
        CHECK(!runtime.should_stop(pending[0]));
        CHECK(runtime.should_stop(pending[1]));
        CHECK(!runtime.should_stop(pending[2]));
        CHECK(runtime.submit(runtime.create_stream(), noting(log, 2, 3)).is_accepted());
        CHECK(!runtime.should_stop(pending[0]));
        CHECK(runtime.should_stop(pending[2]));
        CHECK(!runtime.run_one());
        runtime.complete(pending[1], Outcome::PutAside);
        CHECK(drain(runtime) == 3);
        CHECK(log == Log{2, 1});
        CHECK(pending.size() == 4);
        for (const u32 task : {0u, 2u, 3u}) {
            runtime.complete(pending[task]);
        }
        CHECK(runtime.is_idle());
    }

    TEST_CASE("N3 the highest priority finds a slot kept for it") {
        TaskRuntime runtime({.slots = 3, .urgent_slots = 1});
        std::vector<TaskId> pending;
        const auto wait = [](TaskContext& task, void* context) {
            static_cast<std::vector<TaskId>*>(context)->push_back(task.id());
            return Outcome::Pending;
        };
        for (u32 count = 0; count < 3; ++count) {
            const TaskDescriptor task{.program = wait, .context = &pending};
            CHECK(runtime.submit(runtime.create_stream(), task).is_accepted());
        }
        CHECK(drain(runtime) == 2);
        Log log;
        CHECK(runtime.submit(runtime.create_stream(), noting(log, 1, 3)).is_accepted());
        CHECK(drain(runtime) == 1);
        CHECK(log == Log{1});
        CHECK(!runtime.should_stop(pending[0]));
        for (u32 count = 0; count < 3; ++count) {
            runtime.complete(pending[count]);
            drain(runtime);
        }
        CHECK(runtime.is_idle());
    }

    TEST_CASE(
        "a pending task ends once and by the second of its program and its "
        "completion") {
        TaskRuntime runtime({});

        struct World {
            TaskRuntime* runtime;
            TaskId task;
        } world{.runtime = &runtime, .task = {}};

        const auto complete_early = [](TaskContext& task, void* context) {
            World& own = *static_cast<World*>(context);
            own.task = task.id();
            if (task.arguments()[0] == 1) {
                own.runtime->complete(task.id());
                CHECK(!own.runtime->is_complete(task.id()));
            }
            return Outcome::Pending;
        };
        const StreamIndex stream = runtime.create_stream();
        for (const u64 is_early : {1u, 0u}) {
            const TaskDescriptor task{
                .program = complete_early, .context = &world, .arguments = {is_early}};
            CHECK(runtime.submit(stream, task).is_accepted());
            CHECK(drain(runtime) == 1);
            if (is_early == 0) {
                CHECK(!runtime.is_complete(world.task));
                CHECK(!runtime.is_idle());
                runtime.complete(world.task);
            }
            CHECK(runtime.is_complete(world.task));
            CHECK(runtime.is_idle());
        }
    }

    TEST_CASE("N3 a pending task that is put aside is called again with its progress") {
        TaskRuntime runtime({});
        Log log;
        const auto step = [](TaskContext& task, void* context) {
            static_cast<Log*>(context)->push_back(task.state()[0]);
            *static_cast<TaskId*>(task.caller()) = task.id();
            return Outcome::Pending;
        };
        CHECK(runtime.submit(runtime.create_stream(), {.program = step, .context = &log})
                  .is_accepted());
        for (u64 part = 0; part < 3; ++part) {
            TaskId task;
            CHECK(runtime.run_one(&task));
            CHECK(!runtime.run_one(&task));
            runtime.state(task)[0] = part + 5;
            runtime.complete(task, part == 2 ? Outcome::Done : Outcome::PutAside);
        }
        CHECK(log == Log{0, 5, 6});
        CHECK(runtime.is_idle());
    }

    TEST_CASE("N5 a task of a stream starts after its predecessor and other streams do not wait") {
        TaskRuntime runtime({});
        TaskId held;
        Log log;
        const auto hold = [](TaskContext& task, void* context) {
            *static_cast<TaskId*>(context) = task.id();
            return Outcome::Pending;
        };
        const StreamIndex first = runtime.create_stream();
        const StreamIndex second = runtime.create_stream();
        CHECK(runtime.submit(first, {.program = hold, .context = &held}).is_accepted());
        CHECK(runtime.submit(first, noting(log, 1, 3)).is_accepted());
        CHECK(runtime.submit(first, noting(log, 2, 3)).is_accepted());
        CHECK(runtime.submit(second, noting(log, 3)).is_accepted());
        drain(runtime);
        CHECK(log == Log{3});
        runtime.complete(held);
        drain(runtime);
        CHECK(log == Log{3, 1, 2});
    }

    TEST_CASE("N7 creating a stream takes an index and no room") {
        TaskRuntime runtime({.queues = 2});
        const u32 before = runtime.free_tasks();
        for (u32 stream = 0; stream < 100000; ++stream) {
            CHECK(static_cast<u32>(runtime.create_stream()) == stream);
        }
        CHECK(runtime.free_tasks() == before);
        CHECK(runtime.is_idle());
    }

    TEST_CASE("N8 more streams than queues keep the order inside each stream") {
        TaskRuntime runtime({.queues = 3});
        Log log;
        for (u64 task = 0; task < 60; ++task) {
            CHECK(runtime.submit(StreamIndex{static_cast<u32>(task % 10)}, noting(log, task))
                      .is_accepted());
        }
        drain(runtime);
        CHECK(log.size() == 60);
        std::array<u64, 10> next{};
        for (const u64 task : log) {
            CHECK(task / 10 == next[task % 10]++);
        }
    }

    TEST_CASE("the callback reports every task that may run") {
        u32 calls = 0;
        TaskRuntime runtime({.slots = 1,
                             .urgent_slots = 0,
                             .on_ready = [](void* context) { ++*static_cast<u32*>(context); },
                             .on_ready_context = &calls});
        TaskId held;
        const auto hold = [](TaskContext& task, void* context) {
            *static_cast<TaskId*>(context) = task.id();
            return Outcome::Pending;
        };
        const StreamIndex stream = runtime.create_stream();
        CHECK(runtime.submit(stream, {.program = hold, .context = &held}).is_accepted());
        CHECK(calls == 1);
        drain(runtime);
        CHECK(runtime.submit(runtime.create_stream(), toy::idle()).is_accepted());
        CHECK(calls == 2);
        CHECK(!runtime.run_one());
        runtime.complete(held);
        CHECK(calls == 3);
        CHECK(drain(runtime) == 1);
    }

    TEST_CASE("N2 a task with a head insertion runs before its equals") {
        TaskRuntime runtime({});
        Log log;
        CHECK(runtime.submit(runtime.create_stream(), noting(log, 1)).is_accepted());
        TaskDescriptor first = noting(log, 2);
        first.insertion = Insertion::Head;
        CHECK(runtime.submit(runtime.create_stream(), first).is_accepted());
        drain(runtime);
        CHECK(log == Log{2, 1});
    }

    TEST_CASE("N3 progress is kept however often a task is evicted") {
        TaskRuntime runtime({.slots = 1, .urgent_slots = 0});
        Log log;
        const TaskDescriptor slow{.program = count_up, .context = &log, .arguments = {5, 0}};
        CHECK(runtime.submit(runtime.create_stream(), slow).is_accepted());

        struct Pest {
            TaskRuntime* runtime;
            u32 left;
        } pest{.runtime = &runtime, .left = 4};

        // Each run waits for the low task to run once, then is in its way again.
        const auto pester = [](TaskContext&, void* context) {
            Pest& own = *static_cast<Pest*>(context);
            return --own.left > 0 ? Outcome::PutAside : Outcome::Done;
        };
        CHECK(runtime
                  .submit(runtime.create_stream(),
                          {.program = pester, .context = &pest, .priority = 1})
                  .is_accepted());
        drain(runtime);
        CHECK(log == Log{1, 2, 3, 4, 5});
        CHECK(pest.left == 0);
    }
}

}  // namespace weft::task
