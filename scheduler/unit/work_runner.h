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
    // The units of each worker, by their index in the span of units; each unit once. A worker may
    // have several or none (W8). Empty: no worker threads, the caller's thread serves all units.
    std::vector<std::vector<u32>> units_of_worker{};
    // Size of a share, in units of work. 0: found by measuring (cutoff.h).
    u64 share_work = 0;
    // A unit with a thread of its own is lost if it has work and takes no step for so long.
    std::chrono::nanoseconds patience = std::chrono::seconds(10);
    // Called once for each lost unit, on a worker's thread.
    std::function<void(u32 unit)> on_lost{};
};

class WorkRunner {
public:
    WorkRunner(std::span<ExecutionUnit* const> units, RunnerConfig config);
    // Waits for lost units to end their shares. Units that hold shares put aside stay held, until
    // another runner uses them.
    ~WorkRunner();
    WorkRunner(const WorkRunner&) = delete;
    WorkRunner& operator=(const WorkRunner&) = delete;
    WorkRunner(WorkRunner&&) = delete;
    WorkRunner& operator=(WorkRunner&&) = delete;

    // Runs work until it is dry and every share is published. An error ends the run early: a part
    // that failed twice, an exception, no unit left. On return only lost units are busy, unless the
    // work is put aside. May be called again; lost units that answer again and can return take
    // part.
    base::Status run(Work& work);

    // RunnerConfig::share_work for the next run. Owner.
    void set_share_work(u64 share_work);

    // The unit ends the shares that it has and gets no more (W9). False, with nothing changed: it
    // is the last unit that is neither detached nor lost.
    [[nodiscard]] bool detach(u32 unit);
    void attach(u32 unit);

    // Call after a change of Work::next(), is_dry() or is_put_aside() that did not come from
    // publish().
    void wake();

    [[nodiscard]] u32 worker_count() const;
    [[nodiscard]] u32 unit_count() const;
    [[nodiscard]] UnitFigures unit_figures(u32 unit) const;
    [[nodiscard]] WorkerFigures worker_figures(u32 worker) const;
    // The unit's fraction of all published work; 0 if there was none.
    [[nodiscard]] double work_fraction(u32 unit) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace weft::unit
