// bench_task.cpp — what the order of tasks costs: nanoseconds per launch and completion of a task
// that does nothing, and per join, beside oneTBB's task_group.
//
// One parent launches rounds of children and joins them. Ours keeps streams in order, priorities
// and slots; a task_group only runs what it is given. Prints one JSON line each with the fastest,
// median and slowest of the repeats, load and twin in turn: wall time, and the time of all
// processors, which other programs on the machine disturb less.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "scheduler/task/task_context.h"
#include "scheduler/task/task_runtime.h"

namespace {

using weft::u32;
using weft::u64;
using namespace weft::task;

constexpr u32 kRepeats = 9;
constexpr u64 kTasks = 200'000;  // of each repeat

struct Load {
    const char* name;
    u64 children;  // of a round; after each round the parent joins
    u32 streams;
    u32 threads;
};

struct Bench {
    Load load;
    u64 rounds;
    std::atomic<u64> ran = 0;
};

Outcome run_child(TaskContext&, void* context) {
    static_cast<Bench*>(context)->ran.fetch_add(1, std::memory_order_relaxed);
    return Outcome::Done;
}

Outcome run_rounds(TaskContext& task, void* context) {
    const Bench& bench = *static_cast<Bench*>(context);
    if (task.state()[0]++ == bench.rounds) {
        return Outcome::Done;
    }
    if (task.open_group() != Refusal::None) {
        std::abort();
    }
    for (u64 child = 0; child < bench.load.children; ++child) {
        const StreamIndex stream{static_cast<u32>(child) % bench.load.streams};
        if (!task.launch(stream, {.program = run_child, .context = context}).is_accepted()) {
            std::abort();
        }
    }
    return Outcome::Join;
}

// Of one repeat.
struct Spent {
    double wall_ns;
    double processor_ns;
};

class Watch {
public:
    [[nodiscard]] Spent spent() const {
        const std::chrono::duration<double, std::nano> wall =
            std::chrono::steady_clock::now() - begin_;
        const double ticks = static_cast<double>(std::clock() - processor_begin_);
        return {.wall_ns = wall.count(), .processor_ns = ticks * 1e9 / CLOCKS_PER_SEC};
    }

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::clock_t processor_begin_ = std::clock();
};

Spent run_ours(Bench& bench) {
    TaskRuntime runtime({.tasks = 4096, .queues = 64});
    const auto work = [&runtime] {
        while (!runtime.is_idle()) {
            runtime.run_one();
        }
    };
    const Watch watch;
    if (!runtime.submit(runtime.create_stream(), {.program = run_rounds, .context = &bench})
             .is_accepted()) {
        std::abort();
    }
    std::vector<std::jthread> others;
    for (u32 thread = 1; thread < bench.load.threads; ++thread) {
        others.emplace_back(work);
    }
    work();
    others.clear();
    return watch.spent();
}

Spent run_twin(Bench& bench) {
    tbb::task_arena arena(static_cast<int>(bench.load.threads));
    Spent spent{};
    arena.execute([&] {
        tbb::task_group group;
        const Watch watch;
        for (u64 round = 0; round < bench.rounds; ++round) {
            for (u64 child = 0; child < bench.load.children; ++child) {
                group.run([&bench] { bench.ran.fetch_add(1, std::memory_order_relaxed); });
            }
            group.wait();
        }
        spent = watch.spent();
    });
    return spent;
}

// Sorted: fastest, median, slowest.
std::vector<double> sorted(const std::vector<Spent>& spent, double Spent::*clock, double tasks) {
    std::vector<double> ns;
    for (const Spent& repeat : spent) {
        ns.push_back(repeat.*clock / tasks);
    }
    std::sort(ns.begin(), ns.end());
    return ns;
}

void print(const Load& load, const char* side, const std::vector<Spent>& spent, double tasks) {
    const std::vector<double> wall = sorted(spent, &Spent::wall_ns, tasks);
    const std::vector<double> processor = sorted(spent, &Spent::processor_ns, tasks);
    std::printf(
        "{\"load\": \"%s\", \"side\": \"%s\", \"children\": %llu, \"streams\": %u, \"threads\": "
        "%u, \"wall_ns_per_task\": [%.0f, %.0f, %.0f], \"processor_ns_per_task\": [%.0f, %.0f, "
        "%.0f]}\n",
        load.name,
        side,
        static_cast<unsigned long long>(load.children),
        load.streams,
        load.threads,
        wall.front(),
        wall[wall.size() / 2],
        wall.back(),
        processor.front(),
        processor[processor.size() / 2],
        processor.back());
}

void measure(const Load& load) {
    const u64 rounds = kTasks / load.children;
    const u64 tasks = rounds * load.children;
    std::vector<Spent> ours;
    std::vector<Spent> twin;
    for (u32 repeat = 0; repeat <= kRepeats; ++repeat) {
        Bench bench{.load = load, .rounds = rounds};
        const Spent of_ours = run_ours(bench);
        const Spent of_twin = run_twin(bench);
        if (bench.ran != 2 * tasks) {
            std::abort();
        }
        if (repeat > 0) {  // the first one warms up
            ours.push_back(of_ours);
            twin.push_back(of_twin);
        }
    }
    print(load, "ours", ours, static_cast<double>(tasks));
    print(load, "tbb", twin, static_cast<double>(tasks));
}

}  // namespace

// With an argument: only the load of that name.
int main(int count, char** arguments) {
    const Load loads[] = {
        {.name = "one stream", .children = 1000, .streams = 1, .threads = 1},
        {.name = "8 streams", .children = 1000, .streams = 8, .threads = 1},
        {.name = "64 streams", .children = 1000, .streams = 64, .threads = 1},
        {.name = "8 streams on 2 threads", .children = 1000, .streams = 8, .threads = 2},
        {.name = "join", .children = 1, .streams = 1, .threads = 1},
    };
    for (const Load& load : loads) {
        if (count < 2 || std::string(arguments[1]) == load.name) {
            measure(load);
        }
    }
}
