// frame_times.h — how long the interface's frames took, for --stats and the status line.
//
// An interval runs from one shown frame to the next while the interface has a reason to draw, so a
// renderer that starves the interface shows here. A histogram with buckets of 0.25 ms holds the
// whole session; its memory is fixed. Interface thread only.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "scheduler/base/ids.h"

namespace weft::app {

class FrameTimes {
public:
    void add(double milliseconds) {
        const auto bucket = static_cast<std::size_t>(std::max(0.0, milliseconds) / kBucketMs);
        ++buckets_[std::min(bucket, kBuckets - 1)];
        ++count_;
        longest_ms_ = std::max(longest_ms_, milliseconds);
    }

    [[nodiscard]] u64 count() const { return count_; }

    [[nodiscard]] double longest_ms() const { return longest_ms_; }

    // Upper edge of the bucket that holds this percentile; 0 without frames.
    [[nodiscard]] double percentile_ms(double share) const {
        u64 seen = 0;
        for (std::size_t k = 0; k < kBuckets && count_ > 0; ++k) {
            seen += buckets_[k];
            if (static_cast<double>(seen) >= share * static_cast<double>(count_)) {
                return std::min(static_cast<double>(k + 1) * kBucketMs, longest_ms_);
            }
        }
        return 0;
    }

private:
    static constexpr double kBucketMs = 0.25;
    static constexpr std::size_t kBuckets =
        4000;  // one second; the last also holds all longer frames

    std::array<u64, kBuckets> buckets_{};
    u64 count_ = 0;
    double longest_ms_ = 0;
};

}  // namespace weft::app
