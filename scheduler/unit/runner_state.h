// runner_state.h — the state common to all workers of a runner: seats, deques, sleeping places, and
// the end of a run. Internal to the room: work_runner.cpp, worker.cpp and unit_watch.cpp use it.
//
// A seat is a unit as its worker sees it. During a run, only its worker uses members of a seat that
// are not atomic.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"
#include "scheduler/unit/execution_unit.h"
#include "scheduler/unit/parking.h"
#include "scheduler/unit/running_mean.h"
#include "scheduler/unit/steal_deque.h"
#include "scheduler/unit/unit_figures.h"
#include "scheduler/unit/work.h"
#include "scheduler/unit/work_runner.h"

namespace weft::unit {

// The share that a portion was rung with and whose answer the worker has not seen.
struct Handed {
    bool is_open = false;
    Operation operation = Operation::None;
    WorkItem share;
    u64 work = 0;
    u64 epoch = 0;
    u64 rung_ns = 0;
};

// Work per time over about the last eight shares. A share that took far longer than expected counts
// as four times the expected time: its thread was preempted, and the unit is not slower.
struct Throughput {
    double work = 0;
    double ns = 0;

    void add(u64 share_work, u64 share_ns) {
        const auto added = static_cast<double>(share_work);
        auto took = static_cast<double>(share_ns);
        if (ns > 0) {
            took = std::min(took, 4 * added * ns / work);
        }
        work += added - work / 8;
        ns += took - ns / 8;
    }

    // Work per ns; 0: not measured yet.
    [[nodiscard]] double rate() const { return ns > 0 ? work / ns : 0; }
};

struct Seat {
    ExecutionUnit* unit = nullptr;
    u32 number = 0;  // in the span of units
    u32 worker = 0;
    // Orders: any thread writes them under RunnerState::orders, the worker carries them out.
    // Relaxed: the writer wakes the worker, and the wake-up orders the store.
    std::atomic<bool> is_to_detach{false};
    std::atomic<bool> is_given_up{false};
    // The worker's:
    bool is_attached = true;     // by the last answer of the unit
    bool is_order_open = false;  // Detach or Attach was rung and not answered
    bool is_lost = false;        // given up; its portions are not read again in this run
    bool is_to_hold = false;     // the unit was asked to hold and not to go on since
    std::vector<Handed> portions;
    u64 last_ended_ns = 0;
    Throughput throughput;
    RunningMean round_trip;
    double round_trip_sum_ns = 0;
    u64 answers = 0;
    UnitFigures figures;

    [[nodiscard]] bool can_take() const {
        return is_attached && !is_order_open && !is_lost &&
               !is_to_detach.load(std::memory_order_relaxed);
    }

    [[nodiscard]] bool has_open() const;
    // A portion was answered and not settled.
    [[nodiscard]] bool has_answer() const;
    // A free portion; kNone: all are in use.
    [[nodiscard]] u32 free_portion() const;
};

struct RunnerState {
    RunnerState(std::span<ExecutionUnit* const> units, RunnerConfig runner_config);

    // Owner, before and after a run.
    base::Status open(Work& new_work);
    base::Status close();

    // Any thread: keeps the first sentence; no new work begins.
    void fail(std::string sentence);
    // Any worker: all work is done.
    void end();
    // Any worker: the run is put aside; open items and shares stay for the next run.
    void put_aside();
    // The watch: the unit has made no progress for too long.
    void give_up(Seat& seat);
    // Seats that are neither lost nor to be detached, `without` left out. Under `orders`.
    [[nodiscard]] u32 usable_seats(u32 without) const;

    [[nodiscard]] bool is_done() const { return is_over.load(std::memory_order_acquire); }

    [[nodiscard]] bool is_put_aside() const {
        return is_aside.load(std::memory_order_relaxed);  // guards no data
    }

    // Owner, after a run that is over: whether a worker still has shares of a run put aside.
    [[nodiscard]] bool has_left_behind() const;

    RunnerConfig config;
    std::vector<std::unique_ptr<Seat>> seats;
    std::vector<std::unique_ptr<StealDeque>> deques;  // by worker
    Dormitory dormitory;                              // by worker
    Work* work = nullptr;
    std::mutex orders;
    // Items from next() or cut off other items, less those published; plus one for each call of
    // next() in progress.
    alignas(64) std::atomic<i64> open_items{0};
    // Release by fail() and end(), acquire by is_done().
    alignas(64) std::atomic<bool> is_over{false};
    std::atomic<bool> has_failed{false};
    std::atomic<bool> is_aside{false};

private:
    base::Error no_unit_left() const;
    void go_on();
    void readmit(Seat& seat);

    u64 aside_since_ns_ = 0;

    std::mutex error_mutex_;
    std::optional<base::Error> error_;
};

}  // namespace weft::unit
