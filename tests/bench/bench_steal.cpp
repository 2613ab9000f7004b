// bench_steal.cpp — our workers and their doorbells against a loop and against oneTBB: the same
// sums, over numbers that cost the same, over numbers of which a few cost most, and over a tree so
// uneven that it is deep. Then what each step costs by itself.
//
// Every way computes every repeat, one after the other, so that they see the same machine; answers
// are compared. Prints a table: median [fastest .. slowest]. Usage: bench_steal [threads [numbers]]
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

#include "scheduler/base/clock.h"
#include "scheduler/unit/emulated_gpu.h"
#include "scheduler/unit/steal_deque.h"
#include "scheduler/unit/work_runner.h"

namespace {

using weft::u32;
using weft::u64;
using namespace weft::unit;

constexpr u32 kRepeats = 7;
// Below this many numbers a task of oneTBB's task_group goes on by itself: about 50 us.
constexpr u64 kGrain = 256;

enum class Load : u32 { Even, Skewed, Deep };
constexpr std::array<const char*, 3> kLoadNames = {"even", "skewed", "deeply recursive"};

struct Problem {
    Load load = Load::Even;
    u64 count = 0;
    u64 seed = 0;

    // How many rounds of mixing number n takes; 200 on average.
    [[nodiscard]] u64 rounds(u64 n) const {
        if (load != Load::Skewed) {
            return 200;
        }
        return n % count < count / 64 ? 200 * 60 : 12;  // the first 64th has most of the work
    }

    [[nodiscard]] u64 value(u64 n) const {
        u64 mixed = n + seed;
        for (u64 round = rounds(n); round > 0; --round) {
            mixed = (mixed ^ (mixed >> 31)) * 0x9e3779b97f4a7c15u;
        }
        return mixed;
    }

    [[nodiscard]] u64 sum(u64 begin, u64 end) const {
        u64 all = 0;
        for (u64 n = begin; n < end; ++n) {
            all += value(n);
        }
        return all;
    }

    // Where a range is divided: in half, or a sixteenth off, so that the tree is 16 times as deep.
    [[nodiscard]] u64 middle(u64 begin, u64 end) const {
        const u64 size = end - begin;
        return begin + std::max<u64>(1, load == Load::Deep ? size / 16 : size / 2);
    }
};

// Each part shares its sum in the slot of (portion, part).
class SumProgram : public UnitProgram {
public:
    const Problem* problem = nullptr;
    std::array<std::array<u64, kMostParts>, 2> slots{};

    void begin_part(const PartTask& task, ExecutionUnit& unit) override {
        const u64 begin = task.share.word[0];
        const u64 size = task.share.word[1] - begin;
        slots[task.portion][task.part] =
            problem->sum(begin + size * task.part / task.part_count,
                         begin + size * (task.part + 1) / task.part_count);
        unit.finish_part(task.portion, task.part, 0);
    }

    bool step(ExecutionUnit& /*unit*/) override { return false; }
};

class SumWork : public Work {
public:
    SumWork(const Problem& problem, std::vector<SumProgram>& programs)
        : problem_(problem), programs_(programs) {}

    bool next(WorkItem& item) override {
        item.word = {0, problem_.count, 0, 0};
        return !is_given_.exchange(true);
    }

    [[nodiscard]] bool is_dry() const override { return is_given_.load(); }

    [[nodiscard]] u64 size(const WorkItem& item) const override {
        return item.word[1] - item.word[0];
    }

    bool divide(WorkItem& item, double /*fraction*/, WorkItem& rest) const override {
        if (size(item) < 2) {
            return false;
        }
        rest = item;
        rest.word[0] = item.word[1] = problem_.middle(item.word[0], item.word[1]);
        return true;
    }

    void publish(const WorkItem& /*share*/, u32 unit, u32 portion) override {
        u64 sum = 0;
        for (u64& part : programs_[unit].slots[portion]) {
            sum += std::exchange(part, 0);
        }
        total.fetch_add(sum);
    }

    std::atomic<u64> total{0};

private:
    const Problem& problem_;
    std::vector<SumProgram>& programs_;
    std::atomic<bool> is_given_{false};
};

// One CPU unit per worker.
struct Farm {
    explicit Farm(u32 count) : programs(count) {
        std::vector<ExecutionUnit*> pointers;
        RunnerConfig config;
        for (u32 number = 0; number < count; ++number) {
            units.push_back(
                std::make_unique<ExecutionUnit>(number, programs[number], UnitConfig{}));
            pointers.push_back(units.back().get());
            config.units_of_worker.push_back({number});
        }
        runner = std::make_unique<WorkRunner>(pointers, config);
    }

    u64 sum(const Problem& problem) {
        for (SumProgram& program : programs) {
            program.problem = &problem;
        }
        SumWork work(problem, programs);
        return runner->run(work).is_ok() ? work.total.load() : 0;
    }

    std::vector<SumProgram> programs;
    std::vector<std::unique_ptr<ExecutionUnit>> units;
    std::unique_ptr<WorkRunner> runner;
};

u64 sum_parallel_for(const Problem& problem) {
    std::atomic<u64> total{0};
    tbb::parallel_for(tbb::blocked_range<u64>(0, problem.count),
                      [&](const tbb::blocked_range<u64>& range) {
                          total.fetch_add(problem.sum(range.begin(), range.end()));
                      });
    return total.load();
}

void sum_tasks(const Problem& problem, u64 begin, u64 end, std::atomic<u64>& total) {
    if (end - begin <= kGrain) {
        total.fetch_add(problem.sum(begin, end));
        return;
    }
    const u64 middle = problem.middle(begin, end);
    tbb::task_group group;
    group.run([&, middle] { sum_tasks(problem, middle, end, total); });
    sum_tasks(problem, begin, middle, total);
    group.wait();
}

u64 sum_task_group(const Problem& problem) {
    std::atomic<u64> total{0};
    sum_tasks(problem, 0, problem.count, total);
    return total.load();
}

double seconds_of(const std::function<void()>& work) {
    const u64 begin_ns = weft::base::now_ns();
    work();
    return static_cast<double>(weft::base::now_ns() - begin_ns) * 1e-9;
}

void print_row(const char* load, const char* way, std::vector<double> times, double scale) {
    std::sort(times.begin(), times.end());
    std::printf("| %s | %s | %.2f [%.2f .. %.2f] |\n",
                load,
                way,
                times[times.size() / 2] * scale,
                times.front() * scale,
                times.back() * scale);
}

void compare(u32 thread_count, u64 count) {
    Farm farm(thread_count);
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, thread_count);

    struct Way {
        const char* name;
        std::function<u64(const Problem&)> sum;
        std::vector<double> times;
    };

    std::printf("| load | way | ms, median [fastest .. slowest] |\n|---|---|---|\n");
    for (const Load load : {Load::Even, Load::Skewed, Load::Deep}) {
        std::array<Way, 4> ways = {
            Way{"serial", [](const Problem& problem) { return problem.sum(0, problem.count); }, {}},
            Way{"workers and units", [&](const Problem& problem) { return farm.sum(problem); }, {}},
            Way{"oneTBB parallel_for", sum_parallel_for, {}},
            Way{"oneTBB task_group", sum_task_group, {}}};
        for (u32 repeat = 0; repeat <= kRepeats; ++repeat) {
            const Problem problem{load, count, u64{repeat} << 40};
            u64 expected = 0;
            for (Way& way : ways) {
                u64 sum = 0;
                const double time = seconds_of([&] { sum = way.sum(problem); });
                expected = &way == ways.data() ? sum : expected;
                if (sum != expected) {
                    std::fprintf(stderr, "bench_steal: %s gives another sum\n", way.name);
                    std::exit(1);
                }
                if (repeat > 0) {  // the first warms up
                    way.times.push_back(time);
                }
            }
        }
        for (const Way& way : ways) {
            print_row(kLoadNames[static_cast<u32>(load)], way.name, way.times, 1e3);
        }
    }
    WorkerFigures all;
    for (u32 worker = 0; worker < farm.runner->worker_count(); ++worker) {
        const WorkerFigures figures = farm.runner->worker_figures(worker);
        all.shares += figures.shares;
        all.divisions += figures.divisions;
        all.steals += figures.steals;
        all.parks += figures.parks;
    }
    std::printf("workers of all these runs: %lu shares, %lu divisions, %lu steals, %lu parks\n\n",
                all.shares,
                all.divisions,
                all.steals,
                all.parks);
}

// Nanoseconds of one call, each repeat over many.
template <typename Call>
void time_call(const char* name, u32 calls, Call call) {
    std::vector<double> times;
    for (u32 repeat = 0; repeat <= kRepeats; ++repeat) {
        const double time = seconds_of([&] {
            for (u32 index = 0; index < calls; ++index) {
                call();
            }
        });
        if (repeat > 0) {
            times.push_back(time / calls);
        }
    }
    print_row("cost of one", name, times, 1e9);
}

void time_deque() {
    StealDeque deque(1024);
    WorkItem item;
    u64 wrong = 0;
    time_call("push and pop", 200000, [&] {
        wrong += deque.push(item.word) && deque.pop(item.word) ? 0u : 1u;
    });
    time_call("push and steal by the same thread", 200000, [&] {
        wrong += deque.push(item.word) && deque.steal(item.word) == Theft::Stolen ? 0u : 1u;
    });
    if (wrong > 0) {
        std::exit(1);
    }
}

TaskRegisters empty_task() {
    TaskRegisters task;
    task.operation = Operation::Run;
    task.part_count = 1;
    return task;
}

// A round trip: ring, the unit takes and answers a share with nothing in it, the worker sees it.
void time_doorbells() {
    const Problem nothing;
    SumProgram program;
    program.problem = &nothing;
    const UnitConfig config{.lane_groups = 1, .portions = 1};
    ExecutionUnit cpu(0, program, config);
    time_call("doorbell round trip of a CPU unit", 50000, [&] {
        cpu.ring(0, empty_task());
        while (cpu.is_ringing(0)) {
            cpu.step();
        }
    });
    UnitProgram* const pointer = &program;
    EmulatedGpu gpu({1, 1, 1 << 16}, {&pointer, 1}, config);
    gpu.start();
    time_call("doorbell round trip of an emulated unit that spins", 2000, [&] {
        gpu.unit(0).ring(0, empty_task());
        while (gpu.unit(0).is_ringing(0)) {
        }
    });
    std::vector<double> times;
    for (u32 index = 0; index < 300; ++index) {
        // Long after its last turn of spinning and yielding it is parked.
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        times.push_back(seconds_of([&] {
            gpu.unit(0).ring(0, empty_task());
            while (gpu.unit(0).is_ringing(0)) {
            }
        }));
    }
    print_row("cost of one", "doorbell round trip of an emulated unit that is parked", times, 1e9);
}

// The whole way of a share of one number: divide, push, pop, ring, take, answer, publish.
void time_shares() {
    Farm farm(1);
    const Problem problem{Load::Even, 1 << 17, 1};
    for (SumProgram& program : farm.programs) {
        program.problem = &problem;
    }
    RunnerConfig config;
    config.units_of_worker = {{0}};
    config.share_work = 1;
    ExecutionUnit* const unit = farm.units[0].get();
    WorkRunner runner({&unit, 1}, config);
    std::vector<double> times;
    for (u32 repeat = 0; repeat < kRepeats; ++repeat) {
        SumWork work(problem, farm.programs);
        bool is_right = false;
        const double time = seconds_of([&] { is_right = runner.run(work).is_ok(); });
        const double serial = seconds_of(
            [&] { is_right = is_right && work.total.load() == problem.sum(0, problem.count); });
        if (!is_right) {
            std::exit(1);
        }
        times.push_back((time - serial) / static_cast<double>(problem.count));
    }
    print_row("cost of one", "share with its division beyond its work", times, 1e9);
}

}  // namespace

int main(int argument_count, char** arguments) {
    const auto number = [&](int index, u64 otherwise) {
        return argument_count > index ? std::strtoull(arguments[index], nullptr, 10) : otherwise;
    };
    const auto thread_count =
        static_cast<u32>(number(1, std::max(1u, std::thread::hardware_concurrency())));
    std::printf("%u threads\n", thread_count);
    compare(thread_count, number(2, 200000));
    std::printf("| what | ns, median [fastest .. slowest] |\n|---|---|\n");
    time_deque();
    time_doorbells();
    time_shares();
    return 0;
}
