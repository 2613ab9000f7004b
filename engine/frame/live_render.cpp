#include "engine/frame/live_render.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

#include "engine/frame/latency.h"
#include "engine/frame/shown_picture.h"

namespace weft::frame {

namespace {

using Clock = std::chrono::steady_clock;

// Samples of a pass: enough that the wait for its last paths is small beside it.
constexpr u32 kMostPassSamples = 4;

double milliseconds_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// A job with what was made for it.
struct LiveFrame {
    u64 number = 0;
    LiveJob job;
    std::unique_ptr<Renderer> renderer;
    u32 samples_done = 0;
    double rendered_s = 0;
};

// Asked by other threads, answered between passes.
using Question = std::function<void(const LiveFrame* maybe_frame)>;

}  // namespace

// The mutex guards what the interface and the render thread share; it is held for a few steps only.
struct LiveRender::State {
    explicit State(u32 threads) : thread_count(threads) {}

    u32 thread_count;
    mutable std::mutex mutex;
    std::condition_variable changed;
    // Under the mutex:
    std::optional<LiveJob> waiting;
    Clock::time_point shown_at;
    u64 newest = 0;
    LiveView view;
    u64 view_number = 0;
    bool is_paused = false;
    bool is_closing = false;
    std::deque<Question> questions;
    std::shared_ptr<LiveFrame> frame;  // newest prepared; its film is the render thread's
    LiveStatus status;
    FrameFigures figures;
    LatencyLog latency;

    ShownPicture shown;
    std::jthread thread;

    void serve();
    void prepare(std::unique_lock<std::mutex>& lock);
    void render_pass(std::unique_lock<std::mutex>& lock);
    void answer(std::unique_lock<std::mutex>& lock);
    void show_film(const LiveFrame& frame, const LiveView& new_view);
    void fail(const base::Error& error);
    [[nodiscard]] bool has_samples_left() const;
    template <typename T>
    T ask(const std::function<T(const LiveFrame* maybe_frame)>& question);
};

bool LiveRender::State::has_samples_left() const {
    return frame && status.state != LiveState::Failed &&
           frame->samples_done < frame->job.settings.samples_per_pixel;
}

// The render thread: the newest job first, then whoever asks, then another pass.
void LiveRender::State::serve() {
    u64 shown_view = 0;
    std::unique_lock lock(mutex);
    while (!is_closing) {
        if (waiting) {
            prepare(lock);
        } else if (!questions.empty()) {
            answer(lock);
        } else if (has_samples_left() && !is_paused) {
            shown_view = view_number;
            render_pass(lock);
        } else if (frame && frame->samples_done > 0 && shown_view != view_number) {
            shown_view = view_number;
            const LiveView new_view = view;
            lock.unlock();
            show_film(*frame, new_view);
            lock.lock();
        } else {
            if (frame && status.state != LiveState::Failed) {
                status.state = has_samples_left() ? LiveState::Paused : LiveState::Done;
            }
            changed.wait(lock);
        }
    }
    while (!questions.empty()) {
        answer(lock);
    }
}

void LiveRender::State::fail(const base::Error& error) {
    status.state = LiveState::Failed;
    status.error = error.sentence;
}

void LiveRender::State::prepare(std::unique_lock<std::mutex>& lock) {
    auto next = std::make_shared<LiveFrame>();
    next->job = std::move(*waiting);
    waiting.reset();
    next->number = newest;
    next->job.settings.thread_count = thread_count;
    status.state = LiveState::Preparing;
    status.error.clear();
    lock.unlock();
    const auto begin = Clock::now();
    auto prepared =
        Renderer::prepare(*next->job.scene, next->job.camera, next->job.settings, next->job.hidden);
    lock.lock();
    if (!prepared.is_ok()) {
        fail(prepared.error());
        return;
    }
    next->renderer = std::move(prepared.value());
    status.prepare_ms = milliseconds_since(begin);
    status.prepared_job = next->number;
    status.samples_done = 0;
    status.samples_wanted = next->job.settings.samples_per_pixel;
    frame = std::move(next);
}

void LiveRender::State::render_pass(std::unique_lock<std::mutex>& lock) {
    const std::shared_ptr<LiveFrame> rendered = frame;
    const LiveView shown_view = view;
    status.state = LiveState::Rendering;
    lock.unlock();
    const u32 step = std::clamp(rendered->samples_done, 1U, kMostPassSamples);
    const u64 samples_before = rendered->renderer->figures().samples;
    const auto begin = Clock::now();
    const base::Status ran =
        rendered->renderer->render_to(rendered->samples_done + step, [&](const FrameProgress&) {
            const std::lock_guard guard(mutex);
            if (waiting || is_closing) {
                rendered->renderer->request_stop();
            }
        });
    const double pass_s = milliseconds_since(begin) * 1e-3;
    rendered->rendered_s += pass_s;
    const bool is_whole =
        ran.is_ok() && rendered->renderer->samples_done() > rendered->samples_done;
    if (is_whole) {
        rendered->samples_done = rendered->renderer->samples_done();
        show_film(*rendered, shown_view);
    }
    lock.lock();
    figures = rendered->renderer->figures();
    status.elapsed_s = rendered->rendered_s;
    status.samples_done = rendered->samples_done;
    status.samples_per_s = static_cast<double>(figures.samples - samples_before) / pass_s;
    if (!ran.is_ok()) {
        fail(ran.error());
    } else if (is_whole && rendered->number == newest && latency.last_job() != newest) {
        latency.add(newest, milliseconds_since(shown_at));
    }
}

void LiveRender::State::answer(std::unique_lock<std::mutex>& lock) {
    const Question question = std::move(questions.front());
    questions.pop_front();
    const std::shared_ptr<LiveFrame> asked = frame;
    lock.unlock();
    question(asked.get());
    lock.lock();
}

void LiveRender::State::show_film(const LiveFrame& shown_frame, const LiveView& new_view) {
    shown.put(shown_frame.renderer->film(), new_view, shown_frame.samples_done, shown_frame.number);
}

template <typename T>
T LiveRender::State::ask(const std::function<T(const LiveFrame* maybe_frame)>& question) {
    std::promise<T> promise;
    std::future<T> answer = promise.get_future();
    {
        const std::lock_guard lock(mutex);
        questions.emplace_back(
            [&](const LiveFrame* maybe_frame) { promise.set_value(question(maybe_frame)); });
    }
    changed.notify_all();
    return answer.get();
}

LiveRender::LiveRender(u32 thread_count) : state_(std::make_unique<State>(thread_count)) {
    state_->thread = std::jthread([state = state_.get()] { state->serve(); });
}

LiveRender::~LiveRender() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->is_closing = true;
    }
    state_->changed.notify_all();
    state_->thread.join();
}

u64 LiveRender::show(LiveJob job) {
    const std::lock_guard lock(state_->mutex);
    state_->waiting = std::move(job);
    state_->shown_at = Clock::now();
    state_->changed.notify_all();
    return ++state_->newest;
}

void LiveRender::set_view(const LiveView& view) {
    const std::lock_guard lock(state_->mutex);
    if (state_->view != view) {
        state_->view = view;
        ++state_->view_number;
        state_->changed.notify_all();
    }
}

void LiveRender::set_paused(bool is_paused) {
    const std::lock_guard lock(state_->mutex);
    state_->is_paused = is_paused;
    state_->changed.notify_all();
}

bool LiveRender::take_picture(LivePicture& picture) {
    return state_->shown.take(picture);
}

LiveStatus LiveRender::status() const {
    const std::lock_guard lock(state_->mutex);
    LiveStatus status = state_->status;
    status.job = state_->newest;
    status.first_picture = state_->latency.figures();
    return status;
}

FrameFigures LiveRender::figures() const {
    const std::lock_guard lock(state_->mutex);
    return state_->figures;
}

std::optional<Picked> LiveRender::pick(float x, float y) const {
    std::shared_ptr<LiveFrame> frame;
    {
        const std::lock_guard lock(state_->mutex);
        frame = state_->frame;
    }
    return frame ? frame->renderer->pick(x, y) : std::nullopt;
}

PixelReport LiveRender::inspect(u32 x, u32 y) const {
    return state_->ask<PixelReport>([x, y](const LiveFrame* maybe_frame) {
        PixelReport report;
        if (!maybe_frame) {
            return report;
        }
        const film::Film& film = maybe_frame->renderer->film();
        const film::Region crop = film.crop();
        if (x < crop.x0 || x >= crop.x1 || y < crop.y0 || y >= crop.y1) {
            return report;
        }
        report.job = maybe_frame->number;
        report.samples = film.sample_count(x, y);
        report.radiance = film.pixel(x, y);
        for (u32 layer = 0; layer < film.aovs().size(); ++layer) {
            std::vector<float> values(film.aovs()[layer].channels);
            film.aov_pixel(layer, x, y, values.data());
            if (values.empty()) {
                values.push_back(static_cast<float>(static_cast<i32>(film.instance(x, y))));
            }
            report.aovs.emplace_back(film.aovs()[layer].name, std::move(values));
        }
        report.path = maybe_frame->renderer->explain_sample(x, y, 0);
        return report;
    });
}

base::Status LiveRender::save(const std::string& path, const film::ImageConfig& config) {
    return state_->ask<base::Status>([&](const LiveFrame* maybe_frame) -> base::Status {
        if (!maybe_frame || maybe_frame->samples_done == 0) {
            return base::Error{base::ErrorKind::Output,
                               path + ": there is no picture to be saved yet"};
        }
        return film::write_image(path, maybe_frame->renderer->film(), config);
    });
}

base::Result<std::string> LiveRender::film_hash() {
    return state_->ask<base::Result<std::string>>(
        [](const LiveFrame* maybe_frame) -> base::Result<std::string> {
            if (!maybe_frame || maybe_frame->samples_done == 0) {
                return base::Error{base::ErrorKind::Render, "there is no picture yet"};
            }
            return maybe_frame->renderer->film().film_hash();
        });
}

}  // namespace weft::frame
