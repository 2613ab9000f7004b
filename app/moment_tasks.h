// moment_tasks.h — the tasks of `weft render` while it samples: rendering, and what is more urgent.
//
// Rendering is a task in the only slot (N3). A signal or a checkpoint that is due launches an
// urgent task; it evicts the rendering, which stops at the safe point between two steps of its
// units, keeps all of its progress in the frame, and resumes when nothing urgent is left.
//
//     SIGINT, SIGTERM ──▶ stop        ─┐ urgent
//     SIGUSR1 ──▶ snapshot             ├─▶ evicts ──▶ rendering ──▶ put aside ──▶ resumes
//     timer ──▶ checkpoint            ─┘
//
// The picture is the same whatever evicted it. The thread that drives the frame owns and runs it.
#pragma once

#include "app/checkpoint.h"
#include "app/command/progress.h"
#include "app/render_input.h"
#include "engine/frame/renderer.h"
#include "scheduler/task/task_runtime.h"

namespace weft::app {

// Samples of all pixels that the plan asks for, with those of a checkpoint.
u64 samples_wanted(const Plan& plan, const frame::Renderer& frame);

class MomentTasks {
public:
    MomentTasks(const Plan& plan,
                frame::Renderer& frame,
                Checkpoint& checkpoint,
                ProgressPrinter& printer);
    MomentTasks(const MomentTasks&) = delete;
    MomentTasks& operator=(const MomentTasks&) = delete;

    // Renders until the frame is whole, out of time or stopped.
    base::Status run();

private:
    static task::Outcome run_rendering(task::TaskContext& task, void* self);
    static task::Outcome run_stop(task::TaskContext& task, void* self);
    static task::Outcome run_snapshot(task::TaskContext& task, void* self);
    static task::Outcome run_checkpoint(task::TaskContext& task, void* self);
    task::Outcome render(task::TaskContext& task);
    void look(frame::FrameProgress progress);
    void launch_urgent(task::TaskProgram program, task::TaskId& last);

    const Plan& plan_;
    frame::Renderer& frame_;
    Checkpoint& checkpoint_;
    ProgressPrinter& printer_;
    task::TaskRuntime tasks_;
    // Two, since a task waits for the tasks before it in its stream, and the rendering ends last.
    task::StreamIndex rendering_stream_;
    task::StreamIndex urgent_stream_;
    base::Status status_ = base::Done{};
    // Launched last; none: index kNone.
    task::TaskId stop_;
    task::TaskId snapshot_;
    task::TaskId saving_;
};

}  // namespace weft::app
