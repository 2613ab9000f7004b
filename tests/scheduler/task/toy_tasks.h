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

// Runs tasks on so many threads, this one included, until the runtime is idle. A single thread
// gives up where no task may run any more: that is a deadlock, and the test sees what is missing.
inline void run_with(TaskRuntime& runtime, u32 threads) {
    const auto work = [&runtime, threads] {
        while (!runtime.is_idle()) {
            if (runtime.run_one()) {
                continue;
            }
            if (threads == 1) {
                return;
            }
            std::this_thread::yield();
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
