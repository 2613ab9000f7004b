// presenter.h — puts pictures before the interface, and measures how long people waited for them.
//
// Each job has at most one latency: that of its first picture. A fallback never replaces a picture
// of its job that is shown already. Workers present while a frame runs; the render thread begins
// jobs between runs; any thread reads the figures.
#pragma once

#include <mutex>

#include "engine/live/live_frame.h"
#include "engine/live/shown_picture.h"
#include "engine/live/time_log.h"
#include "scheduler/base/clock.h"

namespace weft::live {

class Presenter {
public:
    // The render thread has taken a job that was shown at this time.
    void begin_job(base::Clock::time_point shown_at) { shown_at_ = shown_at; }

    // How long the interface has waited for a picture of that job.
    [[nodiscard]] double waited_s() const { return base::seconds_since(shown_at_); }

    // Shows a frame that has a picture.
    void present(const LiveFrame& complete) { present(complete.shown, complete.number); }

    // Shows another picture of that job.
    void present(std::shared_ptr<const PictureSource> picture, u64 job);
    // Shows it unless a picture of the same job is shown already; returns whether it did.
    bool present_fallback(const LiveFrame& complete);

    // As LiveRender::take_picture.
    bool take(LivePicture& picture) { return picture_.take(picture); }

    // From show() to the first picture of that job that could be taken.
    [[nodiscard]] TimeFigures latency() const;

private:
    base::Clock::time_point shown_at_;  // written between runs only
    ShownPicture picture_;
    mutable std::mutex mutex_;  // guards the log, and which picture comes first
    u64 last_job_ = 0;          // the newest in the log; 0: none
    TimeLog latency_;
};

}  // namespace weft::live
