// refinement.h — the task that renders the current frame until all of its samples are done.
//
// At most one refinement is under way. Anything urgent evicts it: it stops handing out waves, keeps
// all of its progress in the frame, and the task room runs it again when nothing urgent is left.
//
//                 launch                        all samples, paused, failed
//     none ─────────────────► running ─────────────────────────────────────► none
//                              │   ▲
//           an answer is due   ▼   │ the answer is given
//                             evicted
//
// The render thread's, but for set_paused() and is_paused().
#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "engine/live/frame_runner.h"
#include "engine/live/job_queue.h"
#include "engine/live/live_frames.h"
#include "scheduler/task/task_runtime.h"

namespace weft::live {

// The streams and priorities of the render thread's two kinds of tasks.
enum TaskPriority : u32 { kRefinementPriority, kAnswerPriority, kTaskPriorities };

class Refinement {
public:
    Refinement(task::TaskRuntime& tasks,
               JobQueue& queue,
               LiveFrames& frames,
               FrameRunner& runner,
               StatusBoard& board)
        : tasks_(tasks), queue_(queue), frames_(frames), runner_(runner), board_(board) {}

    // Submits the task, unless it is under way, paused, or there is nothing to refine.
    void launch();

    // Nothing is refined until launch().
    void suspend() { is_suspended_ = true; }

    // Renders a frame until every pixel has the same number of samples, whatever is urgent, or
    // until `is_given_up` (any worker; empty: never). `is_hidden`: its pictures are not shown.
    void finish_wave(LiveFrame& frame, bool is_hidden, const std::function<bool()>& is_given_up);

    // Any thread. Returns whether it changed; launch() or an answer takes note of it.
    bool set_paused(bool is_paused) {
        return is_paused_.exchange(is_paused, std::memory_order_relaxed) != is_paused;
    }

    [[nodiscard]] bool is_paused() const { return is_paused_.load(std::memory_order_relaxed); }

private:
    static task::Outcome run_task(task::TaskContext& task, void* self);
    task::Outcome refine();
    base::Status run(LiveFrame& frame);
    [[nodiscard]] bool should_hold() const;

    task::TaskRuntime& tasks_;
    JobQueue& queue_;
    LiveFrames& frames_;
    FrameRunner& runner_;
    StatusBoard& board_;
    std::atomic<bool> is_paused_{false};  // relaxed: only says when to stop
    bool is_finishing_wave_ = false;      // written between runs
    std::function<bool()> is_given_up_;   // of the wave that is finished; written between runs
    bool is_suspended_ = false;           // written between runs
    std::optional<task::TaskId> task_;    // launched last; written between runs
};

}  // namespace weft::live
