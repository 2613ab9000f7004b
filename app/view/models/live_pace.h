// live_pace.h — estimates when a live render will have all samples, from what its status says.
//
// TimeToGo of app/command follows one render of a known length. A live render begins again, goes
// back to a former frame and gets other numbers of samples; each of these starts another estimate.
// Reads no clock. Interface thread only.
#pragma once

#include <optional>

#include "app/command/time_to_go.h"
#include "engine/live/live_status.h"

namespace weft::app {

class LivePace {
public:
    // Call with each new status of a picture of so many pixels, whose blocks end at this noise; 0:
    // never.
    void look(const live::LiveStatus& status, u64 pixels, double noise_threshold);

    // Seconds to the last sample, or to the noise threshold of the mean block if that is earlier.
    // None before a pace is known, and when nothing is left.
    [[nodiscard]] std::optional<double> left_s() const;

private:
    // Whether the status goes on from the last one.
    [[nodiscard]] bool goes_on(const live::LiveStatus& status, u64 done, u64 total) const;

    std::optional<TimeToGo> to_go_;
    std::optional<double> to_noise_s_;
    u64 job_ = 0;
    u64 done_ = 0;   // samples of all pixels
    u64 total_ = 0;  // the same
    double elapsed_s_ = 0;
};

}  // namespace weft::app
