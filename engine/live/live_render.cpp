#include "engine/live/live_render.h"

#include <future>
#include <utility>

#include "engine/live/live_state.h"

namespace weft::live {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The AOVs of a pixel.
std::vector<std::pair<std::string, std::vector<float>>> means_of(const film::Film& film,
                                                                 u32 x,
                                                                 u32 y) {
    std::vector<std::pair<std::string, std::vector<float>>> aovs;
    const film::Region crop = film.crop();
    if (x < crop.x0 || x >= crop.x1 || y < crop.y0 || y >= crop.y1) {
        return aovs;
    }
    for (u32 layer = 0; layer < film.aovs().size(); ++layer) {
        std::vector<float> values(film.aovs()[layer].channels);
        film.aov_pixel(layer, x, y, values.data());
        if (values.empty()) {
            values.push_back(static_cast<float>(static_cast<i32>(film.instance(x, y))));
        }
        aovs.emplace_back(film.aovs()[layer].name, std::move(values));
    }
    return aovs;
}

}  // namespace

template <typename T>
T LiveRender::State::ask(bool needs_whole_film,
                         const std::function<T(const LiveFrame* maybe_frame)>& question) {
    std::promise<T> promise;
    std::future<T> answer = promise.get_future();
    std::unique_lock lock(mutex);
    questions.push_back({needs_whole_film, [&](const LiveFrame* maybe_frame) {
                             promise.set_value(question(maybe_frame));
                         }});
    want_answer(lock);
    return answer.get();
}

LiveRender::LiveRender(u32 thread_count) : state_(std::make_unique<State>(thread_count)) {
    state_->thread = std::jthread([state = state_.get()] { state->serve(); });
}

LiveRender::~LiveRender() {
    state_->is_closing.store(true, std::memory_order_relaxed);
    state_->tell_ready();
    state_->thread.join();
}

u64 LiveRender::show(LiveJob job) {
    std::unique_lock lock(state_->mutex);
    // What the jobs that nobody will see have changed counts, too.
    job.effect |= state_->waiting ? state_->waiting->effect : 0;
    state_->waiting = std::move(job);
    state_->is_job_waiting.store(true, std::memory_order_relaxed);
    state_->changed.notify_all();
    state_->shown_at = Clock::now();
    state_->status.state = LiveState::Preparing;
    state_->status.error.clear();
    const u64 number = ++state_->newest;
    state_->want_answer(lock);
    return number;
}

void LiveRender::set_view(const LiveView& view) {
    std::unique_lock lock(state_->mutex);
    if (state_->view != view) {
        state_->view = view;
        state_->is_view_new = true;
        state_->want_answer(lock);
    }
}

void LiveRender::set_paused(bool is_paused) {
    if (state_->is_paused.exchange(is_paused, std::memory_order_relaxed) != is_paused) {
        std::unique_lock lock(state_->mutex);
        state_->want_answer(lock);
    }
}

void LiveRender::attend(const film::Region& region) {
    const std::lock_guard lock(state_->mutex);
    state_->attended = region;
    if (state_->frame) {
        state_->frame->renderer->attend(region);
    }
}

void LiveRender::set_drawing(bool is_drawing) {
    if (state_->is_drawing.exchange(is_drawing, std::memory_order_relaxed) == is_drawing) {
        return;
    }
    std::unique_lock lock(state_->mutex);
    if (state_->frame && state_->frame->job.settings.has_egpu) {
        state_->want_answer(lock);  // evicts the refinement, which goes on with other devices
    }
}

bool LiveRender::take_picture(LivePicture& picture) {
    return state_->shown.take(picture);
}

LiveStatus LiveRender::status() const {
    const std::lock_guard lock(state_->mutex);
    LiveStatus status = state_->status;
    status.job = state_->newest;
    status.first_picture = state_->latency.figures();
    status.counters = state_->counters;
    if (state_->frame) {
        const LiveFrame& frame = *state_->frame;
        status.samples_mean = frame.renderer->mean_samples();
        status.samples_done = static_cast<u32>(status.samples_mean);
        status.elapsed_s =
            frame.rendered_s + (frame.run_since ? seconds_since(*frame.run_since) : 0);
        status.counters.toned_tiles = state_->frame->shown->tiles_toned();
    }
    return status;
}

frame::FrameFigures LiveRender::figures() const {
    const std::lock_guard lock(state_->mutex);
    return state_->frame ? state_->frame->renderer->late_figures() : frame::FrameFigures{};
}

LiveHeat LiveRender::heat() const {
    const std::lock_guard lock(state_->mutex);
    if (!state_->frame || !state_->frame->job.settings.has_heat) {
        return {};
    }
    const frame::Renderer& renderer = *state_->frame->renderer;
    return {renderer.scene().scene, renderer.scene().heat, renderer.late_heat()};
}

frame::HeatPlaces LiveRender::heat_places(u32 columns, u32 rows) const {
    std::shared_ptr<const LiveTarget> target;
    {
        const std::lock_guard lock(state_->mutex);
        target = state_->target;
    }
    if (!target || !target->scene.heat) {
        return {};
    }
    return frame::heat_places(frame::unit_scene(target->scene), target->camera, columns, rows);
}

std::optional<frame::Picked> LiveRender::pick(float x, float y) const {
    std::shared_ptr<const LiveTarget> target;
    {
        const std::lock_guard lock(state_->mutex);
        target = state_->target;
    }
    if (!target) {
        return std::nullopt;
    }
    std::optional<frame::Picked> picked = frame::surface_at(frame::unit_scene(target->scene),
                                                            target->camera,
                                                            x / static_cast<float>(target->width),
                                                            y / static_cast<float>(target->height));
    if (picked) {
        picked->scene = target->scene.scene;
    }
    return picked;
}

PixelReport LiveRender::inspect(u32 x, u32 y) const {
    return state_->ask<PixelReport>(false, [this, x, y](const LiveFrame* maybe_frame) {
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
        report.has_light = is_same_picture(maybe_frame->job, state_->newest_job);
        // The render thread's, as all frames: what is shown may be the layers beside the picture.
        report.aovs = means_of(state_->frame ? state_->frame->renderer->film() : film, x, y);
        report.path = maybe_frame->renderer->explain_sample(x, y, 0);
        report.first_surface = maybe_frame->renderer->first_surface(x, y, 0);
        return report;
    });
}

base::Status LiveRender::save(const std::string& path, const film::ImageConfig& config) {
    return state_->ask<base::Status>(true, [&](const LiveFrame* maybe_frame) -> base::Status {
        if (!maybe_frame || maybe_frame->renderer->samples_done() == 0) {
            const bool is_layer = !maybe_frame && state_->frame;
            return base::Error{base::ErrorKind::Output,
                               path + (is_layer ? ": only a layer of the picture is rendered; "
                                                  "expected the picture to be shown first"
                                                : ": there is no picture to be saved yet")};
        }
        const frame::Renderer& renderer = *maybe_frame->renderer;
        film::ImageConfig told = config;
        told.metadata.emplace_back("samples_per_pixel",
                                   std::to_string(renderer.figures().samples_per_pixel));
        return film::write_image(path, renderer.film(), told);
    });
}

base::Result<std::string> LiveRender::film_hash() {
    return state_->ask<base::Result<std::string>>(
        true, [](const LiveFrame* maybe_frame) -> base::Result<std::string> {
            if (!maybe_frame || maybe_frame->renderer->samples_done() == 0) {
                return base::Error{base::ErrorKind::Render, "there is no picture yet"};
            }
            return maybe_frame->renderer->film().film_hash();
        });
}

}  // namespace weft::live
