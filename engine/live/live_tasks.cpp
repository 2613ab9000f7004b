// live_tasks.cpp — the render thread: answers, which are urgent, and the refinement that they
// evict.
#include <algorithm>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include "engine/live/live_state.h"
#include "scheduler/base/trace_log.h"
#include "scheduler/task/task_context.h"

namespace weft::live {

namespace {

using Clock = std::chrono::steady_clock;

// How far the render thread gives way, and with it all workers, which inherit it: the interface's
// thread is then run as soon as it wants to.
constexpr int kNiceness = 5;
// A run shorter than this says nothing about how fast samples are.
constexpr double kLeastMeasured_s = 0.005;

enum Priority : u32 { kRefinement, kUrgent, kPriorities };

task::TaskDescriptor descriptor_of(task::TaskProgram program, void* state, u32 priority) {
    task::TaskDescriptor descriptor;
    descriptor.program = program;
    descriptor.context = state;
    descriptor.priority = priority;
    return descriptor;
}

}  // namespace

LiveRender::State::State(u32 threads) : thread_count(threads), tasks(task_config(this)) {
    if (thread_count == 0) {
        thread_count = std::max(1U, std::thread::hardware_concurrency());
    }
}

// One slot: the room asks the refinement to stop as soon as an answer waits.
task::TaskConfig LiveRender::State::task_config(State* state) {
    task::TaskConfig config;
    config.tasks = 16;
    config.levels = 1;
    config.groups = 4;
    config.queues = kPriorities;
    config.events = 4;
    config.slots = 1;
    config.priorities = kPriorities;
    config.host_slots = 8;
    config.urgent_tasks = 4;
    config.urgent_groups = 1;
    config.urgent_events = 1;
    config.urgent_slots = 0;
    config.on_ready = [](void* context) { static_cast<State*>(context)->tell_ready(); };
    config.on_ready_context = state;
    return config;
}

void LiveRender::State::tell_ready() {
    const std::lock_guard lock(mutex);
    is_ready = true;
    changed.notify_all();
}

void LiveRender::State::serve() {
    // Giving way is a courtesy: where the system refuses it, the render goes on all the same.
    static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness));
    base::name_traced_thread("live render");
    while (!is_closing.load(std::memory_order_relaxed)) {
        while (!is_closing.load(std::memory_order_relaxed) && tasks.run_one()) {
        }
        std::unique_lock lock(mutex);
        changed.wait(lock,
                     [this] { return is_ready || is_closing.load(std::memory_order_relaxed); });
        is_ready = false;
    }
    std::unique_lock lock(mutex);
    while (!questions.empty()) {
        const Question question = std::move(questions.front());
        questions.pop_front();
        lock.unlock();
        question.answer(nullptr);
        lock.lock();
    }
}

// Something for the render thread to look at: one answer takes all that there is.
void LiveRender::State::want_answer(std::unique_lock<std::mutex>& lock) {
    const bool was_due = std::exchange(is_answer_due, true);
    lock.unlock();
    if (!was_due) {
        const task::Launched launched =
            tasks.submit(task::StreamIndex{kUrgent}, descriptor_of(run_answer, this, kUrgent));
        ENSURE(launched.is_accepted(), ==, true);
    }
}

task::Outcome LiveRender::State::run_answer(task::TaskContext&, void* state) {
    static_cast<State*>(state)->answer();
    return task::Outcome::Done;
}

task::Outcome LiveRender::State::run_refinement(task::TaskContext& task, void* state) {
    return static_cast<State*>(state)->refine(task);
}

void LiveRender::State::answer() {
    std::optional<LiveJob> job;
    std::optional<LiveView> new_view;
    u64 number = 0;
    {
        const std::lock_guard lock(mutex);
        is_answer_due = false;
        job = std::exchange(waiting, std::nullopt);
        is_job_waiting.store(false, std::memory_order_relaxed);
        number = newest;
        if (job) {
            taken_at = shown_at;
        }
        if (std::exchange(is_view_new, false)) {
            new_view = view;
        }
    }
    if (job) {
        newest_job = std::move(*job);
        take_job(seen_job(), number);
    } else if (new_view) {
        change_view(*new_view);
    }
    tell_picture_samples();
    answer_questions();
    launch_refinement();
}

void LiveRender::State::answer_questions() {
    std::unique_lock lock(mutex);
    while (!questions.empty()) {
        const Question question = std::move(questions.front());
        questions.pop_front();
        lock.unlock();
        std::shared_ptr<LiveFrame> asked = picture_frame();
        if (!asked && !question.needs_whole_film) {
            asked = frame;  // which shows a layer of the job
        }
        if (asked && question.needs_whole_film && !asked->renderer->is_whole()) {
            finish_wave(*asked);
        }
        const bool is_answered =
            asked && (asked->renderer->is_whole() || !question.needs_whole_film);
        question.answer(is_answered ? asked.get() : nullptr);
        lock.lock();
    }
}

void LiveRender::State::finish_wave(LiveFrame& run_frame) {
    is_finishing_wave = true;
    run_frame.is_hidden = run_frame.is_hidden || &run_frame == put_aside.get();
    run_frame.renderer->request_whole();
    const base::Status ran = run(run_frame);
    is_finishing_wave = false;
    run_frame.is_hidden = false;
    if (!ran.is_ok()) {
        fail(ran.error());
    }
}

void LiveRender::State::launch_refinement() {
    std::shared_ptr<LiveFrame> wanted;
    {
        const std::lock_guard lock(mutex);
        wanted = is_failed ? nullptr : frame;
        if (wanted && is_paused.load(std::memory_order_relaxed)) {
            status.state = wanted->renderer->is_done() ? LiveState::Done : LiveState::Paused;
        }
    }
    const bool is_under_way = has_refinement && !tasks.is_complete(refinement);
    if (!wanted || is_under_way || is_paused.load(std::memory_order_relaxed)) {
        return;
    }
    const task::Launched launched = tasks.submit(task::StreamIndex{kRefinement},
                                                 descriptor_of(run_refinement, this, kRefinement));
    ENSURE(launched.is_accepted(), ==, true);
    refinement = launched.task;
    has_refinement = true;
}

// By workers, before each wave.
bool LiveRender::State::should_hold() {
    return is_closing.load(std::memory_order_relaxed) ||
           (!is_finishing_wave &&
            (is_paused.load(std::memory_order_relaxed) || tasks.should_stop(refinement)));
}

// Renders the frame that is the newest job's. Evicted, its progress stays in the frame.
task::Outcome LiveRender::State::refine(task::TaskContext&) {
    std::shared_ptr<LiveFrame> refined;
    {
        const std::lock_guard lock(mutex);
        if (!frame || is_failed) {
            return task::Outcome::Done;
        }
        refined = frame;
        status.state = LiveState::Rendering;
        counters.resumptions += refined->renderer->is_whole() ? 0U : 1U;
    }
    const base::Status ran =
        refined->renderer->is_done() ? base::Status(base::Done{}) : run(*refined);
    if (!ran.is_ok()) {
        fail(ran.error());
        return task::Outcome::Done;
    }
    const std::lock_guard lock(mutex);
    if (refined->renderer->is_done()) {
        status.state = LiveState::Done;
        return task::Outcome::Done;
    }
    if (is_paused.load(std::memory_order_relaxed)) {
        status.state = LiveState::Paused;
        return task::Outcome::Done;
    }
    counters.evictions += refined->renderer->is_whole() ? 0U : 1U;
    return task::Outcome::PutAside;
}

base::Status LiveRender::State::run(LiveFrame& run_frame) {
    const u64 samples_before = run_frame.renderer->figures().samples;
    const u64 stand_ins_before = run_frame.renderer->figures().stand_ins;
    run_frame.renderer->set_display_drawn(is_drawing.load(std::memory_order_relaxed));
    const auto begin = Clock::now();
    {
        const std::lock_guard lock(mutex);
        run_frame.run_since = begin;
    }
    base::Status ran = run_frame.renderer->run(hooks_of(run_frame));
    const double run_s = std::chrono::duration<double>(Clock::now() - begin).count();
    const u64 samples = run_frame.renderer->figures().samples - samples_before;
    if (run_s > kLeastMeasured_s && samples > 0) {
        samples_per_s = static_cast<double>(samples) / run_s;
    }
    const std::lock_guard lock(mutex);
    counters.stand_ins += run_frame.renderer->figures().stand_ins - stand_ins_before;
    run_frame.run_since = std::nullopt;
    run_frame.rendered_s += run_s;
    status.samples_per_s = samples_per_s;
    return ran;
}

// Tiles are shown as they come; the first picture of a frame that has nothing to show until then
// is there with its last tile. A first picture is not held for what comes next, before it is due:
// whoever drags sees all that he drags by. Then there is the fallback.
frame::RunHooks LiveRender::State::hooks_of(LiveFrame& run_frame) {
    frame::RunHooks hooks;
    if (fallback) {
        hooks.on_progress = [this](const frame::FrameProgress&) {
            if (is_first_picture_due()) {
                present_fallback();
            }
        };
    }
    hooks.should_hold = [this, is_coarse = run_frame.shown->is_coarse()] {
        return is_coarse ? is_closing.load(std::memory_order_relaxed) ||
                               (fallback && is_first_picture_over_due())
                         : should_hold();
    };
    hooks.resolve = [&run_frame](const film::Region& tile, u32 samples) {
        run_frame.shown->resolve(tile, samples);
    };
    hooks.tone = [this, &run_frame](const film::Region& tile) {
        const bool was_complete = run_frame.shown->is_complete();
        run_frame.shown->tone(tile);
        if (!was_complete && run_frame.shown->is_complete() && !run_frame.is_hidden) {
            present(run_frame);
        }
    };
    return hooks;
}

}  // namespace weft::live
