// live_status.h — how far a live render is: plain figures, and the board that keeps them.
//
//              show                 prepared                samples done
//     Idle ────────────► Preparing ──────────► Rendering ──────────────► Done
//                          ▲  │                 │    ▲                    │
//                          │  │ error     pause │    │ resume             │
//                          │  ▼                 ▼    │                    │
//                          │ Failed            Paused                     │
//                          └──── show, from any state ◄───────────────────┘
//
// A layer that the film does not hold is a frame of its own, so set_view may prepare as well.
#pragma once

#include <mutex>
#include <string>

#include "engine/live/live_filter.h"
#include "engine/live/quality_filter.h"
#include "engine/live/shown_picture.h"
#include "scheduler/base/result.h"

namespace weft::live {

enum class LiveState {
    Idle,       // no job yet
    Preparing,  // tables, tree, memory
    Rendering,
    Paused,  // what was rendered stays
    Done,    // all samples
    Failed,  // status().error says why; the old picture stays
};

// Counts since the live render began.
struct LiveCounters {
    u64 first_pictures = 0;  // coarse ones
    u64 fallbacks = 0;       // coarsest pictures, shown because no finer one was complete in time
    u64 frames = 0;          // begun at full size
    u64 evictions = 0;       // refinements that an answer ended, with all progress kept
    u64 resumptions = 0;     // refinements that continued a frame
    u64 returns = 0;         // jobs whose frame was there already
    u64 kept_tables = 0;     // jobs that were prepared with the tables of the job before
    u64 kept_trees = 0;      // jobs that were prepared with the tree of the job before
    u64 patched_trees = 0;   // trees of first pictures that were patched instead of built
    u64 built_trees = 0;     // trees that first pictures waited for
    u64 begun_builds = 0;    // builds of frames' trees, after their first pictures
    u64 stopped_builds = 0;  // of those, builds that the next job ended
    u64 pictures = 0;        // of the current frame
    u64 stand_ins = 0;       // runs in which the processor did the part of a GPU that draws
};

struct LiveStatus {
    LiveState state = LiveState::Idle;
    u64 job = 0;               // the newest
    u64 prepared_job = 0;      // the newest that was prepared
    u64 failed_job = 0;        // the newest that cannot be rendered; 0: none
    u32 samples_done = 0;      // of the mean pixel
    double samples_mean = 0;   // the same with the part of a sample that is under way
    u32 picture_samples = 0;   // samples a saved picture ends with; a layer's frame has another
    u32 samples_wanted = 0;    // samples the frame ends with: more than asked for if more had begun
    double noise = 0;          // of the mean block of pixels (engine/film/noise.h); 0: not known
    double elapsed_s = 0;      // rendering of the current frame
    double prepare_ms = 0;     // of the prepared job
    double samples_per_s = 0;  // of the last run that was long enough to measure
    TimeFigures first_picture;                // from show() to the first picture of that job
    LiveDenoise denoised = LiveDenoise::Off;  // what made the newest picture of the current frame
    FilterTimes filter;      // of pictures that have all pixels, by the fast filter
    QualityFigures quality;  // of those by the quality filter
    LiveCounters counters;
    std::string error;  // of the newest job; empty: none
};

// The status that the render thread writes and any thread reads. LiveRender::status() adds what the
// queue, the presenter and the current frame know.
class StatusBoard {
public:
    [[nodiscard]] LiveStatus read() const {
        const std::lock_guard lock(mutex_);
        return status_;
    }

    // Calls `change` with the status under the lock: a few assignments at most.
    template <typename Change>
    void update(Change change) {
        const std::lock_guard lock(mutex_);
        change(status_);
    }

    // The job that was begun last cannot be rendered. Nothing refines until begin_job().
    void fail(const base::Error& error) {
        const std::lock_guard lock(mutex_);
        status_.state = LiveState::Failed;
        status_.error = error.sentence;
        status_.failed_job = begun_job_;
        is_failed_ = true;
    }

    void begin_job(u64 number) {
        const std::lock_guard lock(mutex_);
        begun_job_ = number;
        if (is_failed_) {
            is_failed_ = false;
            status_.state = LiveState::Preparing;
            status_.error.clear();
        }
    }

    [[nodiscard]] bool is_failed() const {
        const std::lock_guard lock(mutex_);
        return is_failed_;
    }

private:
    mutable std::mutex mutex_;
    LiveStatus status_;
    u64 begun_job_ = 0;
    bool is_failed_ = false;
};

}  // namespace weft::live
