// worker.h — one worker of a runner: takes items, divides them until the cutoff, hands shares to
// its units, steps those that have no thread, publishes what is done, and otherwise waits. Internal
// to the room.
//
//     own deque ──> steal ──> Work::next ──> divide until a share ──> ring a free portion
//         ^                                       │ the others                │
//         └───────────────────────────────────────┘      publish <── answer <─┘
//
// Its own thread only, except figures() when no run is on.
#pragma once

#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/unit/runner_state.h"
#include "scheduler/unit/running_mean.h"
#include "scheduler/unit/share_plan.h"
#include "scheduler/unit/unit_figures.h"

namespace weft::unit {

class Worker {
public:
    Worker(u32 index, RunnerState& state);

    // Returns when the run is over and only lost units are busy, or when the run is put aside and
    // all units with threads are held.
    void run();

    [[nodiscard]] WorkerFigures figures() const;

private:
    [[nodiscard]] bool may_leave() const;
    // One pass over answers, units and work; false: there was nothing to do.
    bool pass();
    void wait(u32 idle_passes);
    void park();

    // Answers and orders: worker_answers.cpp
    bool collect();
    void settle(Seat& seat, u32 portion);
    void settle_share(Seat& seat, u32 portion);
    void measure(Seat& seat, const Handed& handed, const TaskStatus& status);
    bool follow_orders();
    void lose(Seat& seat);
    bool ring_order(Seat& seat);
    bool hold_units();
    void let_units_go_on();

    // Work: worker_shares.cpp
    bool hand_over();
    bool take_elsewhere(WorkItem& item);
    bool steal(WorkItem& item);
    void gather_offers();
    u64 divide_down(WorkItem& item, const SharePlan& plan);
    void spread(WorkItem item);
    bool fit(WorkItem& item, u64 most_work);
    bool put_back(const WorkItem& item);
    bool push(const WorkItem& item);
    void give(Seat& seat, const WorkItem& share);
    void ring(Seat& seat, u32 portion, TaskRegisters task);
    bool step_units();

    [[nodiscard]] bool has_open() const;
    [[nodiscard]] bool has_open_to_step() const;
    [[nodiscard]] bool has_units_at_work() const;
    [[nodiscard]] bool is_answered_before_sleep() const;

    u32 index_;
    RunnerState& state_;
    StealDeque& deque_;
    std::vector<Seat*> seats_;
    std::vector<UnitOffer> offers_;
    u64 epochs_ = 0;
    u32 reserve_ = 0;  // room in the deque kept for shares that lost units give back
    u64 random_ = 0;   // where theft begins; results do not depend on it
    RunningMean division_;
    RunningMean hand_over_;
    WorkerFigures figures_;
};

}  // namespace weft::unit
