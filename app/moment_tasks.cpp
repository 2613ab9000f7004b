#include "app/moment_tasks.h"

#include "app/command/messages.h"
#include "app/command/signals.h"
#include "app/render_outputs.h"
#include "scheduler/base/ensure.h"
#include "scheduler/task/task_context.h"

namespace weft::app {

namespace {

using task::Outcome;

enum Priority : u32 { kRendering, kUrgent, kPriorities };

// One of each kind of task is under way at most.
task::TaskConfig task_config() {
    task::TaskConfig config;
    config.tasks = 8;
    config.levels = 1;
    config.groups = 1;
    config.queues = 2;  // one for each priority
    config.events = 1;
    config.slots = 1;
    config.priorities = kPriorities;
    config.host_slots = 8;
    config.urgent_tasks = 4;
    config.urgent_groups = 0;
    config.urgent_events = 0;
    config.urgent_slots = 0;
    return config;
}

}  // namespace

u64 samples_wanted(const Plan& plan, const frame::Renderer& frame) {
    return u64{frame.film().crop().width()} * frame.film().crop().height() *
           (plan.settings.samples_per_pixel - plan.settings.first_sample);
}

MomentTasks::MomentTasks(const Plan& plan,
                         frame::Renderer& frame,
                         Checkpoint& checkpoint,
                         ProgressPrinter& printer)
    : plan_(plan),
      frame_(frame),
      checkpoint_(checkpoint),
      printer_(printer),
      tasks_(task_config()),
      rendering_stream_(tasks_.create_stream()),
      urgent_stream_(tasks_.create_stream()) {}

base::Status MomentTasks::run() {
    const task::TaskDescriptor descriptor{
        .program = run_rendering, .context = this, .priority = kRendering};
    const task::Launched rendering = tasks_.submit(rendering_stream_, descriptor);
    ENSURE(rendering.is_accepted(), ==, true);
    while (!tasks_.is_complete(rendering.task)) {
        ENSURE(tasks_.run_one(), ==, true);
    }
    return status_;
}

Outcome MomentTasks::render(task::TaskContext& task) {
    const task::TaskId rendering = task.id();
    frame::RunHooks hooks;
    hooks.on_progress = [this](const frame::FrameProgress& progress) { look(progress); };
    hooks.should_hold = [this, rendering] { return tasks_.should_stop(rendering); };
    status_ = frame_.run(hooks);
    const bool is_over = !status_.is_ok() || frame_.is_whole() || frame_.has_given_up();
    return is_over ? Outcome::Done : Outcome::PutAside;
}

// While the frame runs: what has become urgent.
void MomentTasks::look(frame::FrameProgress progress) {
    // Once: the frame keeps the request while waves in flight end.
    if (was_interrupted() && stop_.index == kNone) {
        launch_urgent(run_stop, stop_);
    }
    checkpoint_.look();
    // There is nothing to write before the first samples.
    if (progress.samples_done > 0) {
        if (checkpoint_.is_due()) {
            launch_urgent(run_checkpoint, saving_);
        }
        if (is_snapshot_wanted()) {
            launch_urgent(run_snapshot, snapshot_);
        }
    }
    progress.samples_total = samples_wanted(plan_, frame_) - progress.samples_saved;
    printer_.show(progress);
}

// Unless the last one of its kind is still under way.
void MomentTasks::launch_urgent(task::TaskProgram program, task::TaskId& last) {
    if (last.index != kNone && !tasks_.is_complete(last)) {
        return;
    }
    const task::TaskDescriptor descriptor{.program = program, .context = this, .priority = kUrgent};
    const task::Launched launched = tasks_.submit(urgent_stream_, descriptor);
    ENSURE(launched.is_accepted(), ==, true);
    last = launched.task;
}

// --- programs ---

Outcome MomentTasks::run_rendering(task::TaskContext& task, void* self) {
    return static_cast<MomentTasks*>(self)->render(task);
}

Outcome MomentTasks::run_stop(task::TaskContext&, void* self) {
    static_cast<MomentTasks*>(self)->frame_.request_stop();
    return Outcome::Done;
}

Outcome MomentTasks::run_snapshot(task::TaskContext&, void* self) {
    const auto& own = *static_cast<MomentTasks*>(self);
    if (take_snapshot_wish()) {
        own.printer_.clear();
        // The checkpoint first: beside it, the snapshot is no finished picture.
        base::Status written = own.checkpoint_.save_now(own.plan_, own.frame_, false);
        if (written.is_ok()) {
            written = write_snapshot(own.plan_, own.frame_);
        }
        if (!written.is_ok()) {
            say(Level::Warning, "no snapshot: " + written.error().sentence);
        }
    }
    return Outcome::Done;
}

Outcome MomentTasks::run_checkpoint(task::TaskContext&, void* self) {
    const auto& own = *static_cast<MomentTasks*>(self);
    own.checkpoint_.save(own.plan_, own.frame_);
    return Outcome::Done;
}

}  // namespace weft::app
