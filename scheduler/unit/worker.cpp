#include "scheduler/unit/worker.h"

#include <algorithm>
#include <emmintrin.h>
#include <string>
#include <thread>

#include "scheduler/base/trace_log.h"
#include "scheduler/unit/worker_pool.h"

namespace weft::unit {

namespace {

// Before it parks, a worker spins with pauses (about 1 us), then yields to other threads.
constexpr u32 kSpinPasses = 16;
constexpr u32 kYieldPasses = 8;

}  // namespace

Worker::Worker(u32 index, RunnerState& state)
    : index_(index), state_(state), deque_(*state.deques[index]), random_(index + 1) {
    for (const u32 number : state.config.units_of_worker[index]) {
        seats_.push_back(state.seats[number].get());
        reserve_ += static_cast<u32>(seats_.back()->portions.size()) + 1;
    }
    offers_.reserve(seats_.size());
}

void Worker::run() {
    u32 idle_passes = 0;
    while (!may_leave()) {
        try {
            idle_passes = pass() ? 0 : idle_passes + 1;
            if (idle_passes > 0) {
                wait(idle_passes);
            }
        } catch (...) {
            state_.fail("worker " + std::to_string(index_) +
                        " failed: " + sentence_of_current_exception());
        }
    }
}

WorkerFigures Worker::figures() const {
    WorkerFigures figures = figures_;
    figures.division_ns = division_.mean();
    figures.hand_over_ns = hand_over_.mean();
    return figures;
}

// After a failure the worker also waits for shares that were put aside.
bool Worker::may_leave() const {
    return state_.is_done() ? !has_open() : state_.is_put_aside() && !has_units_at_work();
}

bool Worker::pass() {
    bool has_worked = collect();
    has_worked |= follow_orders();
    if (!state_.is_done() && (state_.is_put_aside() || state_.work->is_put_aside())) {
        if (!state_.is_put_aside()) {
            state_.put_aside();
        }
        return hold_units() || has_worked;
    }
    if (state_.is_done()) {
        let_units_go_on();
    } else {
        has_worked |= hand_over();
    }
    has_worked |= step_units();
    if (has_worked || state_.is_done()) {
        return has_worked;
    }
    // Dry first: what next() gave before it was dry is counted by then. Acquire pairs with the
    // release of the last publish.
    if (state_.work->is_dry() && state_.open_items.load(std::memory_order_acquire) == 0) {
        state_.end();
        return true;
    }
    return false;
}

void Worker::wait(u32 idle_passes) {
    if (idle_passes <= kSpinPasses) {
        _mm_pause();
    } else if (idle_passes <= kSpinPasses + kYieldPasses ||
               (has_open_to_step() && !state_.is_put_aside())) {
        std::this_thread::yield();
    } else {
        park();
    }
}

void Worker::park() {
    const bool can_take = std::any_of(seats_.begin(), seats_.end(), [](const Seat* seat) {
        return seat->can_take() && seat->free_portion() != kNone;
    });
    const u32 ticket =
        state_.dormitory.announce(index_, can_take ? Sleep::ForWork : Sleep::ForAnswers);
    // Check again: from here on, a thread that changes something sees the sleeper.
    bool must_go_on = true;
    try {
        must_go_on = pass();
    } catch (...) {
        state_.dormitory.leave(index_);
        throw;
    }
    if (must_go_on || may_leave() || state_.is_done() || is_answered_before_sleep()) {
        // The waker may have meant other work than this worker found, so pass it on.
        if (state_.dormitory.leave(index_) == Sleep::Awake) {
            state_.dormitory.wake_one(index_);
        }
        return;
    }
    ++figures_.parks;
    const base::TraceMark mark("park");
    state_.dormitory.park(index_, ticket);
}

bool Worker::has_open() const {
    return std::any_of(seats_.begin(), seats_.end(), [](const Seat* seat) {
        return !seat->is_lost && seat->has_open();
    });
}

// Of units with threads: whether one is not held yet, or has answered and was not heard.
bool Worker::has_units_at_work() const {
    return std::any_of(seats_.begin(), seats_.end(), [](const Seat* seat) {
        if (!seat->unit->has_thread() || seat->is_lost) {
            return false;
        }
        // First whether it is held: then no answer comes any more.
        return !seat->unit->is_held() || seat->has_answer();
    });
}

bool Worker::has_open_to_step() const {
    return std::any_of(seats_.begin(), seats_.end(), [](const Seat* seat) {
        return !seat->unit->has_thread() && seat->has_open();
    });
}

bool Worker::is_answered_before_sleep() const {
    for (const Seat* seat : seats_) {
        for (u32 portion = 0; !seat->is_lost && portion < seat->portions.size(); ++portion) {
            if (seat->portions[portion].is_open && !seat->unit->is_ringing_before_sleep(portion)) {
                return true;
            }
        }
    }
    return false;
}

bool Worker::step_units() {
    bool has_worked = false;
    for (Seat* seat : seats_) {
        if (!seat->unit->has_thread() && seat->has_open()) {
            has_worked |= seat->unit->step();
        }
    }
    return has_worked;
}

}  // namespace weft::unit
