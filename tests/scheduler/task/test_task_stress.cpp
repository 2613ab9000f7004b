// test_task_stress.cpp — many tasks over 1, 2, 8 and 64 streams, launched by tasks and by host
// threads, on several threads. WEFT_STRESS_TASKS says how many.
//
// Each stream owns a plain word that its tasks count up: were two of them to overlap, or one not to
// see the other, the numbers would be wrong, and the thread sanitizer would say so.
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "tests/scheduler/task/toy_tasks.h"

namespace weft::task {

namespace {

constexpr u64 kTasks = WEFT_STRESS_TASKS;
constexpr std::array<u32, 4> kStreamCounts = {1, 2, 8, 64};
constexpr u32 kLaunchers = 3;

struct alignas(64) StreamWord {
    u64 done = 0;                        // tasks of the stream so far
    u64 disorder = 0;                    // tasks that came at another place than they were launched
    std::array<u64, kLaunchers> next{};  // where several launch into the stream: of each
};

struct Streams {
    explicit Streams(u32 count) : words(count) {}

    std::vector<StreamWord> words;
    std::atomic<u32> launchers_left = kLaunchers;
};

// arguments: stream, number within the stream.
Outcome count_one(TaskContext& task, void* context) {
    StreamWord& word = static_cast<Streams*>(context)->words[task.arguments()[0]];
    word.disorder += u64{word.done != task.arguments()[1]};
    ++word.done;
    return Outcome::Done;
}

// arguments: stream, launcher, number within what the launcher put into the stream.
Outcome count_one_of_launcher(TaskContext& task, void* context) {
    StreamWord& word = static_cast<Streams*>(context)->words[task.arguments()[0]];
    u64& next = word.next[task.arguments()[1]];
    word.disorder += u64{next != task.arguments()[2]};
    ++next;
    ++word.done;
    return Outcome::Done;
}

// Launches kTasks children over all streams, in turn; state[0] is how many it has launched.
Outcome launch_all(TaskContext& task, void* context) {
    if (task.open_group() != Refusal::None) {
        return Outcome::NeedsRoom;
    }
    const u64 streams = static_cast<Streams*>(context)->words.size();
    for (u64& launched = task.state()[0]; launched < kTasks; ++launched) {
        const u64 stream = launched % streams;
        const TaskDescriptor child{
            .program = count_one, .context = context, .arguments = {stream, launched / streams}};
        if (!task.launch(StreamIndex{static_cast<u32>(stream)}, child).is_accepted()) {
            return Outcome::NeedsRoom;
        }
    }
    return Outcome::Done;
}

// Host threads that submit while workers run.
void submit_from_threads(TaskRuntime& runtime, Streams& streams) {
    std::vector<std::jthread> launchers;
    for (u32 launcher = 0; launcher < kLaunchers; ++launcher) {
        launchers.emplace_back([&runtime, &streams, launcher] {
            const u64 count = streams.words.size();
            for (u64 number = 0; number < kTasks / kLaunchers; ++number) {
                const u64 stream = number % count;
                const TaskDescriptor task{.program = count_one_of_launcher,
                                          .context = &streams,
                                          .arguments = {stream, launcher, number / count}};
                while (!runtime.submit(StreamIndex{static_cast<u32>(stream)}, task).is_accepted()) {
                    std::this_thread::yield();
                }
            }
            --streams.launchers_left;
        });
    }
    const auto work = [&] {
        while (streams.launchers_left > 0 || !runtime.is_idle()) {
            if (!runtime.run_one()) {
                std::this_thread::yield();
            }
        }
    };
    std::jthread other(work);
    work();
}

void check(const Streams& streams, u64 tasks) {
    u64 done = 0;
    u64 disorder = 0;
    for (const StreamWord& word : streams.words) {
        done += word.done;
        disorder += word.disorder;
    }
    CHECK(done == tasks);
    CHECK(disorder == 0);
}

}  // namespace

TEST_SUITE("scheduler/task/stress") {
    TEST_CASE(
        "N5 N9 N10 tasks launched by a task run once and in order over 1 and 2 and 8 and 64 "
        "streams") {
        for (const u32 count : kStreamCounts) {
            TaskRuntime runtime({.tasks = 256, .levels = 2});
            Streams streams(count);
            const TaskDescriptor parent{.program = launch_all, .context = &streams};
            CHECK(runtime.submit(runtime.create_stream(), parent).is_accepted());
            toy::run_with(runtime, 4);
            check(streams, kTasks);
            CHECK(runtime.figures()[Figure::Completed] == kTasks + 1);
            CHECK(runtime.free_tasks() == 256);
        }
    }

    TEST_CASE(
        "N5 N9 N10 tasks submitted by three threads run once and in the order of each over 1 "
        "and 2 and 8 and 64 streams") {
        for (const u32 count : kStreamCounts) {
            TaskRuntime runtime({.tasks = 2048, .host_slots = 1024});
            Streams streams(count);
            submit_from_threads(runtime, streams);
            check(streams, kTasks / kLaunchers * kLaunchers);
            const TaskFigures figures = runtime.figures();
            CHECK(figures[Figure::Completed] == figures[Figure::Launched]);
            CHECK(figures[Figure::StartedFirst] + figures[Figure::StartedByMark] +
                      figures[Figure::StartedInTurn] ==
                  figures[Figure::Launched]);
            CHECK(runtime.free_tasks() == 2048);
        }
    }
}

}  // namespace weft::task
