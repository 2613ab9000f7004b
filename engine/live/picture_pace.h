// picture_pace.h — after how many samples the next picture of a frame is due.
//
// Early pictures follow each other soon. Each makes the frame wait for its last paths and takes the
// workers a while, so the time between two is a multiple of that; and the longer a frame has been
// rendered, the less another one shows.
//
// One thread at a time.
#pragma once

#include <algorithm>

#include "scheduler/base/clock.h"
#include "scheduler/base/ids.h"

namespace weft::live {

class PicturePace {
public:
    // `new_samples` were rendered since the last picture.
    [[nodiscard]] bool is_due(u64 new_samples) const { return new_samples >= due_samples_; }

    void begin_picture(u64 new_samples) {
        new_samples_ = new_samples;
        picture_begin_ = base::Clock::now();
    }

    void end_picture() {
        const double work_s = base::seconds_since(picture_begin_);
        const double since_s = std::max(base::seconds_since(last_), 1e-6);
        const double pause_s =
            std::max({kLeast_s, kShareOfAge * base::seconds_since(born_), kShareOfWork * work_s});
        due_samples_ = static_cast<u64>(static_cast<double>(new_samples_) / since_s *
                                        std::min(pause_s, kMost_s));
        last_ = base::Clock::now();
    }

private:
    static constexpr double kLeast_s = 0.2;
    static constexpr double kMost_s = 4;
    static constexpr double kShareOfAge = 0.06;
    static constexpr double kShareOfWork = 12;

    base::Clock::time_point born_ = base::Clock::now();
    base::Clock::time_point last_ = born_;
    base::Clock::time_point picture_begin_ = born_;
    u64 new_samples_ = 0;
    u64 due_samples_ = 0;
};

}  // namespace weft::live
