// latency.h — the time from a job to its first picture: the last times and their percentiles.
//
// Presenter owns the log and guards it by its mutex.
#pragma once

#include <algorithm>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::live {

// Milliseconds from show() to the first picture of that job that could be taken.
struct LatencyFigures {
    u64 count = 0;
    double last_ms = 0;
    double p50_ms = 0;  // of the last 256
    double p95_ms = 0;
};

class LatencyLog {
public:
    void add(u64 job, double milliseconds) {
        last_job_ = job;
        last_ms_ = milliseconds;
        if (times_ms_.size() < kKept) {
            times_ms_.push_back(milliseconds);
        } else {
            times_ms_[count_ % kKept] = milliseconds;
        }
        ++count_;
    }

    // The newest job in the log; 0: none.
    [[nodiscard]] u64 last_job() const { return last_job_; }

    [[nodiscard]] LatencyFigures figures() const {
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

    u64 last_job_ = 0;
    u64 count_ = 0;
    double last_ms_ = 0;
    std::vector<double> times_ms_;
};

}  // namespace weft::live
