// time_to_go.h — estimates when a render will be done, from samples and times alone.
//
// The pace is that of the second half of the samples so far. A slow start (cold caches, kernels
// that are still compiled) leaves that half soon, and the half grows with the render, so that the
// estimate becomes steady. Samples that a checkpoint held count as done and not as pace. Pure: it
// reads no clock. One thread.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::app {

class TimeToGo {
public:
    struct Work {
        u64 found = 0;  // samples that a film held before this run
        u64 total = 0;  // samples, with those
        double limit_s = std::numeric_limits<double>::infinity();  // of this run
    };

    explicit TimeToGo(const Work& work) : work_(work) {}

    // `done` samples, with those that were found, at `elapsed_s` of this run. Neither may fall.
    void add(u64 done, double elapsed_s);

    // Seconds to the last sample or to the limit, whichever is earlier. None until half a second
    // and a hundredth of this run's samples are over, or ten seconds.
    [[nodiscard]] std::optional<double> left_s() const;

private:
    struct Moment {
        double samples = 0;  // of this run
        double elapsed_s = 0;
    };

    // When this run had so many samples, between the moments that are kept.
    [[nodiscard]] double time_of(double samples) const;
    [[nodiscard]] double wanted() const;

    Work work_;
    Moment now_;
    std::vector<Moment> kept_ = {{}};  // at most kMostMoments
};

}  // namespace weft::app
