// passes.h — the passes of a denoiser over a picture: independent jobs, which the caller may
// end early.
//
//     Passes passes(run_on_tbb, should_stop);
//     passes.run(height, [&](u32 y) { … });   // a pass over rows
//     passes.run(height, [&](u32 y) { … });   // reads what the one before wrote
//     if (passes.is_stopped()) …              // the results are worth nothing
//
// One thread runs one pass after the other; its jobs run where the caller's function runs them.
#pragma once

#include <atomic>
#include <functional>

#include "scheduler/base/ids.h"

namespace weft::denoise {

// Runs job(k) for each k < count, in any order and on any threads, and returns after the last.
using RunJobs = std::function<void(u32 count, const std::function<void(u32)>& job)>;

// On oneTBB's threads.
void run_on_tbb(u32 count, const std::function<void(u32)>& job);

class Passes {
public:
    // `should_stop` is asked before each job, by the thread that runs it; empty: never.
    explicit Passes(RunJobs run = run_on_tbb, std::function<bool()> should_stop = {});

    // Runs the jobs of a pass. Once stopped, those that have not begun are left out, as are all
    // passes that follow. A job that lacks memory stops the passes, too.
    void run(u32 count, const std::function<void(u32)>& job) const;

    // Asks, and returns is_stopped(): between allocations. Any thread.
    bool must_stop() const;

    // Some job was left out.
    [[nodiscard]] bool is_stopped() const { return is_stopped_.load(std::memory_order_relaxed); }

    [[nodiscard]] bool lacked_memory() const {
        return lacked_memory_.load(std::memory_order_relaxed);
    }

private:
    const RunJobs run_;
    const std::function<bool()> should_stop_;
    // Relaxed: the end of a pass orders them.
    mutable std::atomic<bool> is_stopped_{false};
    mutable std::atomic<bool> lacked_memory_{false};
};

}  // namespace weft::denoise
