// first_picture.h — the first picture of a job: few pixels if need be, and on time.
//
// It comes in two steps. The coarsest picture that says anything takes a few milliseconds and is
// not shown at once: the time it took, on this very tree with these lights and this camera, tells
// how much finer the next picture may be. That finer picture is shown when it is complete. If it is
// not complete when a first picture is due, the coarsest one is shown until then. Both run on the
// same units, one after the other, and the next first picture takes those over.
//
//     coarsest (hidden) ── no time for finer ──────────────────────► shown
//            │ rate
//            ▼
//     finer ── complete in time ─────────────────────────────────► shown
//       │ due: show the coarsest meanwhile
//       └── over-due ── given up; the coarsest stays
//
// The render thread's.
#pragma once

#include <memory>

#include "engine/live/frame_runner.h"
#include "engine/live/job_queue.h"
#include "engine/live/scene_preparer.h"

namespace weft::live {

class FirstPicture {
public:
    FirstPicture(JobQueue& queue,
                 ScenePreparer& preparer,
                 FrameRunner& runner,
                 Presenter& presenter,
                 StatusBoard& board)
        : queue_(queue),
          preparer_(preparer),
          runner_(runner),
          presenter_(presenter),
          board_(board) {}

    // Draws and shows the first picture of the prepared job. None where the frame itself will be
    // complete about as soon, or where drawing fails. `is_hidden`: a better picture follows, to
    // which the coarsest one contributes; it is not shown.
    void show(const LiveJob& job, u64 number, bool is_hidden);

    // The picture of the newest prepared job; null: it has none.
    [[nodiscard]] const std::shared_ptr<LiveFrame>& shown() const { return shown_; }

    // By which its sides are divided.
    [[nodiscard]] u32 reduction() const { return reduction_; }

private:
    std::shared_ptr<LiveFrame> draw_coarsest(const LiveJob& job,
                                             u64 number,
                                             u32 reduction,
                                             frame::Renderer* maybe_spent);
    std::shared_ptr<LiveFrame> draw_finer(const LiveJob& job,
                                          u64 number,
                                          u32 reduction,
                                          const LiveFrame& fallback);
    std::shared_ptr<LiveFrame> make(const LiveJob& job,
                                    u64 number,
                                    u32 reduction,
                                    frame::Renderer* maybe_spent);
    bool run(LiveFrame& picture, const RunRules& rules);
    void present_fallback(const LiveFrame& fallback);
    void keep(std::shared_ptr<LiveFrame> picture, u32 reduction);
    [[nodiscard]] u32 pick_reduction(const LiveJob& job, u32 coarsest, double rate) const;
    [[nodiscard]] bool is_due() const;
    [[nodiscard]] bool is_over_due() const;

    JobQueue& queue_;
    ScenePreparer& preparer_;
    FrameRunner& runner_;
    Presenter& presenter_;
    StatusBoard& board_;
    std::shared_ptr<LiveFrame> shown_;
    u32 reduction_ = 1;
    LiveFilter filter_;
    double finer_speedup_ = 1;  // samples per second of finer pictures over those of coarsest ones
};

}  // namespace weft::live
