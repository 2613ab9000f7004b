// live_frame.h — a job with everything that was made for it: renderer, film and shown picture.
//
// A frame may be put aside and brought back with all of its progress. The render thread drives it;
// the comments at its members name what other threads may do.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

#include "engine/frame/renderer.h"
#include "engine/live/live_job.h"
#include "engine/live/shown_frame.h"
#include "scheduler/base/clock.h"

namespace weft::live {

// Seconds that the runs of a frame took, up to now where a run is under way. Any thread reads, the
// render thread starts and stops.
class RunClock {
public:
    void start() {
        const std::lock_guard lock(mutex_);
        run_since_ = base::Clock::now();
    }

    // Returns the seconds of this run.
    double stop() {
        const std::lock_guard lock(mutex_);
        const double run_s = base::seconds_since(*run_since_);
        run_since_ = std::nullopt;
        ended_s_ += run_s;
        return run_s;
    }

    [[nodiscard]] double elapsed_s() const {
        const std::lock_guard lock(mutex_);
        return ended_s_ + (run_since_ ? base::seconds_since(*run_since_) : 0);
    }

private:
    mutable std::mutex mutex_;
    double ended_s_ = 0;
    std::optional<base::Clock::time_point> run_since_;
};

struct LiveFrame {
    u64 number = 0;  // of the newest job that this frame belongs to
    LiveJob job;
    std::unique_ptr<frame::Renderer> renderer;
    std::shared_ptr<ShownFrame> shown;
    RunClock clock;
    bool is_hidden = false;  // completing its picture does not show it
};

// For a frame that does not run: rays that wait keep pages in memory, which may be all that the
// budget holds. Its film stays.
inline void let_go_of_pages(const std::shared_ptr<LiveFrame>& maybe_frame) {
    if (maybe_frame && maybe_frame->renderer->has_pages()) {
        maybe_frame->renderer->let_go_of_units();
    }
}

inline film::Region region_of(const frame::RenderSettings& settings) {
    return settings.crop.value_or(film::Region{0, 0, settings.width, settings.height});
}

inline ShownPlace place_of(const LiveJob& job, u64 number, bool is_coarse) {
    return {.job = number,
            .full_width = job.settings.width,
            .full_height = job.settings.height,
            .region = region_of(job.settings),
            .is_coarse = is_coarse};
}

}  // namespace weft::live
