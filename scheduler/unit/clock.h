// clock.h — the time that this room measures by, and the running mean of what it measured.
//
// Measured times decide how large a leaf is and which unit gets it, never what a leaf computes.
#pragma once

#include <algorithm>
#include <chrono>

#include "scheduler/base/ids.h"

namespace weft::unit {

// Nanoseconds of the steady clock; about 25 ns a call.
inline u64 now_ns() {
    return static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                std::chrono::steady_clock::now().time_since_epoch())
                                .count());
}

// Mean of about the last eight. A value far above the mean counts as four times it, for a thread
// that was put aside measures the machine's other business; lower ones count in full.
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
