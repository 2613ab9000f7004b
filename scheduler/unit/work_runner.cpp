#include "scheduler/unit/work_runner.h"

#include <thread>
#include <utility>

#include "scheduler/unit/runner_state.h"
#include "scheduler/unit/unit_watch.h"
#include "scheduler/unit/worker.h"
#include "scheduler/unit/worker_pool.h"

namespace weft::unit {

struct WorkRunner::State {
    State(std::span<ExecutionUnit* const> units, RunnerConfig config)
        : thread_count(static_cast<u32>(config.units_of_worker.size())),
          shared(units, std::move(config)),
          pool(thread_count) {
        for (u32 index = 0; index < shared.deques.size(); ++index) {
            workers.push_back(std::make_unique<Worker>(index, shared));
        }
    }

    u32 thread_count;  // 0: the caller's thread is the one worker
    RunnerState shared;
    std::vector<std::unique_ptr<Worker>> workers;
    WorkerPool pool;
};

WorkRunner::WorkRunner(std::span<ExecutionUnit* const> units, RunnerConfig config)
    : state_(std::make_unique<State>(units, std::move(config))) {}

WorkRunner::~WorkRunner() {
    // Lost units answer to places that die with the runner, so wait for them. No worker runs now:
    // this thread may sleep in the place of the unit's worker. Shares put aside end with their
    // units, which answer no more.
    for (const auto& seat : state_->shared.seats) {
        ParkingPlace& place = state_->shared.dormitory.place(seat->worker);
        for (u32 portion = 0; portion < seat->portions.size(); ++portion) {
            while (seat->unit->has_thread() && !seat->unit->is_held() &&
                   seat->unit->is_ringing(portion)) {
                const u32 ticket = place.announce(Sleep::ForAnswers);
                if (seat->unit->is_ringing_before_sleep(portion)) {
                    place.park(ticket);
                }
                place.leave();
            }
        }
        // The unit may still be in the last instructions of its answer.
        while (seat->unit->has_thread() && !seat->unit->is_settled()) {
            std::this_thread::yield();
        }
    }
}

base::Status WorkRunner::run(Work& work) {
    base::Status opened = state_->shared.open(work);
    WEFT_TRY(opened);
    base::Status ran = base::Done{};
    {
        const UnitWatch watch(state_->shared);
        const auto run_worker = [this](WorkerIndex index, const std::stop_token&) {
            state_->workers[static_cast<u32>(index)]->run();
        };
        ran = state_->pool.run(run_worker);
        if (ran.is_ok() && state_->shared.has_left_behind()) {
            ran = state_->pool.run(run_worker);
        }
    }
    base::Status closed = state_->shared.close();
    return ran.is_ok() ? closed : ran;
}

void WorkRunner::set_share_work(u64 share_work) {
    state_->shared.config.share_work = share_work;
}

bool WorkRunner::detach(u32 unit) {
    RunnerState& shared = state_->shared;
    ENSURE(unit, <, shared.seats.size());
    {
        const std::lock_guard lock(shared.orders);
        if (shared.usable_seats(unit) == 0) {
            return false;
        }
        shared.seats[unit]->is_to_detach.store(true, std::memory_order_relaxed);
    }
    shared.dormitory.place(shared.seats[unit]->worker).wake();
    return true;
}

void WorkRunner::attach(u32 unit) {
    RunnerState& shared = state_->shared;
    ENSURE(unit, <, shared.seats.size());
    {
        const std::lock_guard lock(shared.orders);
        shared.seats[unit]->is_to_detach.store(false, std::memory_order_relaxed);
    }
    shared.dormitory.place(shared.seats[unit]->worker).wake();
}

void WorkRunner::wake() {
    state_->shared.dormitory.wake_all();
}

u32 WorkRunner::worker_count() const {
    return static_cast<u32>(state_->workers.size());
}

u32 WorkRunner::unit_count() const {
    return static_cast<u32>(state_->shared.seats.size());
}

UnitFigures WorkRunner::unit_figures(u32 unit) const {
    ENSURE(unit, <, state_->shared.seats.size());
    return state_->shared.seats[unit]->figures;
}

WorkerFigures WorkRunner::worker_figures(u32 worker) const {
    ENSURE(worker, <, state_->workers.size());
    return state_->workers[worker]->figures();
}

double WorkRunner::work_fraction(u32 unit) const {
    u64 all = 0;
    for (const auto& seat : state_->shared.seats) {
        all += seat->figures.work;
    }
    return all == 0 ? 0 : static_cast<double>(unit_figures(unit).work) / static_cast<double>(all);
}

}  // namespace weft::unit
