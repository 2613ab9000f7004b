// work_runner.h — the workers: they divide work, steal it from each other, and hand shares to the
// execution units by doorbell (mechanism W).
//
// Each worker owns a deque and the units mapped to it. It takes from its own deque, else steals,
// else asks the Work for a root; divides until the cutoff; hands the share to a free portion of its
// units; and steps its CPU unit, or waits, until a doorbell is answered. Results are published by
// the worker, once per share. A unit that makes no progress is given up for lost, and its shares
// are run elsewhere.
//
// Owner thread: construct, run, figures, destroy. Any thread: detach, attach, wake, also while
// run() runs. Units and what they run must outlive the runner; a device's threads must run, or be
// able to end what they hold, when the runner is destroyed.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"
#include "scheduler/unit/execution_unit.h"
#include "scheduler/unit/unit_figures.h"
#include "scheduler/unit/work.h"

namespace weft::unit {

struct RunnerConfig {
    // For each worker, the units it hands shares to, by their place in the span of units; each
    // unit once. A worker may have several or none (W8). Empty: there are no worker threads, and
    // the caller's thread is the one worker, of all units.
    std::vector<std::vector<u32>> units_of_worker{};
    // Size of a share, in units of work. 0: found by measuring (cutoff.h).
    u64 share_work = 0;
    // A unit with a thread of its own that has work and takes no step for so long is lost.
    std::chrono::nanoseconds patience = std::chrono::seconds(10);
    // Called once for each unit that is lost, on a worker's thread.
    std::function<void(u32 unit)> on_lost{};
};

class WorkRunner {
public:
    WorkRunner(std::span<ExecutionUnit* const> units, RunnerConfig config);
    // Waits for units given up for lost to end what they hold.
    ~WorkRunner();
    WorkRunner(const WorkRunner&) = delete;
    WorkRunner& operator=(const WorkRunner&) = delete;
    WorkRunner(WorkRunner&&) = delete;
    WorkRunner& operator=(WorkRunner&&) = delete;

    // Runs work until it is dry and every share is published. An error ends it early: a part that
    // failed twice, something that threw, no unit left. Either way no unit but a lost one is busy
    // when it returns, unless the work is put aside. May be called again; a lost unit that has come
    // back takes part again.
    base::Status run(Work& work);

    // RunnerConfig::share_work for the next run. Owner.
    void set_share_work(u64 share_work);

    // The unit gets no share any more, once it is through with those it has (W9). False, and
    // nothing is done: it is the last one that is neither detached nor lost.
    [[nodiscard]] bool detach(u32 unit);
    void attach(u32 unit);

    // What Work::next() or is_dry() would answer has changed otherwise than by publish().
    void wake();

    [[nodiscard]] u32 worker_count() const;
    [[nodiscard]] u32 unit_count() const;
    [[nodiscard]] UnitFigures unit_figures(u32 unit) const;
    [[nodiscard]] WorkerFigures worker_figures(u32 worker) const;
    // The unit's part of all work published; 0 where there was none.
    [[nodiscard]] double work_fraction(u32 unit) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace weft::unit
