#include "engine/live/refinement.h"

#include "scheduler/base/ensure.h"
#include "scheduler/task/task_context.h"

namespace weft::live {

void Refinement::launch() {
    is_suspended_ = false;
    const std::shared_ptr<LiveFrame> wanted = board_.is_failed() ? nullptr : frames_.current();
    if (!wanted) {
        return;
    }
    if (is_paused()) {
        const bool is_done = wanted->renderer->is_done();
        board_.update([is_done](LiveStatus& status) {
            status.state = is_done ? LiveState::Done : LiveState::Paused;
        });
        return;
    }
    if (task_ && !tasks_.is_complete(*task_)) {
        return;
    }
    task::TaskDescriptor descriptor;
    descriptor.program = run_task;
    descriptor.context = this;
    descriptor.priority = kRefinementPriority;
    const task::Launched launched =
        tasks_.submit(task::StreamIndex{kRefinementPriority}, descriptor);
    ENSURE(launched.is_accepted(), ==, true);
    task_ = launched.task;
}

task::Outcome Refinement::run_task(task::TaskContext&, void* self) {
    return static_cast<Refinement*>(self)->refine();
}

task::Outcome Refinement::refine() {
    const std::shared_ptr<LiveFrame> refined = frames_.current();
    if (!refined || is_suspended_ || board_.is_failed()) {
        return task::Outcome::Done;
    }
    frame::Renderer& renderer = *refined->renderer;
    board_.update([&](LiveStatus& status) {
        status.state = LiveState::Rendering;
        status.counters.resumptions += renderer.is_whole() ? 0U : 1U;
    });
    const base::Status ran = renderer.is_done() ? base::Status(base::Done{}) : run(*refined);
    if (!ran.is_ok()) {
        board_.fail(ran.error());
        return task::Outcome::Done;
    }
    const bool is_shown =
        !renderer.is_done() || refined->shown->complete(refined->job.settings.samples_per_pixel,
                                                        [this] { return should_hold(); });
    if ((renderer.is_done() && is_shown) || is_paused()) {
        let_go_of_pages(refined);
        board_.update([&](LiveStatus& status) {
            status.state = renderer.is_done() ? LiveState::Done : LiveState::Paused;
        });
        return task::Outcome::Done;
    }
    board_.update(
        [&](LiveStatus& status) { status.counters.evictions += renderer.is_whole() ? 0U : 1U; });
    return task::Outcome::PutAside;
}

void Refinement::finish_wave(LiveFrame& frame,
                             bool is_hidden,
                             const std::function<bool()>& is_given_up) {
    is_finishing_wave_ = true;
    is_given_up_ = is_given_up;
    frame.is_hidden = is_hidden;
    frame.shown->shown_filter().allow_quality(false);
    frame.renderer->request_whole();
    const base::Status ran = run(frame);
    is_finishing_wave_ = false;
    is_given_up_ = nullptr;
    frame.is_hidden = false;
    frame.shown->shown_filter().allow_quality(true);
    if (!ran.is_ok()) {
        board_.fail(ran.error());
    }
}

base::Status Refinement::run(LiveFrame& frame) {
    return runner_.run(frame, {.should_hold = [this] { return should_hold(); }, .on_progress = {}});
}

// Any worker.
bool Refinement::should_hold() const {
    if (is_finishing_wave_) {
        return queue_.is_closing() || (is_given_up_ && is_given_up_());
    }
    return queue_.is_closing() || is_paused() || tasks_.should_stop(*task_);
}

}  // namespace weft::live
