#include "scheduler/unit/unit_watch.h"

#include <algorithm>

#include "scheduler/base/clock.h"
#include "scheduler/base/trace_log.h"

namespace weft::unit {

UnitWatch::UnitWatch(RunnerState& state) : state_(state), seen_(state.seats.size()) {
    const bool has_thread = std::any_of(state.seats.begin(),
                                        state.seats.end(),
                                        [](const auto& seat) { return seat->unit->has_thread(); });
    if (has_thread) {
        look(base::now_ns());
        thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
    }
}

void UnitWatch::watch(const std::stop_token& stop) {
    base::name_traced_thread("unit watch");
    // Eight checks within the patience: a unit is given up after 1 to 9/8 of it.
    const auto interval = std::clamp<std::chrono::nanoseconds>(
        state_.config.patience / 8, std::chrono::microseconds(500), std::chrono::milliseconds(500));
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        ended_.wait_for(lock, stop, interval, [] { return false; });
        look(base::now_ns());
    }
}

void UnitWatch::look(u64 time_ns) {
    for (const auto& seat : state_.seats) {
        if (!seat->unit->has_thread() || seat->is_given_up.load(std::memory_order_relaxed)) {
            continue;
        }
        Seen& seen = seen_[seat->number];
        const u64 progress = seat->unit->progress();
        if (progress != seen.progress || !seat->unit->must_step() || seen.since_ns == 0) {
            seen = {progress, time_ns};
        } else if (time_ns - seen.since_ns >= static_cast<u64>(state_.config.patience.count())) {
            state_.give_up(*seat);
        }
    }
}

}  // namespace weft::unit
