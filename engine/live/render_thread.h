// render_thread.h — the thread of a live render: it answers, and refines in between.
//
// It runs two kinds of tasks (scheduler/task), one at a time, in one slot. An *answer* takes all
// that waits in the queue: the newest job gets a scene, a first picture and a frame; a new view is
// applied; questions are answered. A *refinement* renders the frame. Answers are urgent and evict
// it. README.md draws the states.
//
// Members are shared with the threads that LiveRender's functions run on as each of them says.
#pragma once

#include <functional>
#include <thread>

#include "engine/live/first_picture.h"
#include "engine/live/frame_runner.h"
#include "engine/live/job_queue.h"
#include "engine/live/live_frames.h"
#include "engine/live/live_status.h"
#include "engine/live/presenter.h"
#include "engine/live/refinement.h"
#include "engine/live/scene_preparer.h"
#include "engine/live/solid_display.h"
#include "engine/live/spread_pictures.h"
#include "scheduler/task/task_runtime.h"

namespace weft::live {

class RenderThread {
public:
    // `thread_count` workers, 0: one per core.
    explicit RenderThread(u32 thread_count);
    // Holds what runs, answers the questions that wait with null, and joins.
    ~RenderThread();
    RenderThread(const RenderThread&) = delete;
    RenderThread& operator=(const RenderThread&) = delete;
    RenderThread(RenderThread&&) = delete;
    RenderThread& operator=(RenderThread&&) = delete;

    [[nodiscard]] JobQueue& queue() { return queue_; }

    [[nodiscard]] const JobQueue& queue() const { return queue_; }

    [[nodiscard]] StatusBoard& board() { return board_; }

    [[nodiscard]] const StatusBoard& board() const { return board_; }

    [[nodiscard]] LiveFrames& frames() { return frames_; }

    [[nodiscard]] const LiveFrames& frames() const { return frames_; }

    [[nodiscard]] Presenter& presenter() { return presenter_; }

    [[nodiscard]] const Presenter& presenter() const { return presenter_; }

    [[nodiscard]] FrameRunner& runner() { return runner_; }

    [[nodiscard]] const LiveFilter& filter() const { return filter_; }

    [[nodiscard]] const QualityFilter& quality() const { return quality_; }

    [[nodiscard]] const ScenePreparer& preparer() const { return preparer_; }

    [[nodiscard]] Refinement& refinement() { return refinement_; }

    // The job that was taken last. For answers of questions.
    [[nodiscard]] const LiveJob& newest_job() const { return newest_job_; }

private:
    void serve();
    void submit_answer();
    static task::Outcome run_answer(task::TaskContext& task, void* self);
    void answer();
    void answer_question(const Question& question);
    [[nodiscard]] LiveJob made_ready(LiveJob job);
    void take_job(LiveJob job, u64 number);
    void take_solid_job();
    [[nodiscard]] std::shared_ptr<LiveFrame> put_frame_aside();
    bool resume_frame(const LiveJob& job, u64 number);
    void begin_frame(LiveJob job, u64 number);
    void change_view(const LiveView& view);
    void leave_solid(const LiveView& view);
    void report_picture_samples();

    const u32 thread_count_;
    StatusBoard board_;
    Presenter presenter_;
    LiveFilter filter_;      // of frames at full size
    QualityFilter quality_;  // the same
    LiveFrames frames_;
    LiveJob newest_job_;     // the render thread's
    u64 newest_number_ = 0;  // the render thread's
    JobQueue queue_;
    FrameRunner runner_;
    ScenePreparer preparer_;
    FirstPicture first_picture_;
    SpreadPictures spread_pictures_;
    SolidDisplay solid_;
    task::TaskRuntime tasks_;
    Refinement refinement_;
    std::jthread thread_;
};

}  // namespace weft::live
