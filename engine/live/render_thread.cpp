#include "engine/live/render_thread.h"

#include <algorithm>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include "scheduler/base/ensure.h"
#include "scheduler/base/trace_log.h"
#include "scheduler/task/task_context.h"

namespace weft::live {

namespace {

// The render thread and its workers, which inherit it, run at this niceness, so that the thread of
// the interface gets a processor as soon as it wants one.
constexpr int kNiceness = 5;

// What someone looks at goes before other frames of this process.
constexpr i32 kShownUrgency = 1;

// One slot: the task room asks the refinement to stop as soon as an answer waits.
task::TaskConfig task_config(JobQueue& queue) {
    task::TaskConfig config;
    config.tasks = 16;
    config.levels = 1;
    config.groups = 4;
    config.queues = kTaskPriorities;
    config.events = 4;
    config.slots = 1;
    config.priorities = kTaskPriorities;
    config.host_slots = 8;
    config.urgent_tasks = 4;
    config.urgent_groups = 1;
    config.urgent_events = 1;
    config.urgent_slots = 0;
    config.on_ready = [](void* context) { static_cast<JobQueue*>(context)->ring(); };
    config.on_ready_context = &queue;
    return config;
}

// The job that renders what the view shows: with all layers, or a layer as a frame of its own, so
// that the picture keeps its samples. A part of the light comes with the picture, from its first
// sample on.
LiveJob job_of_view(const LiveJob& job, const LiveView& view) {
    LiveJob whole = layers_fit(job.settings) ? with_layers(job) : job;
    std::vector<film::Aov>& aovs = whole.settings.aovs;
    const bool is_held =
        !view.layer || std::find(aovs.begin(), aovs.end(), *view.layer) != aovs.end();
    if (!is_held && film::is_light_aov(*view.layer)) {
        aovs.push_back(*view.layer);
        return whole;
    }
    return is_held ? whole : layers_of(job);
}

}  // namespace

RenderThread::RenderThread(u32 thread_count)
    : thread_count_(thread_count == 0 ? std::max(1U, std::thread::hardware_concurrency())
                                      : thread_count),
      queue_([this] { submit_answer(); }),
      runner_(presenter_, board_),
      preparer_(queue_, frames_, board_),
      first_picture_(queue_, preparer_, runner_, presenter_, board_),
      spread_pictures_(queue_, preparer_, frames_, first_picture_, presenter_),
      solid_(queue_, preparer_, presenter_, board_),
      tasks_(task_config(queue_)),
      refinement_(tasks_, queue_, frames_, runner_, board_),
      thread_([this] { serve(); }) {}

RenderThread::~RenderThread() {
    queue_.close();
    thread_.join();
}

void RenderThread::serve() {
    // Giving way is a courtesy: where the system refuses it, rendering goes on all the same.
    static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness));
    base::name_traced_thread("live render");
    while (!queue_.is_closing()) {
        while (!queue_.is_closing() && tasks_.run_one()) {
        }
        queue_.wait_until_rung();
    }
    while (const std::optional<Question> question = queue_.next_question()) {
        question->answer(nullptr);
    }
}

// Any thread.
void RenderThread::submit_answer() {
    task::TaskDescriptor descriptor;
    descriptor.program = run_answer;
    descriptor.context = this;
    descriptor.priority = kAnswerPriority;
    const task::Launched launched = tasks_.submit(task::StreamIndex{kAnswerPriority}, descriptor);
    ENSURE(launched.is_accepted(), ==, true);
}

task::Outcome RenderThread::run_answer(task::TaskContext&, void* self) {
    static_cast<RenderThread*>(self)->answer();
    return task::Outcome::Done;
}

void RenderThread::answer() {
    // Take the newest job, or else the newest view.
    JobQueue::Taken taken = queue_.take();
    if (taken.job) {
        presenter_.begin_job(taken.shown_at);
        newest_job_ = std::move(*taken.job);
        newest_number_ = taken.number;
        if (queue_.view().display == LiveDisplay::Rendered) {
            solid_.hide();
            take_job(job_of_view(newest_job_, queue_.view()), taken.number);
        } else {
            take_solid_job();
        }
    } else if (taken.changed_view) {
        change_view(*taken.changed_view);
    }
    report_picture_samples();

    // Answer the questions, also those that came meanwhile.
    while (const std::optional<Question> question = queue_.next_question()) {
        answer_question(*question);
    }
    if (solid_.is_shown()) {
        refinement_.suspend();
        solid_.smooth();
    } else {
        refinement_.launch();
    }
}

void RenderThread::answer_question(const Question& question) {
    std::shared_ptr<LiveFrame> asked = frames_.find(newest_job_);
    if (!asked && !question.needs_whole_film && !solid_.is_shown()) {
        asked = frames_.current();  // which shows a layer of the job
    }
    // Rays of an answer must find room for pages.
    if (asked != frames_.current() || question.traces_rays) {
        let_go_of_pages(frames_.current());
    }
    if (asked && question.needs_whole_film && !asked->renderer->is_whole()) {
        refinement_.finish_wave(
            *asked, asked == frames_.aside() || solid_.is_shown(), question.is_given_up);
    }
    if (asked == frames_.aside()) {
        let_go_of_pages(asked);
    }
    const bool is_answered = asked && (asked->renderer->is_whole() || !question.needs_whole_film);
    question.answer(is_answered ? asked.get() : nullptr);
}

LiveJob RenderThread::made_ready(LiveJob job) {
    job.settings.thread_count = thread_count_;
    job.settings.is_display_drawn = runner_.is_drawing();
    job.settings.urgency = kShownUrgency;
    board_.begin_job(newest_number_);
    return job;
}

void RenderThread::take_job(LiveJob job, u64 number) {
    job = made_ready(std::move(job));

    // Bring back the frame of this picture, where there is one; prepare the scene otherwise.
    if (resume_frame(job, number) || !preparer_.prepare(job, number)) {
        return;
    }

    const std::shared_ptr<LiveFrame> older = put_frame_aside();
    const bool has_history = spread_pictures_.expects_history(job, queue_.view());
    first_picture_.show(job, number, has_history);
    if (!board_.is_failed()) {
        spread_pictures_.show(job, queue_.view());
    }
    if (!board_.is_failed() && !queue_.is_outdated()) {
        begin_frame(std::move(job), number);
    }
}

// Puts the frame until now aside. What goes for it is returned, to be freed when the new picture is
// there.
std::shared_ptr<LiveFrame> RenderThread::put_frame_aside() {
    std::shared_ptr<LiveFrame> older = frames_.aside();
    frames_.put_aside();
    let_go_of_pages(frames_.aside());
    preparer_.drop_large_aside();
    return older && older->renderer->has_pages() ? nullptr : older;
}

// The frame of this picture, where there is one, stays as it is.
void RenderThread::take_solid_job() {
    const LiveJob job = made_ready(newest_job_);
    if (!preparer_.prepare(job, newest_number_)) {
        return;
    }
    const bool is_of_frame = frames_.current() && frames_.find(newest_job_) == frames_.current();
    const std::shared_ptr<LiveFrame> older = is_of_frame ? nullptr : put_frame_aside();
    let_go_of_pages(frames_.current());
    solid_.show(job, newest_number_, queue_.view().display);
}

// A change that was undone finds its frame with all that was rendered of it, and so does a job that
// wants another number of samples of the same picture. False: there is no such frame.
bool RenderThread::resume_frame(const LiveJob& job, u64 number) {
    const std::shared_ptr<LiveFrame> found = frames_.find(job);
    if (!found) {
        return false;
    }
    const u32 samples = found->renderer->change_samples(job.settings.samples_per_pixel);
    found->number = number;
    found->job.settings.samples_per_pixel = samples;
    frames_.bring_back(found);
    let_go_of_pages(frames_.aside());
    preparer_.bring_back(*found);
    board_.update([&](LiveStatus& status) {
        ++status.counters.returns;
        status.prepared_job = number;
        status.samples_wanted = samples;
        status.prepare_ms = presenter_.waited_s() * 1e3;
    });
    found->shown->set_job(number);
    found->shown->change_view(queue_.view());
    const std::shared_ptr<LiveFrame>& first = first_picture_.shown();
    if (found->shown->is_complete()) {
        presenter_.present(*found);
    } else if (first && first->number == number) {
        first->shown->change_view(queue_.view());
        presenter_.present(*first);
    }
    return true;
}

void RenderThread::begin_frame(LiveJob job, u64 number) {
    // Replace a tree that was patched or built fast.
    if (!preparer_.make_fine(job)) {
        return;
    }
    const LiveView view = queue_.view();
    if (view.denoise == LiveDenoise::Quality) {
        job = with_quality_layers(std::move(job));
    }
    base::Result<std::unique_ptr<frame::Renderer>> renderer =
        frame::Renderer::prepare(preparer_.prepared(), job.camera, job.settings);
    if (!renderer.is_ok()) {
        board_.fail(renderer.error());
        return;
    }
    auto made = std::make_shared<LiveFrame>();
    made->number = number;
    made->job = std::move(job);
    made->renderer = std::move(renderer.value());
    made->shown = std::make_shared<ShownFrame>(
        made->renderer->film(), view, place_of(made->job, number, false), filter_);
    made->shown->shown_filter().use_quality(quality_,
                                            made->job.settings.isa.value_or(shaders::best_isa()));

    // The first picture stays until there is a finer one.
    if (first_picture_.shown()) {
        made->shown->begin_after(first_picture_.shown()->renderer->film().crop().width());
    }
    spread_pictures_.hand_over(*made);
    frames_.begin(std::move(made));
    board_.update([](LiveStatus& status) { ++status.counters.frames; });
}

// Shows films again: the frame of the newest job with all of its samples, or a new one.
void RenderThread::leave_solid(const LiveView& view) {
    solid_.hide();
    presenter_.begin_job(base::Clock::now());
    LiveJob job = job_of_view(newest_job_, view);
    job.effect = scene::kEffectNone;
    take_job(std::move(job), newest_number_);
}

void RenderThread::change_view(const LiveView& view) {
    if (view.display != LiveDisplay::Rendered) {
        const bool is_new = !solid_.shows(newest_number_, view.display);
        if (is_new && newest_number_ != 0 && !board_.is_failed()) {
            let_go_of_pages(frames_.current());
            solid_.show(made_ready(newest_job_), newest_number_, view.display);
        }
        return;
    }
    if (solid_.is_shown()) {
        leave_solid(view);
        return;
    }
    const std::shared_ptr<LiveFrame> current = frames_.current();
    if (!current) {
        if (first_picture_.shown()) {
            first_picture_.shown()->shown->change_view(view);
        }
        return;
    }
    LiveJob job = job_of_view(newest_job_, view);
    if (is_same_picture(current->job, job)) {
        current->shown->change_view(view);
        if (!current->shown->is_complete() && first_picture_.shown()) {
            first_picture_.shown()->shown->change_view(view);
        }
        return;
    }
    job.effect = scene::kEffectNone;
    take_job(std::move(job), current->number);
}

// How many samples a saved picture has: those of the job's own frame, also while a layer is shown.
void RenderThread::report_picture_samples() {
    const std::shared_ptr<LiveFrame> picture = frames_.find(newest_job_);
    const u32 asked = newest_job_.settings.samples_per_pixel;
    const u32 samples = picture ? picture->renderer->change_samples(asked) : asked;
    board_.update([samples](LiveStatus& status) { status.picture_samples = samples; });
}

}  // namespace weft::live
