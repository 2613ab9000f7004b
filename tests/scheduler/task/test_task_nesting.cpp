// test_task_nesting.cpp — tasks that launch tasks: groups, joins, depth, back-pressure, a host that
// stalls.
#include <array>
#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "tests/scheduler/task/toy_tasks.h"

namespace weft::task {

namespace {

using toy::drain;
using toy::Log;
using toy::noting;
using toy::run_with;

// A chain arguments[0] levels deep. Each level adds one to what its child found; the result goes
// to the word at arguments[1].
Outcome descend(TaskContext& task, void*) {
    u64& result = *reinterpret_cast<u64*>(task.arguments()[1]);
    if (task.arguments()[0] == 0) {
        result = 1;
        return Outcome::Done;
    }
    if (task.state()[0] == 0) {
        CHECK(task.open_group() == Refusal::None);
        const TaskDescriptor child{.program = descend,
                                   .arguments = {task.arguments()[0] - 1, task.arguments()[1]}};
        CHECK(task.launch(task.create_stream(), child).is_accepted());
        task.state()[0] = 1;
        return Outcome::Join;
    }
    ++result;
    return Outcome::Done;
}

// A tree: arguments[0] levels below, arguments[1] children each. Leaves are counted.
struct Tree {
    std::atomic<u64> leaves = 0;
    std::atomic<u64> joined_early = 0;  // parents called again before their leaves were counted
    bool is_joined = true;
};

struct Branch {
    u64 below;
    u64 width;
};

u64 leaves_of(Branch branch) {
    u64 leaves = 1;
    for (u64 level = 0; level < branch.below; ++level) {
        leaves *= branch.width;
    }
    return leaves;
}

// state[0]: children launched so far.
Outcome grow(TaskContext& task, void* context) {
    Tree& tree = *static_cast<Tree*>(context);
    const Branch branch{.below = task.arguments()[0], .width = task.arguments()[1]};
    if (branch.below == 0) {
        tree.leaves.fetch_add(1, std::memory_order_relaxed);
        return Outcome::Done;
    }
    if (task.open_group() != Refusal::None) {
        return Outcome::NeedsRoom;
    }
    const TaskDescriptor child{
        .program = grow, .context = context, .arguments = {branch.below - 1, branch.width}};
    for (u64& launched = task.state()[0]; launched < branch.width; ++launched) {
        if (!task.launch(task.create_stream(), child).is_accepted()) {
            return Outcome::NeedsRoom;
        }
    }
    if (tree.is_joined && task.state()[1] == 0) {
        task.state()[1] = 1;
        return Outcome::Join;
    }
    if (tree.is_joined && tree.leaves.load(std::memory_order_relaxed) < leaves_of(branch)) {
        tree.joined_early.fetch_add(1, std::memory_order_relaxed);
    }
    return Outcome::Done;
}

TaskDescriptor trunk(Tree& tree, Branch branch) {
    return {.program = grow, .context = &tree, .arguments = {branch.below, branch.width}};
}

// Waves of one stream, each of which launches the next, and a parent that joins them.
struct Chain {
    Log log;
    StreamIndex stream;
    u64 waves;
};

Outcome run_wave(TaskContext& task, void* context) {
    Chain& chain = *static_cast<Chain*>(context);
    chain.log.push_back(task.arguments()[0]);
    const TaskDescriptor next{
        .program = run_wave, .context = context, .arguments = {task.arguments()[0] + 1}};
    if (next.arguments[0] < chain.waves) {
        CHECK(task.launch_beside(chain.stream, next).is_accepted());
    }
    return Outcome::Done;
}

Outcome start_chain(TaskContext& task, void* context) {
    Chain& chain = *static_cast<Chain*>(context);
    if (task.state()[0]++ > 0) {
        chain.log.push_back(100);
        return Outcome::Done;
    }
    CHECK(task.open_group() == Refusal::None);
    chain.stream = task.create_stream();
    CHECK(task.launch(chain.stream, {.program = run_wave, .context = context}).is_accepted());
    return Outcome::Join;
}

}  // namespace

TEST_SUITE("scheduler/task/nesting") {
    TEST_CASE("N4 children are launched by running tasks while the host does nothing") {
        TaskRuntime runtime({.host_slots = 1});
        Tree tree;
        CHECK(runtime.submit(runtime.create_stream(), trunk(tree, {3, 4})).is_accepted());
        CHECK(!runtime.reserve().is_held());  // there is no host slot left
        drain(runtime);
        CHECK(tree.leaves == 64);
        CHECK(runtime.figures()[Figure::Launched] == 1 + 4 + 16 + 64);
        CHECK(runtime.reserve().is_held());
    }

    TEST_CASE(
        "N5 N6 a task is complete only when its whole subtree is and its successor waits for "
        "that without a join") {
        TaskRuntime runtime({});
        Tree tree;
        tree.is_joined = false;

        struct World {
            Tree* tree;
            u64 seen;
        } world{.tree = &tree, .seen = 0};

        const auto look = [](TaskContext&, void* context) {
            World& own = *static_cast<World*>(context);
            own.seen = own.tree->leaves.load();
            return Outcome::Done;
        };
        const StreamIndex stream = runtime.create_stream();
        const Launched first = runtime.submit(stream, trunk(tree, {3, 5}));
        CHECK(runtime.submit(stream, {.program = look, .context = &world, .priority = 3})
                  .is_accepted());
        CHECK(runtime.run_one());
        CHECK(!runtime.is_complete(first.task));
        drain(runtime);
        CHECK(runtime.is_complete(first.task));
        CHECK(world.seen == 125);
        CHECK(runtime.is_idle());
    }

    TEST_CASE("N6 queues of different groups are different queues") {
        TaskRuntime runtime({.queues = 1});
        Tree tree;
        CHECK(runtime.submit(runtime.create_stream(), trunk(tree, {4, 2})).is_accepted());
        drain(runtime);
        CHECK(tree.leaves == 16);
        CHECK(tree.joined_early == 0);
    }

    TEST_CASE("N6 a group deeper than the levels is refused") {
        TaskRuntime runtime({.levels = 2});
        Log log;
        const auto open = [](TaskContext& task, void* context) {
            Log& own = *static_cast<Log*>(context);
            const Refusal refusal = task.open_group();
            own.push_back(static_cast<u64>(refusal));
            if (refusal == Refusal::None) {
                const TaskDescriptor child{
                    .program =
                        [](TaskContext& inner, void* inner_context) {
                            static_cast<Log*>(inner_context)
                                ->push_back(static_cast<u64>(inner.open_group()));
                            return Outcome::Done;
                        },
                    .context = context};
                CHECK(task.launch(task.create_stream(), child).is_accepted());
            }
            return Outcome::Done;
        };
        CHECK(runtime.submit(runtime.create_stream(), {.program = open, .context = &log})
                  .is_accepted());
        drain(runtime);
        CHECK(log == Log{0, static_cast<u64>(Refusal::TooDeep)});
        CHECK(runtime.figures()[Figure::RefusedTooDeep] == 1);
    }

    TEST_CASE("N11 a join holds no worker and the parent goes on after its children") {
        for (const u32 threads : {1u, 2u, 4u}) {
            TaskRuntime runtime({.tasks = 4096, .groups = 512, .slots = 1, .urgent_slots = 0});
            Tree tree;
            CHECK(runtime.submit(runtime.create_stream(), trunk(tree, {5, 3})).is_accepted());
            run_with(runtime, threads);
            CHECK(tree.leaves == 243);
            CHECK(tree.joined_early == 0);
            CHECK(runtime.figures()[Figure::Joins] == 1 + 3 + 9 + 27 + 81);
            CHECK(runtime.free_tasks() == 4096);
            CHECK(runtime.free_groups() == 512);
        }
    }

    TEST_CASE("N11 a join without children goes on at once") {
        TaskRuntime runtime({});
        const auto join = [](TaskContext& task, void*) {
            CHECK(task.open_group() == Refusal::None);
            return ++task.state()[0] < 4 ? Outcome::Join : Outcome::Done;
        };
        CHECK(runtime.submit(runtime.create_stream(), {.program = join}).is_accepted());
        CHECK(drain(runtime) == 4);
        CHECK(runtime.is_idle());
    }

    TEST_CASE(
        "N11 a thousand levels on one worker do not deadlock and leave the stack where it "
        "was") {
        TaskRuntime runtime({.tasks = 1200,
                             .levels = 1001,
                             .groups = 1100,
                             .queues = 1,
                             .slots = 1,
                             .urgent_tasks = 0,
                             .urgent_groups = 0,
                             .urgent_slots = 0});
        u64 result = 0;
        const auto submit = [&](u64 depth) {
            const TaskDescriptor chain{.program = descend,
                                       .arguments = {depth, reinterpret_cast<u64>(&result)}};
            CHECK(runtime.submit(runtime.create_stream(), chain).is_accepted());
            drain(runtime);
            CHECK(result == depth + 1);
        };
        submit(3);
        const u64 shallow = runtime.figures().stack_bytes;
        CHECK(shallow > 0);
        submit(1000);
        CHECK(runtime.figures().stack_bytes == shallow);
        CHECK(runtime.is_idle());
    }

    TEST_CASE("N12 what a child writes is seen by its parent after the join") {
        for (const u32 threads : {2u, 4u}) {
            TaskRuntime runtime({});

            struct World {
                std::array<u64, 64> written{};  // not atomic: the thread sanitizer looks on
                u64 sum = 0;
            } world;

            const auto parent = [](TaskContext& task, void* context) {
                World& own = *static_cast<World*>(context);
                if (task.state()[0]++ == 0) {
                    CHECK(task.open_group() == Refusal::None);
                    for (u64 child = 0; child < own.written.size(); ++child) {
                        const TaskDescriptor write{
                            .program =
                                [](TaskContext& writer, void* words) {
                                    const u64 place = writer.arguments()[0];
                                    static_cast<World*>(words)->written[place] = place + 1;
                                    return Outcome::Done;
                                },
                            .context = context,
                            .arguments = {child}};
                        CHECK(task.launch(task.create_stream(), write).is_accepted());
                    }
                    return Outcome::Join;
                }
                for (const u64 word : own.written) {
                    own.sum += word;
                }
                return Outcome::Done;
            };
            CHECK(runtime.submit(runtime.create_stream(), {.program = parent, .context = &world})
                      .is_accepted());
            run_with(runtime, threads);
            CHECK(world.sum == 64 * 65 / 2);
        }
    }

    TEST_CASE("N13 tasks launch while the host stalls with every submission slot in its hands") {
        for (const u32 tasks : {16u, 24u, 200u}) {
            TaskRuntime runtime({.tasks = tasks,
                                 .levels = 5,
                                 .groups = 8,
                                 .host_slots = tasks - 1,
                                 .urgent_tasks = 0,
                                 .urgent_groups = 0});
            Tree tree;
            CHECK(runtime.submit(runtime.create_stream(), trunk(tree, {4, 3})).is_accepted());
            std::latch has_all{1};
            std::latch may_go_on{1};
            std::jthread host([&] {
                std::vector<HostSlot> held;
                for (HostSlot slot = runtime.reserve(); slot.is_held(); slot = runtime.reserve()) {
                    held.push_back(slot);
                }
                has_all.count_down();
                may_go_on.wait();  // stalled
                for (const HostSlot slot : held) {
                    runtime.give_back(slot);
                }
            });
            has_all.wait();
            CHECK(!runtime.submit(runtime.create_stream(), toy::idle()).is_accepted());
            run_with(runtime, 2);
            CHECK(tree.leaves == 81);
            CHECK(runtime.free_tasks() < tasks);
            may_go_on.count_down();
            host.join();
            CHECK(runtime.free_tasks() == tasks);
        }
    }

    TEST_CASE("N4 N13 threads launch for a pending task while the host holds every slot") {
        TaskRuntime runtime({.tasks = 512, .host_slots = 2});
        TaskId root{};
        const auto open = [](TaskContext& task, void* context) {
            *static_cast<TaskId*>(context) = task.id();
            CHECK(task.open_group() == Refusal::None);
            return Outcome::Pending;
        };
        CHECK(runtime.submit(runtime.create_stream(), {.program = open, .context = &root})
                  .is_accepted());
        CHECK(runtime.run_one());
        const HostSlot held = runtime.reserve();
        CHECK(held.is_held());
        CHECK(!runtime.reserve().is_held());
        // Several threads launch into one group, and one task waits for an event that they end.
        std::atomic<u64> calls = 0;
        const auto count = [](TaskContext&, void* context) {
            static_cast<std::atomic<u64>*>(context)->fetch_add(1);
            return Outcome::Done;
        };
        const TaskDescriptor counted{.program = count, .context = &calls};
        const OpenedEvent all = runtime.open_event(root, StreamIndex{7});
        REQUIRE(all.is_open());
        CHECK(
            runtime.launch(root, StreamIndex{6}, counted, {.waits_for = all.event}).is_accepted());
        std::vector<std::jthread> threads;
        for (u32 thread = 0; thread < 3; ++thread) {
            threads.emplace_back([&runtime, &counted, root, thread] {
                for (u32 k = 0; k < 100; ++k) {
                    CHECK(runtime.launch(root, StreamIndex{thread}, counted).is_accepted());
                    (void)runtime.run_one();
                }
            });
        }
        threads.clear();
        drain(runtime);
        CHECK(calls == 300);
        runtime.close_event(root, all.event);
        drain(runtime);
        CHECK(calls == 301);
        CHECK(!runtime.is_idle());
        runtime.complete(root);
        runtime.give_back(held);
        CHECK(runtime.is_idle());
        CHECK(runtime.free_tasks() == 512);
    }

    TEST_CASE("a launch for a pending task beyond the room is refused and succeeds later") {
        TaskRuntime runtime({.tasks = 12,
                             .levels = 2,
                             .groups = 2,
                             .host_slots = 1,
                             .urgent_tasks = 0,
                             .urgent_groups = 0});
        TaskId root{};
        const auto open = [](TaskContext& task, void* context) {
            *static_cast<TaskId*>(context) = task.id();
            CHECK(task.open_group() == Refusal::None);
            return Outcome::Pending;
        };
        CHECK(runtime.submit(runtime.create_stream(), {.program = open, .context = &root})
                  .is_accepted());
        CHECK(runtime.run_one());
        u32 launched = 0;
        while (runtime.launch(root, StreamIndex{0}, toy::idle()).is_accepted()) {
            ++launched;
        }
        CHECK(launched == 11);
        CHECK(!runtime.open_event(root, StreamIndex{1}).is_open());
        CHECK(drain(runtime) == 11);
        CHECK(runtime.launch(root, StreamIndex{0}, toy::idle()).is_accepted());
        CHECK(drain(runtime) == 1);
        runtime.complete(root);
        CHECK(runtime.is_idle());
    }

    TEST_CASE(
        "launchers that are refused for room wait and all of a large tree is grown in the "
        "smallest pools") {
        for (const u32 threads : {1u, 3u}) {
            for (const u32 spare : {0u, 1u, 7u}) {
                TaskRuntime runtime({.tasks = 6 + spare,
                                     .levels = 6,
                                     .groups = 5 + spare,
                                     .queues = 2,
                                     .host_slots = 1,
                                     .urgent_tasks = 0,
                                     .urgent_groups = 0});
                Tree tree;
                CHECK(runtime.submit(runtime.create_stream(), trunk(tree, {5, 4})).is_accepted());
                run_with(runtime, threads);
                REQUIRE(runtime.is_idle());
                CHECK(tree.leaves == 1024);
                CHECK(tree.joined_early == 0);
                CHECK(runtime.figures()[Figure::NeededRoom] > 0);
                CHECK(runtime.free_tasks() == 6 + spare);
                CHECK(runtime.free_groups() == 5 + spare);
            }
        }
    }

    TEST_CASE("room that comes back between a refusal and the wait for it is not missed") {
        TaskRuntime runtime({.tasks = 3, .levels = 2, .host_slots = 3, .urgent_tasks = 0});
        HostSlot slot = runtime.reserve();
        CHECK(slot.is_held());
        const auto refused_at_first = [](TaskContext& task, void* context) {
            HostSlot& held = *static_cast<HostSlot*>(context);
            const Launched launched = task.launch_beside(StreamIndex{1}, toy::idle());
            CHECK(launched.is_accepted() == !held.is_held());
            if (held.is_held()) {
                task.runtime().give_back(held);
                held = {};
                return Outcome::NeedsRoom;
            }
            return Outcome::Done;
        };
        CHECK(runtime.submit(StreamIndex{0}, {.program = refused_at_first, .context = &slot})
                  .is_accepted());
        CHECK(drain(runtime) == 3);
        CHECK(runtime.is_idle());
        CHECK(runtime.figures()[Figure::NeededRoom] == 1);
    }

    TEST_CASE("the highest priority launches where all others are refused") {
        TaskRuntime runtime(
            {.tasks = 12, .levels = 2, .queues = 16, .host_slots = 12, .urgent_tasks = 4});
        Log log;
        u32 accepted = 0;
        while (runtime.submit(runtime.create_stream(), noting(log, 0)).is_accepted()) {
            ++accepted;
        }
        CHECK(accepted == 7);  // one of the shared ones is kept for the deeper level
        CHECK(runtime.submit(runtime.create_stream(), noting(log, 1, 3)).is_accepted());
        CHECK(runtime.figures()[Figure::RefusedNoRoom] == 1);
        drain(runtime);
        CHECK(log == Log{1, 0, 0, 0, 0, 0, 0, 0});
    }

    TEST_CASE("a task may launch beside itself and its group waits for that as well") {
        TaskRuntime runtime({});

        Chain chain{.log = {}, .stream = {}, .waves = 5};
        CHECK(runtime.submit(runtime.create_stream(), {.program = start_chain, .context = &chain})
                  .is_accepted());
        drain(runtime);
        CHECK(chain.log == Log{0, 1, 2, 3, 4, 100});
    }
}

}  // namespace weft::task
