#include "scheduler/unit/worker.h"

#include <algorithm>
#include <emmintrin.h>
#include <string>
#include <thread>

#include "scheduler/unit/cutoff.h"
#include "scheduler/unit/worker_pool.h"

namespace weft::unit {

namespace {

// How long a worker waits with its eyes open: passes with a pause, about 1 us, then passes that
// let another thread run first; then it parks.
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
    while (!state_.is_done() || has_open()) {
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

bool Worker::pass() {
    bool has_worked = collect();
    has_worked |= follow_orders();
    if (!state_.is_done()) {
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
    } else if (idle_passes <= kSpinPasses + kYieldPasses || has_open_to_step()) {
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
    // Once more, now that whoever changes something sees the sleeper.
    bool must_go_on = true;
    try {
        must_go_on = pass();
    } catch (...) {
        state_.dormitory.leave(index_);
        throw;
    }
    if (must_go_on || state_.is_done() || is_answered_before_sleep()) {
        // Whoever claimed this worker for work may have meant other work than it found.
        if (state_.dormitory.leave(index_) == Sleep::Awake) {
            state_.dormitory.wake_one(index_);
        }
        return;
    }
    ++figures_.parks;
    state_.dormitory.park(index_, ticket);
}

bool Worker::has_open() const {
    return std::any_of(seats_.begin(), seats_.end(), [](const Seat* seat) {
        return !seat->is_lost && seat->has_open();
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
        settle_leaf(seat, portion);
    } else {
        seat.is_order_open = false;
        seat.is_attached = handed.operation == Operation::Attach;
        seat.figures.is_attached = seat.is_attached;
    }
    handed.is_open = false;
}

void Worker::settle_leaf(Seat& seat, u32 portion) {
    Handed& handed = seat.portions[portion];
    handed.is_open = false;  // whatever publish() throws: it is not published again
    const TaskStatus& status = seat.unit->answer(portion).status;
    seat.figures.parts_retried += status.retried_parts;
    const std::string who = "unit " + std::to_string(seat.number);
    if (status.error_code == kProgramThrew) {
        state_.fail(who + " failed: " + seat.unit->thrown());
        return;
    }
    if (status.error_code != 0) {
        state_.fail(who + ": part " + std::to_string(status.error_part) +
                    " of a leaf failed twice (error code " + std::to_string(status.error_code) +
                    ")");
        return;
    }
    // Pairs with the release in fail(). What ends badly publishes nothing more.
    if (state_.has_failed.load(std::memory_order_acquire)) {
        return;
    }
    state_.work->publish(handed.leaf, seat.number, portion);
    ++seat.figures.leaves;
    seat.figures.work += handed.work;
    ++figures_.leaves;
    // Sequentially consistent, before the look for sleepers: a sleeper adds to this number before
    // it asks next() for the last time, and so sees what was published.
    state_.open_items.fetch_sub(1, std::memory_order_seq_cst);
    state_.dormitory.wake_one(index_);
}

void Worker::measure(Seat& seat, const Handed& handed, const TaskStatus& status) {
    const u64 seen_ns = now_ns();
    const u64 round_trip = seen_ns - handed.rung_ns - (status.ended_ns - status.begun_ns);
    ++seat.answers;
    seat.round_trip_sum_ns += static_cast<double>(round_trip);
    seat.round_trip.add(static_cast<double>(round_trip));
    seat.figures.round_trip_ns = seat.round_trip_sum_ns / static_cast<double>(seat.answers);
    seat.figures.late_round_trip_ns = seat.round_trip.mean();
    // Of two leaves at once, each counts from the end of the one before.
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
        } else if (!state_.is_done()) {
            has_worked |= ring_order(*seat);
        }
    }
    return has_worked;
}

// Tells the unit what it is to be, if it does not know yet and has a portion free.
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
    // Its leaves go to others.
    state_.dormitory.wake_one(index_);
    return true;
}

// The unit is not rung again; its leaves go back, to be run elsewhere under another epoch. What it
// still writes stands in its own slots, which nobody publishes.
void Worker::lose(Seat& seat) {
    for (u32 portion = 0; portion < seat.portions.size(); ++portion) {
        if (seat.portions[portion].is_open && !seat.unit->is_ringing(portion)) {
            settle(seat, portion);
        }
    }
    seat.is_lost = true;
    seat.is_order_open = false;
    seat.figures.is_lost = true;
    for (Handed& handed : seat.portions) {
        if (handed.is_open && handed.operation == Operation::Run) {
            ENSURE(deque_.push(handed.leaf.word), ==, true);
            ++seat.figures.leaves_taken_back;
            state_.dormitory.wake_one(index_);
        }
        handed.is_open = false;
    }
    if (state_.config.on_lost) {
        state_.config.on_lost(seat.number);
    }
}

bool Worker::hand_over() {
    gather_offers();
    WorkItem item;
    if (offers_.empty() || !take(item)) {
        return false;
    }
    set_ratios(offers_);
    const LeafPlan plan = plan_leaf(offers_);
    figures_.last_target_work = plan.target_work;
    divide_down(item, plan);
    const u64 begin_ns = now_ns();
    offers_.resize(choose_offers(offers_, state_.work->size(item)));
    const auto count = static_cast<double>(offers_.size());
    spread(item);
    hand_over_.add(static_cast<double>(now_ns() - begin_ns) / count);
    return true;
}

void Worker::gather_offers() {
    offers_.clear();
    for (u32 place = 0; place < seats_.size(); ++place) {
        const Seat& seat = *seats_[place];
        if (!seat.can_take() || seat.free_portion() == kNone) {
            continue;
        }
        const UnitConfig& unit = seat.unit->config();
        const double rate = seat.throughput.rate();
        // With one portion the unit idles while doorbell and worker are on their way.
        const double idle_ns = unit.portions == 1 ? seat.round_trip.mean() : 0;
        CutoffInput input;
        input.overhead_ns = division_.mean() + hand_over_.mean() + idle_ns;
        input.ns_per_work = rate > 0 ? 1 / rate : 0;
        input.least_work = unit.least_work;
        input.most_work = unit.most_work;
        input.given_work = state_.config.leaf_work;
        offers_.push_back({place, rate, leaf_target(input), unit.least_work, unit.most_work, 0});
    }
}

// Own deque, then the others', then the caller.
bool Worker::take(WorkItem& item) {
    if (deque_.pop(item.word)) {
        return true;
    }
    if (!steal(item)) {
        if (state_.work->is_dry()) {
            return false;
        }
        // Counted before it is asked for, so that nobody takes the run for done meanwhile; and
        // sequentially consistent, see settle_leaf().
        state_.open_items.fetch_add(1, std::memory_order_seq_cst);
        if (!state_.work->next(item)) {
            state_.open_items.fetch_sub(1, std::memory_order_seq_cst);
            return false;
        }
        ++figures_.roots;
    }
    // There may be more where this came from.
    state_.dormitory.wake_one(index_);
    return true;
}

bool Worker::steal(WorkItem& item) {
    const auto count = static_cast<u32>(state_.deques.size());
    bool is_beaten = count > 1;
    while (is_beaten) {
        is_beaten = false;
        random_ ^= random_ << 13;
        random_ ^= random_ >> 7;
        random_ ^= random_ << 17;
        const u32 begin = static_cast<u32>(random_ % count);
        for (u32 step = 0; step < count; ++step) {
            const u32 victim = (begin + step) % count;
            if (victim == index_ || state_.deques[victim]->is_empty()) {
                continue;
            }
            ++figures_.steal_attempts;
            const Theft theft = state_.deques[victim]->steal(item.word);
            if (theft == Theft::Stolen) {
                ++figures_.steals;
                return true;
            }
            is_beaten |= theft == Theft::Beaten;
        }
    }
    return false;
}

// Halves the item until it is a leaf; the other halves can be stolen meanwhile.
void Worker::divide_down(WorkItem& item, const LeafPlan& plan) {
    while (!is_leaf(state_.work->size(item), plan.target_work, plan.most_work) &&
           deque_.room() > reserve_) {
        const u64 begin_ns = now_ns();
        WorkItem rest;
        if (!state_.work->divide(item, 0.5, rest) || !put_back(rest)) {
            return;
        }
        division_.add(static_cast<double>(now_ns() - begin_ns));
        ++figures_.divisions;
    }
}

// Gives each offer its part of the leaf, in the ratio of their throughput.
void Worker::spread(WorkItem item) {
    double ratio_left = 1;
    for (const UnitOffer& offer : offers_) {
        const auto size = static_cast<double>(state_.work->size(item));
        const double wanted =
            std::min(size * offer.ratio / ratio_left, static_cast<double>(offer.most_work));
        ratio_left -= offer.ratio;
        const bool is_last = &offer == &offers_.back();
        const bool is_whole = is_last && size <= static_cast<double>(offer.most_work);
        WorkItem rest;
        const bool has_rest = !is_whole && state_.work->divide(item, wanted / size, rest);
        if (has_rest) {
            // Relaxed: the item itself is open, so the number is not zero.
            state_.open_items.fetch_add(1, std::memory_order_relaxed);
            ++figures_.divisions;
        }
        if (!fit(item, offer.most_work)) {
            return;
        }
        give(*seats_[offer.seat], item);
        if (!has_rest) {
            return;
        }
        item = rest;
    }
    state_.open_items.fetch_sub(1, std::memory_order_relaxed);  // put_back counts it
    put_back(item);
}

// Cuts off what does not fit into the private slots of a portion.
bool Worker::fit(WorkItem& item, u64 most_work) {
    while (state_.work->size(item) > most_work) {
        WorkItem rest;
        if (!state_.work->divide(item, 0.5, rest)) {
            state_.fail("an item of " + std::to_string(state_.work->size(item)) +
                        " units of work cannot be divided, and a unit holds " +
                        std::to_string(most_work));
            return false;
        }
        ++figures_.divisions;
        if (!put_back(rest)) {
            return false;
        }
    }
    return true;
}

// A new item onto the own deque.
bool Worker::put_back(const WorkItem& item) {
    state_.open_items.fetch_add(1, std::memory_order_relaxed);  // as in spread()
    if (!deque_.push(item.word)) {
        state_.fail("the deque of worker " + std::to_string(index_) +
                    " is full: items are divided into too uneven parts");
        return false;
    }
    state_.dormitory.wake_one(index_);
    return true;
}

void Worker::give(Seat& seat, const WorkItem& leaf) {
    const u32 portion = seat.free_portion();
    Handed& handed = seat.portions[portion];
    handed.operation = Operation::Run;
    handed.leaf = leaf;
    handed.work = state_.work->size(leaf);
    TaskRegisters task;
    task.operation = Operation::Run;
    task.leaf = leaf;
    task.part_count =
        static_cast<u32>(std::clamp<u64>(handed.work, 1, seat.unit->config().lane_groups));
    ring(seat, portion, task);
}

u64 Worker::ring(Seat& seat, u32 portion, TaskRegisters task) {
    task.epoch = ++epochs_ * state_.deques.size() + index_;
    task.maybe_sleeper = seat.unit->has_thread() ? &state_.dormitory.place(index_) : nullptr;
    Handed& handed = seat.portions[portion];
    handed.epoch = task.epoch;
    handed.is_open = true;
    handed.rung_ns = now_ns();
    ++seat.figures.doorbells;
    seat.unit->ring(portion, task);
    return task.epoch;
}

}  // namespace weft::unit
