// cutoff.h — when an item is a share: dividing it further would cost more than it is worth (W2).
//
// Pure. The costs are measured while the work runs (worker.cpp): what a worker spends on one
// division and on handing one share over, against what the share's work takes. At most one part in
// a hundred is spent so. A size that the caller gives goes before what is measured.
#pragma once

#include <algorithm>

#include "scheduler/base/ids.h"

namespace weft::unit {

// Of a share's time, what dividing and handing over may cost.
inline constexpr double kMostOverhead = 0.01;

struct CutoffInput {
    double overhead_ns = 0;   // of one division and one handing over; 0: not measured yet
    double ns_per_work = 0;   // of one unit of work; 0: not measured yet
    u64 least_work = 1;       // below it the unit's lanes idle
    u64 most_work = ~u64{0};  // above it the private slots overflow
    u64 given_work = 0;       // the size of a share by the caller's will; 0: measure it
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

// Halves of what is no share are at least as large as the target, unless it is too large to be one.
inline bool is_share(u64 size, u64 target, u64 most_work) {
    return size <= most_work && size / 2 < target;
}

}  // namespace weft::unit
