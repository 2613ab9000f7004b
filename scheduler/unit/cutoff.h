// cutoff.h — decides when an item is a share: dividing it further would cost too much (W2).
//
// Pure. Workers measure while they run (worker.cpp): the time of one division and one hand-over,
// and the time of the share's work. The overhead stays below a hundredth of the work. A size given
// by the caller overrides the measurement.
#pragma once

#include <algorithm>

#include "scheduler/base/ids.h"

namespace weft::unit {

// The fraction of a share's time that dividing and handing over may cost.
inline constexpr double kMostOverhead = 0.01;

struct CutoffInput {
    double overhead_ns = 0;   // of one division and one hand-over; 0: not measured yet
    double ns_per_work = 0;   // of one unit of work; 0: not measured yet
    u64 least_work = 1;       // below it the unit's lanes idle
    u64 most_work = ~u64{0};  // above it the private slots overflow
    u64 given_work = 0;       // size of a share, set by the caller; 0: measure it
};

// The size that shares should have, within [1, most_work].
inline u64 share_target(const CutoffInput& input) {
    if (input.given_work != 0) {
        return std::min(input.given_work, input.most_work);
    }
    double work = static_cast<double>(input.least_work);
    if (input.overhead_ns > 0 && input.ns_per_work > 0) {
        work = std::max(work, input.overhead_ns / (kMostOverhead * input.ns_per_work));
    }
    // Compared before it is converted: a double beyond u64 has no u64.
    return work >= static_cast<double>(input.most_work) ? input.most_work : static_cast<u64>(work);
}

// An item that is no share has halves of at least the target's size, or is too large for a portion.
inline bool is_share(u64 size, u64 target, u64 most_work) {
    return size <= most_work && size / 2 < target;
}

}  // namespace weft::unit
