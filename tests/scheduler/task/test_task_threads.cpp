// test_task_threads.cpp — eviction and pending tasks while several threads run, submit and
// complete.
#include <array>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "tests/scheduler/task/toy_tasks.h"

namespace weft::task {

namespace {

constexpr u64 kMost = 5000;

// A task counts to kMost in state[0] and in a plain word of its own, with a safe point after each;
// the two differ if progress is lost or two threads run it at once. Half-way it submits its
// partner, which is more urgent.
struct alignas(64) Count {
    TaskRuntime* runtime = nullptr;
    Count* maybe_partner = nullptr;
    u64 word = 0;
    u64 mismatches = 0;
    bool is_over = false;
};

Outcome count_partner(TaskContext& task, void* context) {
    Count& count = *static_cast<Count*>(context);
    while (task.state()[0] < kMost) {
        ++task.state()[0];
        ++count.word;
        count.mismatches += u64{count.word != task.state()[0]};
        if (count.word == kMost / 2 && count.maybe_partner) {
            const TaskDescriptor partner{
                .program = count_partner, .context = count.maybe_partner, .priority = 3};
            CHECK(count.runtime->submit(count.runtime->create_stream(), partner).is_accepted());
        }
        if (task.should_stop()) {
            return Outcome::PutAside;
        }
    }
    count.is_over = true;
    return Outcome::Done;
}

// Pending tasks on their way to the thread that completes them; 0: none, else index + 1.
struct Mailbox {
    std::array<std::atomic<u64>, 8> place{};
    std::atomic<u64> posted = 0;

    static u64 packed(TaskId task) { return (u64{task.generation} << 32 | task.index) + 1; }

    static TaskId unpacked(u64 word) {
        return {.index = static_cast<u32>(word - 1),
                .generation = static_cast<u32>((word - 1) >> 32)};
    }
};

// Posts itself; each task needs one place, so there are no more running than places.
Outcome post(TaskContext& task, void* context) {
    Mailbox& mailbox = *static_cast<Mailbox*>(context);
    ++mailbox.posted;
    for (std::size_t place = 0;; place = (place + 1) % mailbox.place.size()) {
        u64 none = 0;
        if (mailbox.place[place].compare_exchange_strong(none, Mailbox::packed(task.id()))) {
            return Outcome::Pending;
        }
    }
}

// Completes what was posted: each task is put aside so often as its first state word says.
void complete_posted(TaskRuntime& runtime, Mailbox& mailbox) {
    for (std::atomic<u64>& place : mailbox.place) {
        const u64 word = place.exchange(0);
        if (word == 0) {
            continue;
        }
        const TaskId task = Mailbox::unpacked(word);
        u64& left = runtime.state(task)[0];
        const bool is_done = left == 0;
        left -= is_done ? 0 : 1;
        runtime.complete(task, is_done ? Outcome::Done : Outcome::PutAside);
    }
}

}  // namespace

TEST_SUITE("scheduler/task/threads") {
    TEST_CASE("N3 evicted tasks lose no progress while threads submit more urgent ones") {
        for (const u32 slots : {1u, 2u, 3u}) {
            TaskRuntime runtime({.queues = 64, .slots = slots, .urgent_slots = 0});
            std::vector<Count> counts(24);
            std::jthread host([&] {
                for (u32 number = 0; number < counts.size(); number += 2) {
                    counts[number].runtime = &runtime;
                    counts[number].maybe_partner = &counts[number + 1];
                    const TaskDescriptor task{.program = count_partner,
                                              .context = &counts[number],
                                              .priority = number % 3};
                    CHECK(runtime.submit(runtime.create_stream(), task).is_accepted());
                    std::this_thread::yield();
                }
            });
            const auto work = [&] {
                while (runtime.figures()[Figure::Completed] < counts.size()) {
                    if (!runtime.run_one()) {
                        std::this_thread::yield();
                    }
                }
            };
            std::jthread other(work);
            work();
            host.join();
            other.join();
            for (const Count& count : counts) {
                CHECK(count.word == kMost);
                CHECK(count.mismatches == 0);
                CHECK(count.is_over);
            }
            CHECK(runtime.is_idle());
            const u64 evicted = runtime.figures()[Figure::Evicted];
            CHECK(evicted <= runtime.figures()[Figure::StopsAsked]);
            // With one slot each partner finds the one that submitted it there.
            CHECK((slots > 1 || evicted >= counts.size() / 2));
        }
    }

    TEST_CASE("pending tasks completed by another thread run as often as they were put aside") {
        TaskRuntime runtime({.slots = 8});
        Mailbox mailbox;
        constexpr u64 kTasks = 64;
        for (u64 number = 0; number < kTasks; ++number) {
            const TaskDescriptor task{.program = post, .context = &mailbox, .state = {number % 5}};
            CHECK(runtime.submit(StreamIndex{static_cast<u32>(number % 6)}, task).is_accepted());
        }
        std::jthread completer([&] {
            while (!runtime.is_idle()) {
                complete_posted(runtime, mailbox);
                std::this_thread::yield();
            }
        });
        toy::run_with(runtime, 3);
        completer.join();
        u64 calls = 0;
        for (u64 number = 0; number < kTasks; ++number) {
            calls += 1 + number % 5;
        }
        CHECK(mailbox.posted == calls);
        CHECK(runtime.figures()[Figure::Calls] == calls);
        CHECK(runtime.figures()[Figure::Completed] == kTasks);
    }
}

}  // namespace weft::task
