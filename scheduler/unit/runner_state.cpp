#include "scheduler/unit/runner_state.h"

#include <algorithm>
#include <utility>

#include "scheduler/base/clock.h"
#include "scheduler/base/ensure.h"

namespace weft::unit {

namespace {

// After 64 halvings an item is one unit of work, so the deque fills up only if the caller's
// divide() cuts off small pieces.
constexpr u32 kDequeCapacity = 512;

}  // namespace

bool Seat::has_open() const {
    return std::any_of(
        portions.begin(), portions.end(), [](const Handed& handed) { return handed.is_open; });
}

bool Seat::has_answer() const {
    for (u32 portion = 0; portion < portions.size(); ++portion) {
        if (portions[portion].is_open && !unit->is_ringing(portion)) {
            return true;
        }
    }
    return false;
}

u32 Seat::free_portion() const {
    for (u32 portion = 0; portion < portions.size(); ++portion) {
        if (!portions[portion].is_open) {
            return portion;
        }
    }
    return kNone;
}

RunnerState::RunnerState(std::span<ExecutionUnit* const> units, RunnerConfig runner_config)
    : config(std::move(runner_config)),
      dormitory(std::max(1u, static_cast<u32>(config.units_of_worker.size()))) {
    if (config.units_of_worker.empty()) {
        config.units_of_worker.emplace_back();
        for (u32 number = 0; number < units.size(); ++number) {
            config.units_of_worker.front().push_back(number);
        }
    }
    for (u32 number = 0; number < units.size(); ++number) {
        auto seat = std::make_unique<Seat>();
        seat->unit = units[number];
        seat->number = number;
        seat->worker = kNone;
        seat->portions.resize(units[number]->config().portions);
        seats.push_back(std::move(seat));
    }
    for (u32 worker = 0; worker < config.units_of_worker.size(); ++worker) {
        for (const u32 number : config.units_of_worker[worker]) {
            ENSURE(number, <, seats.size());
            ENSURE(seats[number]->worker, ==, kNone);
            seats[number]->worker = worker;
        }
        deques.push_back(std::make_unique<StealDeque>(kDequeCapacity));
    }
    for (const auto& seat : seats) {
        ENSURE(seat->worker, !=, kNone);
    }
}

base::Status RunnerState::open(Work& new_work) {
    const std::lock_guard lock(orders);
    if (is_put_aside()) {
        ENSURE(work, ==, &new_work);
        go_on();
    } else {
        open_items.store(0, std::memory_order_relaxed);  // the pool's threads start later
    }
    work = &new_work;
    error_.reset();
    is_over.store(false, std::memory_order_relaxed);
    has_failed.store(false, std::memory_order_relaxed);
    for (const auto& seat : seats) {
        readmit(*seat);
        // Last of all that is changed in a held unit.
        if (seat->unit->has_thread() && !seat->is_lost) {
            seat->is_to_hold = false;
            seat->unit->go_on();
        }
    }
    if (usable_seats(kNone) == 0) {
        return no_unit_left();
    }
    return base::Done{};
}

// A lost unit takes part again if it has ended its shares, whose results are dropped, and its
// program can go on.
void RunnerState::readmit(Seat& seat) {
    if (!seat.is_given_up.load(std::memory_order_relaxed)) {
        return;
    }
    // One that its worker did not lose answered in time: a false alarm.
    if (seat.is_lost && (!seat.unit->is_settled() || !seat.unit->can_return())) {
        return;
    }
    if (seat.is_lost) {
        std::fill(seat.portions.begin(), seat.portions.end(), Handed{});
    }
    seat.is_lost = false;
    seat.is_given_up.store(false, std::memory_order_relaxed);
    seat.figures.is_lost = false;
}

// Shares under way do not count the time during which the run was put aside.
void RunnerState::go_on() {
    const u64 away_ns = base::now_ns() - aside_since_ns_;
    is_aside.store(false, std::memory_order_relaxed);  // the pool's threads start later
    for (const auto& seat : seats) {
        if (seat->is_lost) {
            continue;
        }
        seat->unit->skip_time(away_ns);
        seat->last_ended_ns += away_ns;
        for (Handed& handed : seat->portions) {
            handed.rung_ns += handed.is_open ? away_ns : 0;
        }
    }
}

bool RunnerState::has_left_behind() const {
    return is_done() && std::any_of(seats.begin(), seats.end(), [](const auto& seat) {
               return !seat->is_lost && seat->has_open();
           });
}

base::Status RunnerState::close() {
    if (is_put_aside() && !is_done()) {
        aside_since_ns_ = base::now_ns();
        return base::Done{};
    }
    is_aside.store(false, std::memory_order_relaxed);
    work = nullptr;
    WorkItem left;
    for (const auto& deque : deques) {
        while (deque->pop(left.word)) {
        }
    }
    if (error_) {
        return *error_;
    }
    return base::Done{};
}

void RunnerState::fail(std::string sentence) {
    {
        const std::lock_guard lock(error_mutex_);
        if (!error_) {
            error_ = base::Error{base::ErrorKind::Render, std::move(sentence)};
        }
    }
    has_failed.store(true, std::memory_order_release);  // pairs with the acquire in Worker::settle
    end();
}

void RunnerState::put_aside() {
    is_aside.store(true, std::memory_order_relaxed);  // dormitory and the pool's end publish it
    dormitory.wake_all();
}

void RunnerState::end() {
    is_over.store(true, std::memory_order_release);  // pairs with is_done
    dormitory.wake_all();
}

u32 RunnerState::usable_seats(u32 without) const {
    u32 count = 0;
    for (const auto& seat : seats) {
        const bool is_usable = seat->number != without &&
                               !seat->is_to_detach.load(std::memory_order_relaxed) &&
                               !seat->is_given_up.load(std::memory_order_relaxed);
        count += is_usable ? 1u : 0u;
    }
    return count;
}

base::Error RunnerState::no_unit_left() const {
    const auto lost = std::count_if(seats.begin(), seats.end(), [](const auto& seat) {
        return seat->is_given_up.load(std::memory_order_relaxed);
    });
    return {base::ErrorKind::Render,
            "no execution unit is left: of " + std::to_string(seats.size()) + ", " +
                std::to_string(lost) + " stopped answering and the others are detached"};
}

void RunnerState::give_up(Seat& seat) {
    bool is_last = false;
    {
        const std::lock_guard lock(orders);
        seat.is_given_up.store(true, std::memory_order_relaxed);
        is_last = usable_seats(kNone) == 0;
    }
    if (is_last) {
        fail(no_unit_left().sentence);
    }
    dormitory.place(seat.worker).wake();
}

}  // namespace weft::unit
