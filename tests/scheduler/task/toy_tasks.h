// toy_tasks.h — small programs and workers for the tests of scheduler/task.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/task/task_context.h"
#include "scheduler/task/task_runtime.h"

namespace weft::task::toy {

// Runs tasks on this thread until none may run. Returns how many calls that took.
inline u32 drain(TaskRuntime& runtime) {
    u32 calls = 0;
    while (runtime.run_one()) {
        ++calls;
    }
    return calls;
}

// Threads that run tasks until the runtime is idle, with one on this thread if there are none.
inline void run_with(TaskRuntime& runtime, u32 threads) {
    const auto work = [&runtime] {
        while (!runtime.is_idle()) {
            if (!runtime.run_one()) {
                std::this_thread::yield();
            }
        }
    };
    std::vector<std::jthread> workers;
    for (u32 thread = 1; thread < threads; ++thread) {
        workers.emplace_back(work);
    }
    work();
}

// What tasks of one thread at a time note down.
using Log = std::vector<u64>;

// Notes its first argument.
inline TaskDescriptor noting(Log& log, u64 what, u32 priority = 0) {
    return {.program =
                [](TaskContext& task, void* context) {
                    static_cast<Log*>(context)->push_back(task.arguments()[0]);
                    return Outcome::Done;
                },
            .context = &log,
            .arguments = {what},
            .priority = priority};
}

inline TaskDescriptor idle() {
    return {.program = [](TaskContext&, void*) { return Outcome::Done; }};
}

}  // namespace weft::task::toy
