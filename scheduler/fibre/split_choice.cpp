#include "scheduler/fibre/split_choice.h"

#include <algorithm>
#include <cmath>

namespace weft::fibre {

u32 SplitChoice::next(const CacheCounters& counters, u32 managed, u32 least, u32 capacity) {
    const u64 lookups = counters.lookups() - seen_;
    if (lookups < kLookups) {
        return managed;
    }
    const double rate =
        static_cast<double>(counters.hits - seen_hits_) / static_cast<double>(lookups);
    restart(counters);
    // A move empties the cache: ignore its first misses.
    if (phase_ == Phase::Warming) {
        phase_ = Phase::Judging;
        return managed;
    }
    if (phase_ == Phase::Judging) {
        phase_ = Phase::Resting;
        if (rate < former_rate_ + kGain) {
            failed_rate_ = former_rate_;
            return std::max(former_, least);
        }
    }
    const u32 fewer = std::max(least, managed - std::min(managed, capacity / 8));
    const bool has_failed_here = std::fabs(rate - failed_rate_) < kChange;
    if (rate >= kGoodRate || has_failed_here || fewer >= managed) {
        return managed;
    }
    phase_ = Phase::Warming;
    former_ = managed;
    former_rate_ = rate;
    return fewer;
}

void SplitChoice::restart(const CacheCounters& counters) {
    seen_ = counters.lookups();
    seen_hits_ = counters.hits;
}

}  // namespace weft::fibre
