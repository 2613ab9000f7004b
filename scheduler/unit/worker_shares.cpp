// worker_shares.cpp — a worker gets an item, divides it down to the cutoff, splits it among its
// free units, and rings.
#include <algorithm>
#include <string>

#include "scheduler/base/clock.h"
#include "scheduler/base/trace_log.h"
#include "scheduler/unit/cutoff.h"
#include "scheduler/unit/worker.h"

namespace weft::unit {

bool Worker::hand_over() {
    const u64 begin_ns = base::now_ns();
    gather_offers();
    if (offers_.empty()) {
        return false;
    }
    WorkItem item;
    const bool is_own = deque_.pop(item.word);
    if (!is_own && !take_elsewhere(item)) {
        return false;
    }
    set_ratios(offers_);
    const SharePlan plan = plan_share(offers_);
    figures_.last_target_work = plan.target_work;
    const u64 dividing_ns = divide_down(item, plan);
    offers_.resize(choose_offers(offers_, state_.work->size(item)));
    const auto count = static_cast<double>(offers_.size());
    spread(item);
    // The costs of stealing and of Work::next() are not part of a share's overhead.
    if (is_own) {
        hand_over_.add(static_cast<double>(base::now_ns() - begin_ns - dividing_ns) / count);
    }
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
        // A round trip costs the worker's time for a unit that it steps. It costs the unit's time
        // with a single portion, since the unit idles until the next ring.
        const bool is_idle = unit.portions == 1 || !seat.unit->has_thread();
        const double idle_ns = is_idle ? seat.round_trip.mean() : 0;
        CutoffInput input;
        input.overhead_ns = division_.mean() + hand_over_.mean() + idle_ns;
        input.ns_per_work = rate > 0 ? 1 / rate : 0;
        input.least_work = unit.least_work;
        input.most_work = unit.most_work;
        input.given_work = state_.config.share_work;
        offers_.push_back({place, rate, share_target(input), unit.least_work, unit.most_work, 0});
    }
}

// The own deque is empty: steal, then ask the caller for a root.
bool Worker::take_elsewhere(WorkItem& item) {
    if (!steal(item)) {
        if (state_.work->is_dry()) {
            return false;
        }
        // Count the item before next() gives it, so that no worker takes the run for done;
        // sequentially consistent, see settle_share().
        state_.open_items.fetch_add(1, std::memory_order_seq_cst);
        if (!state_.work->next(item)) {
            state_.open_items.fetch_sub(1, std::memory_order_seq_cst);
            return false;
        }
        ++figures_.roots;
    }
    // There may be more work: wake another worker.
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
            const base::TraceMark mark("steal", "from", victim);
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

// Halves the item until it is a share; thieves may take the other halves. Returns the time spent.
u64 Worker::divide_down(WorkItem& item, const SharePlan& plan) {
    u64 all_ns = 0;
    while (!is_share(state_.work->size(item), plan.target_work, plan.most_work) &&
           deque_.room() > reserve_) {
        const u64 begin_ns = base::now_ns();
        WorkItem rest;
        if (!state_.work->divide(item, 0.5, rest) || !put_back(rest)) {
            break;
        }
        const u64 one_ns = base::now_ns() - begin_ns;
        division_.add(static_cast<double>(one_ns));
        all_ns += one_ns;
        ++figures_.divisions;
    }
    return all_ns;
}

// Splits the item among the offers in the ratio of their throughput.
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

// Cuts off the work that does not fit into the private slots of a portion.
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

// Pushes a new item onto the own deque.
bool Worker::put_back(const WorkItem& item) {
    state_.open_items.fetch_add(1, std::memory_order_relaxed);  // as in spread()
    return push(item);
}

// Pushes an item that open_items counts already.
bool Worker::push(const WorkItem& item) {
    if (!deque_.push(item.word)) {
        state_.fail("the deque of worker " + std::to_string(index_) +
                    " is full: items are divided into too uneven parts");
        return false;
    }
    state_.dormitory.wake_one(index_);
    return true;
}

void Worker::give(Seat& seat, const WorkItem& share) {
    const u32 portion = seat.free_portion();
    Handed& handed = seat.portions[portion];
    handed.operation = Operation::Run;
    handed.share = share;
    handed.work = state_.work->size(share);
    TaskRegisters task;
    task.operation = Operation::Run;
    task.share = share;
    task.part_count =
        static_cast<u32>(std::clamp<u64>(handed.work, 1, seat.unit->config().lane_groups));
    ring(seat, portion, task);
}

void Worker::ring(Seat& seat, u32 portion, TaskRegisters task) {
    task.epoch = ++epochs_ * state_.deques.size() + index_;
    task.maybe_sleeper = seat.unit->has_thread() ? &state_.dormitory.place(index_) : nullptr;
    Handed& handed = seat.portions[portion];
    handed.epoch = task.epoch;
    handed.is_open = true;
    handed.rung_ns = base::now_ns();
    ++seat.figures.doorbells;
    seat.unit->ring(portion, task);
}

}  // namespace weft::unit
