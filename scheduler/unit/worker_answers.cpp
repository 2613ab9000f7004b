// worker_answers.cpp — what a worker does with answered doorbells, with orders to detach and
// attach, and with units given up for lost.
#include <algorithm>
#include <string>

#include "scheduler/base/clock.h"
#include "scheduler/base/trace_log.h"
#include "scheduler/unit/worker.h"

namespace weft::unit {

bool Worker::collect() {
    bool has_collected = false;
    for (Seat* seat : seats_) {
        for (u32 portion = 0; !seat->is_lost && portion < seat->portions.size(); ++portion) {
            if (seat->portions[portion].is_open && !seat->unit->is_ringing(portion)) {
                settle(*seat, portion);
                has_collected = true;
            }
        }
    }
    return has_collected;
}

// The doorbell reads 0: registers, status and result slots are this worker's again.
void Worker::settle(Seat& seat, u32 portion) {
    Handed& handed = seat.portions[portion];
    const TaskRegisters& answer = seat.unit->answer(portion);
    ENSURE(answer.answered_epoch, ==, handed.epoch);
    measure(seat, handed, answer.status);
    if (handed.operation == Operation::Run) {
        settle_share(seat, portion);
    } else {
        seat.is_order_open = false;
        seat.is_attached = handed.operation == Operation::Attach;
        seat.figures.is_attached = seat.is_attached;
    }
    handed.is_open = false;
}

void Worker::settle_share(Seat& seat, u32 portion) {
    Handed& handed = seat.portions[portion];
    handed.is_open = false;  // before publish(): a share is not published again if it throws
    const TaskStatus& status = seat.unit->answer(portion).status;
    seat.figures.parts_retried += status.retried_parts;
    const std::string who = "unit " + std::to_string(seat.number);
    if (status.error_code == kProgramThrew) {
        state_.fail(who + " failed: " + seat.unit->thrown());
        return;
    }
    if (status.error_code != 0) {
        state_.fail(who + ": part " + std::to_string(status.error_part) +
                    " of a share failed twice (error code " + std::to_string(status.error_code) +
                    ")");
        return;
    }
    // Pairs with the release in fail(). A failed run publishes nothing more.
    if (state_.has_failed.load(std::memory_order_acquire)) {
        return;
    }
    const base::TraceMark mark("publish", "unit", seat.number);
    state_.work->publish(handed.share, seat.number, portion);
    ++seat.figures.shares;
    seat.figures.work += handed.work;
    ++figures_.shares;
    // Sequentially consistent, before the look for sleepers: a sleeper adds to this number before
    // it asks next() for the last time, and so sees what was published.
    state_.open_items.fetch_sub(1, std::memory_order_seq_cst);
    state_.dormitory.wake_one(index_);
}

void Worker::measure(Seat& seat, const Handed& handed, const TaskStatus& status) {
    const u64 seen_ns = base::now_ns();
    const u64 round_trip = seen_ns - handed.rung_ns - (status.ended_ns - status.begun_ns);
    ++seat.answers;
    seat.round_trip_sum_ns += static_cast<double>(round_trip);
    seat.round_trip.add(static_cast<double>(round_trip));
    seat.figures.round_trip_ns = seat.round_trip_sum_ns / static_cast<double>(seat.answers);
    seat.figures.late_round_trip_ns = seat.round_trip.mean();
    // With two shares in a unit, each counts from the end of the one before.
    const u64 since_ns = std::max(status.begun_ns, seat.last_ended_ns);
    const u64 busy_ns = status.ended_ns > since_ns ? status.ended_ns - since_ns : 0;
    seat.last_ended_ns = std::max(seat.last_ended_ns, status.ended_ns);
    seat.figures.busy_ns += busy_ns;
    if (handed.operation == Operation::Run) {
        seat.throughput.add(handed.work, busy_ns);
        seat.figures.work_per_s = seat.throughput.rate() * 1e9;
    }
}

bool Worker::follow_orders() {
    bool has_worked = false;
    for (Seat* seat : seats_) {
        if (seat->is_lost) {
            continue;
        }
        if (seat->is_given_up.load(std::memory_order_relaxed)) {
            lose(*seat);
            has_worked = true;
        } else if (!state_.is_done() && !state_.is_put_aside()) {
            has_worked |= ring_order(*seat);
        }
    }
    return has_worked;
}

// Rings an open order to detach or attach, if the unit has a free portion.
bool Worker::ring_order(Seat& seat) {
    const bool is_to_detach = seat.is_to_detach.load(std::memory_order_relaxed);
    if (seat.is_order_open || seat.is_attached != is_to_detach) {
        return false;
    }
    const u32 portion = seat.free_portion();
    if (portion == kNone) {
        return false;
    }
    TaskRegisters task;
    task.operation = is_to_detach ? Operation::Detach : Operation::Attach;
    Handed& handed = seat.portions[portion];
    handed.operation = task.operation;
    handed.work = 0;
    seat.is_order_open = true;
    ring(seat, portion, task);
    // Wake another worker: its units may run work that this unit no longer gets.
    state_.dormitory.wake_one(index_);
    return true;
}

// The run is put aside: units with threads stop between two steps. True: some were asked to.
bool Worker::hold_units() {
    bool has_asked = false;
    for (Seat* seat : seats_) {
        if (seat->unit->has_thread() && !seat->is_lost && !seat->is_to_hold) {
            seat->is_to_hold = true;
            seat->unit->hold(state_.dormitory.place(index_));
            has_asked = true;
        }
    }
    return has_asked;
}

// The run that was put aside has failed meanwhile: shares end as in any other run.
void Worker::let_units_go_on() {
    for (Seat* seat : seats_) {
        if (seat->is_to_hold) {
            seat->is_to_hold = false;
            seat->unit->go_on();
        }
    }
}

// The unit is not rung again. Its shares return to the deque and run elsewhere under another epoch.
// What it still writes goes to its own slots, which are never published.
void Worker::lose(Seat& seat) {
    for (u32 portion = 0; portion < seat.portions.size(); ++portion) {
        if (seat.portions[portion].is_open && !seat.unit->is_ringing(portion)) {
            settle(seat, portion);
        }
    }
    seat.is_lost = true;
    seat.is_order_open = false;
    // One that was asked to hold ends its shares, should it come back.
    if (seat.is_to_hold) {
        seat.is_to_hold = false;
        seat.unit->go_on();
    }
    seat.figures.is_lost = true;
    for (Handed& handed : seat.portions) {
        if (handed.is_open && handed.operation == Operation::Run) {
            push(handed.share);
            ++seat.figures.shares_taken_back;
        }
        handed.is_open = false;
    }
    if (state_.config.on_lost) {
        state_.config.on_lost(seat.number);
    }
}

}  // namespace weft::unit
