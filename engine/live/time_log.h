// time_log.h — durations of a repeated step: the last ones and their percentiles.
//
// One thread at a time.
#pragma once

#include <algorithm>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::live {

struct TimeFigures {
    u64 count = 0;
    double last_ms = 0;
    double p50_ms = 0;  // of the last 256
    double p95_ms = 0;
};

class TimeLog {
public:
    void add(double milliseconds) {
        last_ms_ = milliseconds;
        if (times_ms_.size() < kKept) {
            times_ms_.push_back(milliseconds);
        } else {
            times_ms_[count_ % kKept] = milliseconds;
        }
        ++count_;
    }

    [[nodiscard]] TimeFigures figures() const {
        std::vector<double> sorted = times_ms_;
        std::sort(sorted.begin(), sorted.end());
        // The smallest time that `percent` of all times do not exceed.
        const auto below = [&](u64 percent) {
            return sorted.empty() ? 0 : sorted[(sorted.size() * percent + 99) / 100 - 1];
        };
        return {count_, last_ms_, below(50), below(95)};
    }

private:
    static constexpr std::size_t kKept = 256;

    u64 count_ = 0;
    double last_ms_ = 0;
    std::vector<double> times_ms_;
};

}  // namespace weft::live
