#include "scheduler/fibre/coarse_scheduler.h"

#include <algorithm>

#include "scheduler/base/ensure.h"
#include "scheduler/fibre/packet_policy.h"

namespace weft::fibre {

namespace {

// Bounded priorities differ by less than 2: waiting through kAgeBound outweighs any difference.
constexpr double kThreadAgeGain = 2.0 / static_cast<double>(kAgeBound);

}  // namespace

void CoarseCounters::add(const CoarseCounters& other) {
    threads_taken += other.threads_taken;
    threads_with_range += other.threads_with_range;
    threads_refused += other.threads_refused;
    threads_too_large += other.threads_too_large;
    threads_started += other.threads_started;
    threads_finished += other.threads_finished;
    threads_held_up += other.threads_held_up;
    threads_kept_apart += other.threads_kept_apart;
    threads_overtaken += other.threads_overtaken;
    max_wait = std::max(max_wait, other.max_wait);
    max_waiting = std::max(max_waiting, other.max_waiting);
}

CoarseScheduler::CoarseScheduler(u32 capacity) : slots_(capacity), order_(capacity) {}

Admission CoarseScheduler::submit(const ThreadDesc& desc, u32 element_capacity, u64 now) {
    ENSURE(desc.launch_count, >, 0u);
    ENSURE(desc.elements_at_once, >, 0u);
    if (desc.elements_at_once > element_capacity) {
        ++counters_.threads_too_large;
        return Admission::TooLarge;
    }
    const auto slot = std::find_if(slots_.begin(), slots_.end(), [](const Slot& candidate) {
        return candidate.phase == Phase::Free;
    });
    if (slot == slots_.end()) {
        ++counters_.threads_refused;
        return Admission::Full;
    }
    *slot = {
        .desc = desc,
        .phase = Phase::Waiting,
        .arrival = now,
        .last_given = now,
        .urgency = bounded_priority(desc.priority) - kThreadAgeGain * static_cast<double>(now)};
    // Insert behind all of equal urgency, so that equals start in order of arrival.
    u32 at = order_count_++;
    for (; at > 0 && slots_[order_[at - 1]].urgency < slot->urgency; --at) {
        order_[at] = order_[at - 1];
    }
    order_[at] = static_cast<u32>(slot - slots_.begin());
    ++thread_count_;
    ++waiting_count_;
    ++counters_.threads_taken;
    counters_.threads_with_range += desc.range.is_empty() ? 0u : 1u;
    counters_.max_waiting = std::max(counters_.max_waiting, u64{waiting_count_});
    return Admission::Taken;
}

// Elements that a thread still needs at once: at most its remaining launches.
u32 CoarseScheduler::declared(const Slot& slot) const {
    const u64 usable = slot.held + (slot.desc.launch_count - slot.launched);
    return static_cast<u32>(std::min(u64{slot.desc.elements_at_once}, usable));
}

// Free elements that are reserved for a running thread.
u32 CoarseScheduler::reserved(const Slot& slot) const {
    return declared(slot) - std::min(declared(slot), slot.held);
}

// Whether a running or a more urgent thread writes into the range of a waiting one.
bool CoarseScheduler::must_wait_for_range(u32 position) const {
    const Slot& slot = slots_[order_[position]];
    if (slot.desc.range.is_empty()) {
        return false;
    }
    const auto meets = [&](const Slot& other) {
        return other.desc.range.overlaps(slot.desc.range);
    };
    const auto runs_and_meets = [&](const Slot& other) {
        return other.phase == Phase::Running && meets(other);
    };
    return std::any_of(slots_.begin(), slots_.end(), runs_and_meets) ||
           std::any_of(order_.begin(), order_.begin() + position, [&](u32 index) {
               return meets(slots_[index]);
           });
}

// Position of the thread that is overdue longest; kNone: none is.
u32 CoarseScheduler::most_overdue(u64 now) const {
    u32 found = kNone;
    u64 oldest = now > kAgeBound ? now - kAgeBound : 0;
    for (u32 position = 0; position < order_count_; ++position) {
        const Slot& slot = slots_[order_[position]];
        if (slot.held == 0 && slot.last_given < oldest &&
            !(slot.phase == Phase::Waiting && must_wait_for_range(position))) {
            found = position;
            oldest = slot.last_given;
        }
    }
    return found;
}

void CoarseScheduler::hold_up(Slot& slot, bool is_for_range) {
    counters_.threads_held_up += slot.is_held_up ? 0 : 1;
    counters_.threads_kept_apart += is_for_range && !slot.is_kept_apart ? 1u : 0u;
    slot.is_held_up = true;
    slot.is_kept_apart = slot.is_kept_apart || is_for_range;
}

bool CoarseScheduler::next(u32 free_elements, u32 most, u64 now, Grant& grant) {
    if (order_count_ == 0 || free_elements == 0 || most == 0) {
        return false;
    }
    if (const u32 overdue = most_overdue(now); overdue != kNone) {
        Slot& slot = slots_[order_[overdue]];
        if (declared(slot) > free_elements) {
            hold_up(slot, false);
            return false;
        }
        launch(overdue, std::min(most, declared(slot)), now, grant);
        return true;
    }
    u32 kept = 0;
    for (u32 position = 0; position < order_count_; ++position) {
        const Slot& slot = slots_[order_[position]];
        kept += slot.phase == Phase::Running ? reserved(slot) : 0;
    }
    // An overdue thread may have taken what was reserved for others.
    const u32 spare = free_elements - std::min(free_elements, kept);
    bool is_passed = false;  // a waiting thread was passed over
    for (u32 position = 0; position < order_count_; ++position) {
        Slot& slot = slots_[order_[position]];
        const bool is_waiting = slot.phase == Phase::Waiting;
        const bool must_wait = is_waiting && must_wait_for_range(position);
        if (must_wait || (is_waiting && declared(slot) > spare)) {
            hold_up(slot, must_wait);
            is_passed = true;
            continue;
        }
        const u32 own = is_waiting ? spare : std::min(spare + reserved(slot), free_elements);
        if (own > 0) {
            counters_.threads_overtaken += is_waiting && is_passed ? 1 : 0;
            launch(position, std::min(most, own), now, grant);
            return true;
        }
    }
    return false;
}

// Launches at most `count` elements of the thread at `position`; with its last launch the thread
// leaves the order.
void CoarseScheduler::launch(u32 position, u32 count, u64 now, Grant& grant) {
    const u32 index = order_[position];
    Slot& slot = slots_[index];
    if (slot.phase == Phase::Waiting) {
        slot.phase = Phase::Running;
        --waiting_count_;
        ++counters_.threads_started;
        counters_.max_wait = std::max(counters_.max_wait, now - slot.arrival);
    }
    const u64 left = slot.desc.launch_count - slot.launched;
    grant = {.thread = index,
             .user = slot.desc.user,
             .first_launch = slot.launched,
             .count = static_cast<u32>(std::min(u64{count}, left)),
             .priority = slot.desc.priority};
    slot.launched += grant.count;
    slot.held += grant.count;
    slot.last_given = now;
    if (slot.launched == slot.desc.launch_count) {
        const auto from = order_.begin() + position;
        std::copy(from + 1, order_.begin() + order_count_, from);
        --order_count_;
    }
}

std::optional<u64> CoarseScheduler::released(u32 thread, u32 count) {
    Slot& slot = slots_[thread];
    ENSURE(count, <=, slot.held);
    slot.held -= count;
    if (slot.held > 0 || slot.launched < slot.desc.launch_count) {
        return std::nullopt;
    }
    slot.phase = Phase::Free;
    --thread_count_;
    ++counters_.threads_finished;
    return slot.desc.user;
}

u32 CoarseScheduler::most_declared() const {
    u32 most = 0;
    for (const Slot& slot : slots_) {
        most = slot.phase == Phase::Free ? most : std::max(most, slot.desc.elements_at_once);
    }
    return most;
}

}  // namespace weft::fibre
