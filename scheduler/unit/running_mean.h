// running_mean.h — the mean of a worker's latest measurements.
//
// Measured times decide how large a share is and which unit gets it, never what a share computes.
// One thread owns a mean.
#pragma once

#include <algorithm>

#include "scheduler/base/ids.h"

namespace weft::unit {

// Mean of about the last eight values. A value far above the mean counts as four times the mean,
// because a preempted thread measures other programs too; lower values count in full.
class RunningMean {
public:
    void add(double value) {
        if (count_++ == 0) {
            mean_ = value;
            return;
        }
        mean_ += (std::min(value, 4 * mean_ + 1) - mean_) / 8;
    }

    [[nodiscard]] bool is_measured() const { return count_ > 0; }

    [[nodiscard]] double mean() const { return mean_; }

private:
    double mean_ = 0;
    u64 count_ = 0;
};

}  // namespace weft::unit
