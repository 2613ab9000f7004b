#include "engine/live/live_render.h"

#include <future>
#include <utility>

#include "engine/frame/picture_metadata.h"
#include "engine/live/render_thread.h"
#include "scheduler/base/memory_limit.h"

namespace weft::live {

namespace {

// The surface AOVs of a pixel.
std::vector<AovMean> means_of(const film::Film& film, u32 x, u32 y) {
    std::vector<AovMean> aovs;
    const film::Region crop = film.crop();
    if (x < crop.x0 || x >= crop.x1 || y < crop.y0 || y >= crop.y1) {
        return aovs;
    }
    for (u32 layer = 0; layer < film.aovs().size(); ++layer) {
        if (!film::is_surface_aov(film.aovs()[layer].aov)) {
            continue;
        }
        std::vector<float> values(film.aovs()[layer].channels);
        film.aov_pixel(layer, x, y, values.data());
        if (values.empty()) {
            values.push_back(static_cast<float>(static_cast<i32>(film.number(layer, x, y))));
        }
        aovs.push_back({film.aovs()[layer].aov, std::move(values)});
    }
    return aovs;
}

// What a question needs.
enum class Needs { WholeFilm, Rays };

// Waits for the render thread's answer.
template <typename T>
T ask(RenderThread& thread,
      Needs needs,
      const std::function<T(const LiveFrame* maybe_frame)>& question,
      const std::function<bool()>& is_given_up = {}) {
    std::promise<T> promise;
    std::future<T> answer = promise.get_future();
    thread.queue().ask({.needs_whole_film = needs == Needs::WholeFilm,
                        .traces_rays = needs == Needs::Rays,
                        .is_given_up = is_given_up,
                        .answer = [&](const LiveFrame* maybe_frame) {
                            promise.set_value(question(maybe_frame));
                        }});
    return answer.get();
}

// A film with the same samples, so that the frame can go on while it is written; null where memory
// does not do for it.
std::shared_ptr<const film::Film> copy_of_film(const frame::Renderer& renderer) {
    const base::Result<base::MemoryClaim> claim =
        base::claim_memory(renderer.figures().film_bytes, "a copy of the picture");
    if (!claim.is_ok()) {
        return nullptr;
    }
    const film::Film& film = renderer.film();
    std::vector<film::Aov> aovs;
    for (const film::FilmLayer& layer : film.aovs()) {
        aovs.push_back(layer.aov);
    }
    auto copy = std::make_shared<film::Film>(film.width(), film.height(), film.crop(), aovs);
    if (!copy->is_allocated()) {
        return nullptr;
    }
    copy->add(film);
    return copy;
}

}  // namespace

LiveRender::LiveRender(u32 thread_count) : thread_(std::make_unique<RenderThread>(thread_count)) {}

LiveRender::~LiveRender() = default;

u64 LiveRender::show(LiveJob job) {
    thread_->board().update([](LiveStatus& status) {
        status.state = LiveState::Preparing;
        status.error.clear();
    });
    return thread_->queue().show(std::move(job));
}

void LiveRender::set_view(const LiveView& view) {
    thread_->queue().set_view(view);
}

void LiveRender::set_paused(bool is_paused) {
    if (thread_->refinement().set_paused(is_paused)) {
        thread_->queue().request_answer();
    }
}

void LiveRender::attend(const film::Region& region) {
    thread_->frames().attend(region);
}

void LiveRender::set_drawing(bool is_drawing) {
    if (!thread_->runner().set_drawing(is_drawing)) {
        return;
    }
    const std::shared_ptr<LiveFrame> current = thread_->frames().current();
    if (current && current->job.settings.has_egpu) {
        thread_->queue().request_answer();  // evicts the refinement, which resumes on other devices
    }
}

void LiveRender::set_unit_attached(u32 unit, bool is_attached) {
    thread_->runner().set_unit_attached(unit, is_attached);
    if (const std::shared_ptr<LiveFrame> current = thread_->frames().current()) {
        if (is_attached) {
            current->renderer->attach_unit(unit);
        } else {
            static_cast<void>(current->renderer->detach_unit(unit));
        }
    }
}

bool LiveRender::is_unit_attached(u32 unit) const {
    return thread_->runner().is_unit_attached(unit);
}

bool LiveRender::take_picture(LivePicture& picture) {
    return thread_->presenter().take(picture);
}

LiveStatus LiveRender::status() const {
    // The board first: a state that it reports then holds for the frame that is read next.
    LiveStatus status = thread_->board().read();
    status.job = thread_->queue().newest_number();
    // An older job may fail while the newest one waits.
    if (status.state == LiveState::Failed && status.failed_job != status.job) {
        status.state = LiveState::Preparing;
        status.error.clear();
    }
    status.first_picture = thread_->presenter().latency();
    status.filter = thread_->filter().times();
    status.quality = thread_->quality().figures();
    if (const std::shared_ptr<LiveFrame> frame = thread_->frames().current()) {
        status.samples_mean = frame->renderer->mean_samples();
        status.samples_done = static_cast<u32>(status.samples_mean);
        status.noise = frame->shown->mean_noise();
        status.elapsed_s = frame->clock.elapsed_s();
        status.counters.pictures = frame->shown->pictures();
        const std::shared_ptr<const ShownImage> shown = frame->shown->image();
        status.denoised = shown ? shown->denoised : LiveDenoise::Off;
    }
    return status;
}

frame::FrameFigures LiveRender::figures() const {
    const std::shared_ptr<LiveFrame> frame = thread_->frames().current();
    return frame ? frame->renderer->late_figures() : frame::FrameFigures{};
}

LiveHeat LiveRender::heat() const {
    const std::shared_ptr<LiveFrame> frame = thread_->frames().current();
    if (!frame || !frame->job.settings.has_heat) {
        return {};
    }
    const frame::PreparedScene& scene = frame->renderer->scene();
    return {scene.scene, scene.heat, frame->renderer->late_heat()};
}

frame::HeatPlaces LiveRender::heat_places(u32 columns, u32 rows) const {
    const std::shared_ptr<const LiveTarget> target = thread_->preparer().target();
    if (!target || !target->scene.heat) {
        return {};
    }
    return frame::heat_places(frame::unit_scene(target->scene), target->camera, columns, rows);
}

std::optional<frame::Picked> LiveRender::pick(float x, float y) const {
    const std::shared_ptr<const LiveTarget> target = thread_->preparer().target();
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

SeenInstances LiveRender::instances_in(const film::Region& part) const {
    const std::shared_ptr<const LiveTarget> target = thread_->preparer().target();
    if (!target) {
        return {};
    }
    return {
        target->scene.scene,
        frame::instances_in(
            frame::unit_scene(target->scene), target->camera, part, target->width, target->height)};
}

PixelReport LiveRender::inspect(u32 x, u32 y) const {
    return ask<PixelReport>(*thread_, Needs::Rays, [this, x, y](const LiveFrame* maybe_frame) {
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
        report.has_light = is_same_picture(maybe_frame->job, thread_->newest_job());
        // While a layer is shown, the current frame holds the AOVs and not the picture's.
        const std::shared_ptr<LiveFrame> current = thread_->frames().current();
        report.aovs = means_of(current ? current->renderer->film() : film, x, y);
        report.path = maybe_frame->renderer->explain_sample(x, y, 0);
        report.first_surface = maybe_frame->renderer->first_surface(x, y, 0);
        return report;
    });
}

base::Status LiveRender::save(const std::string& path,
                              const film::ImageConfig& config,
                              const std::function<bool()>& is_given_up) {
    // Where a copy is written, its program of the runtime, less urgent than the frame, and its end.
    std::shared_ptr<const frame::BesideProgram> maybe_program;
    base::Status written = base::Done{};
    const auto write = [&](const LiveFrame* maybe_frame) -> base::Status {
        if (!maybe_frame && is_given_up && is_given_up()) {
            return base::Error{base::ErrorKind::Output, path + ": saving was given up"};
        }
        if (!maybe_frame || maybe_frame->renderer->samples_done() == 0) {
            const bool is_layer = !maybe_frame && thread_->frames().current();
            return base::Error{base::ErrorKind::Output,
                               path + (is_layer ? ": only a layer of the picture is rendered; "
                                                  "expected the picture to be shown first"
                                                : ": there is no picture to be saved yet")};
        }
        const frame::Renderer& renderer = *maybe_frame->renderer;
        film::ImageConfig told = config;
        // The film may hold more layers than were asked for.
        const LiveJob& job = thread_->newest_job();
        told.layers = told.layers.value_or(job.settings.aovs);
        told.pixel_aspect = job.camera.pixel_aspect;
        const auto entries = frame::picture_metadata(renderer, job.camera, job.settings);
        told.metadata.insert(told.metadata.end(), entries.begin(), entries.end());
        if (const std::shared_ptr<const film::Film> copy = copy_of_film(renderer)) {
            maybe_program = renderer.run_beside("save", [&written, path, told, copy] {
                written = film::write_image(path, *copy, told);
            });
            return base::Done{};
        }
        return film::write_image(path, renderer.film(), told);
    };
    base::Status begun = ask<base::Status>(*thread_, Needs::WholeFilm, write, is_given_up);
    maybe_program = nullptr;  // waits for its end
    return begun.is_ok() ? written : begun;
}

base::Result<std::string> LiveRender::film_hash() {
    return ask<base::Result<std::string>>(
        *thread_, Needs::WholeFilm, [](const LiveFrame* maybe_frame) -> base::Result<std::string> {
            if (!maybe_frame || maybe_frame->renderer->samples_done() == 0) {
                return base::Error{base::ErrorKind::Render, "there is no picture yet"};
            }
            return maybe_frame->renderer->film().film_hash();
        });
}

}  // namespace weft::live
