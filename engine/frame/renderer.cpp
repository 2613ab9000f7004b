#include "engine/frame/renderer.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/film/film_file.h"
#include "engine/frame/renderer_state.h"
#include "engine/trace/reference/reference_tracer.h"
#include "scheduler/base/clock.h"
#include "scheduler/base/ensure.h"
#include "scheduler/base/memory_limit.h"

namespace weft::frame {

namespace {

using base::Clock;

// The most samples per pixel of a wave.
constexpr u32 kMostWaveSamples = 4;

// With a noise threshold few blocks of a tile may be left: more of their samples fill a unit.
constexpr u32 kMostNoiseWaveSamples = 16;

// Tiles of a first wave in lattices: large enough that every eighth pixel of rows and columns is
// still a share's worth.
constexpr u32 kCoarseTile = 128;
// A watched picture of fewer pixels is not cut into lattices.
constexpr u64 kCoarsePixels = u64{256} * 256;
// Where paths wait for pages: sizes of tiles, and shares that fill a unit.
constexpr u32 kMostTileSize = 1024;
constexpr u32 kSharesOfPagedUnit = 8;

// Over the tree that the frame is rendered with.
trace::ReferenceTracer reference_tracer(const auto& state) {
    return {*state.scene.tables,
            {state.params,
             state.camera,
             state.scene.drawn->tables.is_visible,
             state.media,
             state.settings.guide.get()},
            state.scene.acceleration->view(),
            state.scene.acceleration->store.get()};
}

}  // namespace

Renderer::Renderer(std::unique_ptr<State> state) : state_(std::move(state)) {}

Renderer::~Renderer() = default;

// Frames that are watched make pictures as they go; file output resolves once, at the end.
void Renderer::State::choose_resolve(WaveConfig& config, const RunHooks& hooks) {
    config.maybe_watcher = hooks.maybe_watcher;
    if (hooks.maybe_watcher) {
        config.on_resolve = [this] { units->wake_workers(); };
    } else if (picture) {
        config.on_resolve = [this] {
            is_sampled.store(true, std::memory_order_relaxed);  // only compared
            units->wake_workers();
        };
        config.resolve = [this](const film::Region& tile) { picture->resolve(tile); };
        config.tone = [this](const film::Region& tile) { picture->tone(tile); };
    }
}

void Renderer::State::cut_waves(const FrameCall& frame, const RunHooks& hooks) {
    // Set when to hold, and what to resolve.
    WaveConfig config;
    config.should_hold = [this, should_hold = hooks.should_hold] {
        // relaxed: only says that the run ends.
        return has_given_up.load(std::memory_order_relaxed) || (should_hold && should_hold());
    };
    is_sampled.store(false, std::memory_order_relaxed);
    choose_resolve(config, hooks);
    // Set pixels and samples.
    config.crop = film->crop();
    config.first_sample = frame.first_sample;
    config.samples = frame.sample_count;
    config.film_begin = settings.first_sample;
    config.is_continued = is_continued;
    config.maybe_ids = &ids;
    config.maybe_guide_log = settings.maybe_guide_log;
    config.maybe_motion = settings.motion.get();

    // Waves of small pictures have several samples per pixel, so that they fill every unit.
    const u64 pixels = u64{config.crop.width()} * config.crop.height();
    // Where paths wait for pages, so many that the last paths of a wave do not wait alone.
    const u64 portions = settings.geometry_memory_bytes == 0 ? 2 : 4;
    const u64 in_flight = units->path_count() * portions;
    config.first_wave_samples =
        static_cast<u32>(std::clamp<u64>((in_flight + pixels - 1) / pixels, 1, frame.sample_count));
    // A picture that is watched begins with one sample: its rays wait for seconds.
    if (settings.geometry_memory_bytes != 0 && hooks.maybe_watcher) {
        config.first_wave_samples = 1;
    }
    // Its pictures become finer and finer.
    const bool is_begun = is_continued || config.first_sample != settings.first_sample;
    if (hooks.maybe_watcher && !is_begun && config.first_wave_samples == 1 &&
        pixels >= kCoarsePixels) {
        config.is_coarse_first = true;
    }
    config.noise_threshold = settings.noise_threshold;
    const u32 most = settings.noise_threshold > 0 ? kMostNoiseWaveSamples : kMostWaveSamples;
    config.most_wave_samples = std::max(config.first_wave_samples, most);
    // So does one that time may end; its later waves are as large as without a limit.
    if (settings.geometry_memory_bytes != 0 && std::isfinite(settings.time_limit_s)) {
        config.first_wave_samples = 1;
    }
    // Where paths wait for pages, a unit has so many that a tile's wave fills several shares. Tiles
    // of a picture that is watched keep their size, for attention.
    if (settings.geometry_memory_bytes != 0 && settings.noise_threshold == 0 &&
        !hooks.maybe_watcher) {
        const u64 wanted =
            settings.integrator.path_count / kSharesOfPagedUnit / config.first_wave_samples;
        while (u64{config.tile_size} * config.tile_size < wanted &&
               config.tile_size < kMostTileSize) {
            config.tile_size *= 2;
        }
    }
    // Reserve time for the means under a time limit.
    if (std::isfinite(settings.time_limit_s) && picture && !hooks.maybe_watcher) {
        time_limit.means_cost_s = means_cost_s(*film, picture->config());
        // A coarse picture of everything beats a fine one of a part.
        if (!is_begun && config.first_wave_samples == 1) {
            config.is_coarse_first = true;
        }
    }
    if (config.is_coarse_first) {
        config.tile_size = settings.noise_threshold > 0 ? kNoiseTile : kCoarseTile;
    }
    // Take kernels of this scene as soon as they are compiled.
    if (settings.has_scene_kernels) {
        config.on_wave = [this] {
            if (const shaders::ShadeKernels* const row = runtime->take_specialised()) {
                units->change_cpu_shade(row);
            }
        };
    }
    // Cut the waves, and keep the dropped samples of the former ones.
    auto cut = std::make_unique<TileWaves>(
        config, *film, [this](u32 unit, u32 portion, u32 count) -> const trace::ResultView& {
            return units->results(unit, portion, count);
        });
    if (waves) {
        dropped_before += waves->dropped_count();
        early_dropped = figures.dropped;
    }
    // Put the new waves in place of the former ones.
    const std::lock_guard lock(waves_mutex);
    if (std::exchange(is_torn, false) && std::exchange(is_whole_wanted, false)) {
        static_cast<void>(cut->end_at(torn_reach));
    }
    cut->attend(attended);
    waves = std::move(cut);
    samples_before.store(is_continued
                             ? tried_samples()
                             : pixel_count() * (frame.first_sample - settings.first_sample),
                         std::memory_order_relaxed);
}

u64 Renderer::State::finished_samples() {
    const std::lock_guard lock(waves_mutex);
    return samples_before.load(std::memory_order_relaxed) + (waves ? waves->finished_samples() : 0);
}

u64 Renderer::State::pixel_count() const {
    return u64{film->crop().width()} * film->crop().height();
}

u64 Renderer::State::wanted_samples() const {
    return pixel_count() * (settings.samples_per_pixel - settings.first_sample);
}

u64 Renderer::State::tried_samples() const {
    u64 samples = 0;
    const film::Region crop = film->crop();
    for (u32 y = crop.y0; y < crop.y1; ++y) {
        for (u32 x = crop.x0; x < crop.x1; ++x) {
            samples += film->samples_tried(x, y);
        }
    }
    return samples;
}

// In a first wave of lattices one sample begins 64 pixels.
u64 Renderer::State::begun_pixels() const {
    constexpr u64 kPixelsOfSample = 64;
    const u64 samples = samples_before.load(std::memory_order_relaxed) + waves->finished_samples();
    return std::min(pixel_count(), samples * kPixelsOfSample);
}

// How long the watching thread sleeps: less just before the time limit and until the first picture.
std::chrono::duration<double> Renderer::State::until_next_look(
    const TimeLimit::Spent& spent) const {
    const double most_s = figures.first_image_s == 0 ? 0.005 : 0.05;
    return std::chrono::duration<double>(time_limit.until_next_s(spent, most_s));
}

// Gives all pixels equally many samples if the started wave ends soon; otherwise keeps what is
// done.
void Renderer::State::keep_time_limit(const TimeLimit::Spent& spent) {
    const TimeLeft left = time_limit.left(spent);
    if (left == TimeLeft::GiveUp && !is_sampled.load(std::memory_order_relaxed)) {
        has_given_up.store(true, std::memory_order_relaxed);
    }
    if (left >= TimeLeft::EndShares) {
        waves->stop();
    } else if (left == TimeLeft::EndWave) {
        waves->stop_after_wave();
    }
}

// The shares of rays that wait for pages end seconds after the last one has begun: a stop gives
// them up, unless all are in the film and their means are under way.
void Renderer::State::give_up_pages() {
    if (scene.acceleration->store && !is_sampled.load(std::memory_order_relaxed)) {
        has_given_up.store(true, std::memory_order_relaxed);
    }
}

// The calling thread reports progress and keeps the time limit while the workers run.
void Renderer::State::watch(Clock::time_point begin,
                            const std::function<void(const FrameProgress&)>& on_progress,
                            std::mutex& mutex,
                            std::condition_variable& changed,
                            const bool& is_running) {
    const u64 pixels = pixel_count();
    const double spent_s = figures.render_s;  // in runs before this one
    const double processor_begin_s = processor_seconds() - processor_s;
    FrameProgress progress;
    progress.samples_found = figures.samples_found;
    const auto spent = [&] {
        return TimeLimit::Spent{.elapsed_s = spent_s + base::seconds_since(begin),
                                .processor_s = processor_seconds() - processor_begin_s,
                                .begun_pixels = begun_pixels()};
    };
    // Look at the frame in intervals while it runs.
    std::unique_lock lock(mutex);
    while (is_running && !runtime->has_ended()) {
        changed.wait_for(lock, until_next_look(spent()));
        lock.unlock();
        // Note the progress.
        progress.elapsed_s = spent().elapsed_s;
        progress.samples_done =
            samples_before.load(std::memory_order_relaxed) + waves->finished_samples();
        progress.samples_saved = waves->saved_samples();
        progress.samples_total = wanted_samples() - progress.samples_saved;
        if (figures.first_image_s == 0 && progress.samples_done >= pixels) {
            figures.first_image_s = progress.elapsed_s;
        }
        // End the frame if memory or a request says so, or keep the time limit.
        has_run_out = has_run_out || base::is_beyond_memory_limit();
        if (has_run_out || is_stop_requested.load(std::memory_order_relaxed)) {
            waves->stop();
            give_up_pages();
        } else if (progress.samples_done > 0) {
            keep_time_limit(spent());
        }
        if (on_progress) {
            on_progress(progress);
        }
        // Workers whose units have threads of their own sleep until one answers.
        if (waves->must_hold()) {
            units->wake_workers();
        }
        lock.lock();
    }
    processor_s = processor_seconds() - processor_begin_s;
}

base::Status Renderer::State::run_units(
    const std::function<void(const FrameProgress&)>& on_progress) {
    const auto begin = Clock::now();
    std::mutex mutex;
    std::condition_variable changed;
    bool is_running = true;
    // The frame runs on a thread of the runtime, so that this thread can watch.
    base::Status status = runtime->start(
        [&](bool has_cpu, bool has_gpu) {
            base::Status ran = units->run(*waves, has_cpu, has_gpu);
            const std::lock_guard lock(mutex);
            const bool has_both = settings.has_cpu && settings.has_egpu;
            figures.stand_ins += has_both && !has_gpu ? 1U : 0U;
            is_running = false;
            changed.notify_one();
            return ran;
        },
        units->kernel_objects());
    if (status.is_ok()) {
        watch(begin, on_progress, mutex, changed, is_running);
        status = runtime->wait();
    }
    // Resolve what is sampled when time ended the frame early.
    if (has_given_up.load(std::memory_order_relaxed) && picture) {
        picture->finish();
    }
    figures.render_s += base::seconds_since(begin);
    const auto& store = scene.acceleration->store;
    if (store && store->has_failed()) {
        status = store->failure();  // says more than that parts have failed
    }
    if (has_run_out && status.is_ok()) {
        status =
            base::beyond_memory_limit(base::ErrorKind::Memory, "out of memory while rendering");
    }
    return status;
}

// Continues the held waves, or cuts new ones for the samples that are missing.
base::Status Renderer::State::go_on(const RunHooks& hooks) {
    // Learn what guides paths; a stop before the end of that leaves nothing to render by.
    WEFT_TRY(learn());
    const bool is_stopped = wants_pilot();
    // Make units where they were let go of, and continue held waves.
    if (!units) {
        WEFT_TRY(make_units(shared_scene()));
    }
    for (const u32 unit : hooks.detached) {
        if (unit < units->unit_count()) {
            static_cast<void>(units->detach(unit));  // the last one stays
        }
    }
    if (waves && waves->is_held()) {
        waves->go_on();
        base::Status status = run_units(hooks.on_progress);
        collect_figures();
        return status;
    }
    // A continued film may lack nothing.
    const bool is_complete = is_continued && whole_samples >= settings.samples_per_pixel;
    if (is_complete || is_stopped) {
        if (picture) {
            picture->finish();
        }
        collect_figures();
        return base::Done{};
    }
    // Submit the frame's list for the missing samples.
    const View view = {.cameras = {&camera, 1},
                       .sample_begin = whole_samples,
                       .sample_end = settings.samples_per_pixel,
                       .has_auxiliary = film::has_path_aov(settings.aovs)};
    const base::Result<command::SubmitFigures> submitted =
        submit_frame(view, [&](const FrameCall& frame) -> base::Status {
            units->set_view(frame.camera, frame.has_auxiliary);
            cut_waves(frame, hooks);
            base::Status status = run_units(hooks.on_progress);
            collect_figures();
            return status;
        });
    WEFT_TRY(submitted);
    figures.commands.submitted.add(submitted.value());
    return base::Done{};
}

void Renderer::continue_from(film::Film film) {
    State& state = *state_;
    ENSURE(state.film->is_alike(film), ==, true);
    *state.film = std::move(film);
    const film::SampleRange held = film::held_samples(*state.film, state.settings.first_sample);
    ENSURE(held.reach, <=, state.settings.samples_per_pixel);
    state.is_continued = true;
    state.whole_samples = held.end;
    state.figures.samples_found = state.tried_samples();
    state.samples_before.store(state.figures.samples_found, std::memory_order_relaxed);
    state.dropped_before = film::dropped_samples(*state.film);
}

base::Status Renderer::render(const std::function<void(const FrameProgress&)>& on_progress) {
    return run(
        {.on_progress = on_progress, .should_hold = {}, .detached = {}, .maybe_watcher = nullptr});
}

base::Status Renderer::run(const RunHooks& hooks) {
    base::Status status = state_->go_on(hooks);
    state_->figures.holds += state_->waves && state_->waves->is_held() ? 1U : 0U;
    return status;
}

std::shared_ptr<const BesideProgram> Renderer::run_beside(const std::string& name,
                                                          const std::function<void()>& work) const {
    return state_->runtime->run_beside(name, work);
}

void Renderer::set_display_drawn(bool is_drawn) {
    state_->runtime->set_drawing(is_drawn);
}

u32 Renderer::change_samples(u32 samples_per_pixel) {
    const u32 least = state_->is_torn ? state_->torn_reach
                      : is_whole()    ? state_->whole_samples
                                      : state_->waves->end_at(samples_per_pixel);
    return state_->settings.samples_per_pixel = std::max(samples_per_pixel, least);
}

bool Renderer::is_done() const {
    return is_whole() && state_->whole_samples >= state_->settings.samples_per_pixel;
}

bool Renderer::is_whole() const {
    return !state_->is_torn && (!state_->waves || !state_->waves->is_held());
}

u32 Renderer::samples_done() const {
    return static_cast<u32>(state_->finished_samples() / state_->pixel_count());
}

double Renderer::mean_samples() const {
    return static_cast<double>(state_->finished_samples()) /
           static_cast<double>(state_->pixel_count());
}

void Renderer::request_whole() {
    const std::lock_guard lock(state_->waves_mutex);
    if (state_->waves) {
        state_->waves->stop_after_wave();
    }
    state_->is_whole_wanted = state_->is_torn;
}

void Renderer::attend(const film::Region& region) {
    const std::lock_guard lock(state_->waves_mutex);
    state_->attended = region;
    if (state_->waves) {
        state_->waves->attend(region);
    }
}

void Renderer::request_stop() {
    state_->is_stop_requested.store(true, std::memory_order_relaxed);
}

bool Renderer::detach_unit(u32 unit) {
    const std::lock_guard lock(state_->waves_mutex);
    return state_->units && unit < state_->units->unit_count() && state_->units->detach(unit);
}

void Renderer::attach_unit(u32 unit) {
    const std::lock_guard lock(state_->waves_mutex);
    if (state_->units && unit < state_->units->unit_count()) {
        state_->units->attach(unit);
    }
}

u32 Renderer::unit_count() const {
    return state_->units->unit_count();
}

const film::Film& Renderer::film() const {
    return *state_->film;
}

bool Renderer::has_given_up() const {
    return state_->has_given_up.load(std::memory_order_relaxed);
}

void Renderer::resolve_now() {
    ENSURE(state_->picture != nullptr, ==, true);
    state_->picture->finish();
}

const film::ResolvedFilm& Renderer::picture() const {
    ENSURE(state_->picture != nullptr, ==, true);
    return *state_->picture;
}

const shaders::CameraRecord& Renderer::camera() const {
    return state_->camera;
}

const PreparedScene& Renderer::scene() const {
    return state_->scene;
}

std::optional<trace::FirstSurface> Renderer::first_surface(u32 x, u32 y, u32 sample) const {
    return reference_tracer(*state_).first_surface(x, y, sample);
}

std::vector<std::string> Renderer::explain_sample(u32 x, u32 y, u32 sample) const {
    std::vector<std::string> events;
    const auto rgba = reference_tracer(*state_).explain_sample(x, y, sample, events);
    events.push_back(
        fmt::format("radiance {} {} {}, alpha {}", rgba[0], rgba[1], rgba[2], rgba[3]));
    return events;
}

}  // namespace weft::frame
