#include "engine/frame/renderer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <thread>

#include "engine/accel/acceleration.h"
#include "engine/accel/embree_reference.h"
#include "engine/frame/autofocus.h"
#include "engine/frame/frame_list.h"
#include "engine/trace/reference_tracer.h"

namespace weft::frame {

namespace {

using Clock = std::chrono::steady_clock;

// Samples per pixel of a wave, at most: what a picture may run beyond its time limit.
constexpr u32 kMostWaveSamples = 4;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

base::Error out_of_memory(const char* what, u64 bytes) {
    return {base::ErrorKind::Memory,
            fmt::format("out of memory: {} needs {} MiB", what, bytes >> 20)};
}

shaders::RenderParams params_of(const RenderSettings& settings,
                                const std::vector<float>& filter_table) {
    shaders::RenderParams params{};
    params.width = settings.width;
    params.height = settings.height;
    params.seed = settings.seed;
    params.max_bounces = settings.max_bounces;
    params.clamp_direct = settings.clamp_direct;
    params.clamp_indirect = settings.clamp_indirect;
    params.backface_culling = settings.has_backface_culling ? 1 : 0;
    params.filter_table = filter_table.data();
    return params;
}

}  // namespace

struct Renderer::State {
    RenderSettings settings;
    DrawnScene drawn;
    trace::SceneTables tables;
    accel::Acceleration acceleration;
    std::unique_ptr<accel::EmbreeReference> embree;
    std::vector<float> filter_table;
    FrameList frame_list;
    shaders::CameraRecord camera{};
    shaders::RenderParams params{};
    std::unique_ptr<film::Film> film;
    std::unique_ptr<FrameRuntime> runtime;
    std::unique_ptr<RenderUnits> units;
    std::unique_ptr<TileWaves> waves;
    FrameFigures figures;
    u32 samples_done = 0;  // of every pixel
    std::atomic<bool> is_stop_requested{false};

    base::Status draw_scene(const scene::Scene& scene, const std::vector<std::string>& hidden);
    base::Status allocate_film();
    void cut_waves(const FrameCall& frame);
    base::Status run_units(const std::function<void(const FrameProgress&)>& on_progress);
    void watch(Clock::time_point begin,
               const std::function<void(const FrameProgress&)>& on_progress,
               std::mutex& mutex,
               std::condition_variable& changed,
               const bool& is_running);
    void collect_figures();
};

Renderer::Renderer(std::unique_ptr<State> state) : state_(std::move(state)) {}

Renderer::~Renderer() = default;

base::Result<std::unique_ptr<Renderer>> Renderer::prepare(const scene::Scene& scene,
                                                          const scene::Camera& camera,
                                                          const RenderSettings& settings,
                                                          const std::vector<std::string>& hidden) {
    auto runtime = std::make_unique<FrameRuntime>(settings);
    base::Status chosen = runtime->choose(settings);
    if (!chosen.is_ok()) {
        return chosen.error();
    }
    auto state = std::make_unique<State>();
    state->runtime = std::move(runtime);
    state->settings = settings;
    if (state->settings.thread_count == 0) {
        state->settings.thread_count = std::max(1U, std::thread::hardware_concurrency());
    }
    const auto begin_tables = Clock::now();
    base::Status drawn = state->draw_scene(scene, hidden);
    if (!drawn.is_ok()) {
        return drawn.error();
    }
    state->tables = trace::make_scene_tables(scene, state->drawn.tables);
    state->figures.tables_s = seconds_since(begin_tables);

    const auto begin_build = Clock::now();
    accel::BuildConfig build;
    build.thread_count = state->settings.thread_count;
    build.is_visible = state->drawn.tables.is_visible;
    build.is_asked = state->drawn.is_asked;
    build.leaf_fill = settings.leaf_fill;
    build.is_high_quality = settings.has_fine_tree;
    auto acceleration = accel::build_acceleration(scene, build);
    if (!acceleration.is_ok()) {
        return acceleration.error();
    }
    state->acceleration = std::move(acceleration.value());
    if (settings.integrator.mode == trace::SchedulerMode::Embree) {
        auto embree = accel::EmbreeReference::build(
            scene, build.thread_count, build.is_visible, build.is_asked);
        if (!embree.is_ok()) {
            return embree.error();
        }
        state->embree = std::move(embree.value());
    }
    state->figures.build_s = seconds_since(begin_build);

    state->filter_table = trace::make_filter_table(settings.filter);
    base::Status allocated = state->allocate_film();
    if (!allocated.is_ok()) {
        return allocated.error();
    }
    UnitScene shared;
    shared.scene = &scene;
    shared.tables = &state->tables;
    shared.acceleration = &state->acceleration;
    shared.embree = state->embree.get();
    shared.filter_table = &state->filter_table;
    shared.params = params_of(settings, state->filter_table);
    state->camera = trace::make_camera(camera, settings.width, settings.height);
    if (settings.has_autofocus) {
        const float focus_m = distance_in_the_middle(shared, state->camera);
        state->camera.focus_m = focus_m > 0 ? focus_m : state->camera.focus_m;
    }
    state->params = shared.params;
    auto units = RenderUnits::make(shared, state->settings, *state->runtime);
    if (!units.is_ok()) {
        return units.error();
    }
    state->units = std::move(units.value());
    state->figures.isa = state->units->isa();
    if (settings.has_scene_kernels) {
        state->runtime->specialise(state->tables);
    }
    return std::unique_ptr<Renderer>(new Renderer(std::move(state)));
}

// What is rendered comes from executing the scene's lists.
base::Status Renderer::State::draw_scene(const scene::Scene& scene,
                                         const std::vector<std::string>& hidden) {
    const auto begin = Clock::now();
    const base::Result<SceneLists> lists =
        SceneLists::record(scene, {.thread_count = settings.thread_count});
    if (!lists.is_ok()) {
        return lists.error();
    }
    base::Result<DrawnScene> made =
        lists.value().submit({hidden, settings.clip_planes, !settings.is_film_transparent});
    if (!made.is_ok()) {
        return made.error();
    }
    drawn = std::move(made.value());
    figures.commands = drawn.figures;
    figures.lists_s = seconds_since(begin);
    return base::Done{};
}

base::Status Renderer::State::allocate_film() {
    const film::Region crop =
        settings.crop.value_or(film::Region{0, 0, settings.width, settings.height});
    const u64 pixels = u64{crop.width()} * crop.height();
    figures.film_bytes = pixels * (64 + 8 + 16 * 10 * (settings.aovs.empty() ? 0 : 1));
    const u64 planned = figures.film_bytes + acceleration.size_bytes();
    if (settings.memory_limit_bytes != 0 && planned > settings.memory_limit_bytes) {
        return base::Error{
            base::ErrorKind::Memory,
            fmt::format(
                "--memory-limit: film and acceleration structure need {} MiB, allowed are {} MiB",
                planned >> 20,
                settings.memory_limit_bytes >> 20)};
    }
    film = std::make_unique<film::Film>(settings.width, settings.height, crop, settings.aovs);
    if (!film->is_allocated()) {
        return out_of_memory("the film", figures.film_bytes);
    }
    return base::Done{};
}

void Renderer::State::cut_waves(const FrameCall& frame) {
    WaveConfig config;
    config.crop = film->crop();
    config.first_sample = frame.first_sample;
    config.samples = frame.sample_count;
    // A wave of small pictures has several samples per pixel, so that it fills every unit.
    const u64 pixels = u64{config.crop.width()} * config.crop.height();
    const u64 in_flight = u64{settings.integrator.path_count} * units->unit_count() * 2;
    config.first_wave_samples =
        static_cast<u32>(std::clamp<u64>((in_flight + pixels - 1) / pixels, 1, frame.sample_count));
    config.most_wave_samples = std::max(config.first_wave_samples, kMostWaveSamples);
    if (settings.has_scene_kernels) {
        config.on_wave = [this] {
            if (const shaders::ShadeKernels* const row = runtime->take_specialised()) {
                units->change_cpu_shade(row);
            }
        };
    }
    waves = std::make_unique<TileWaves>(
        config, *film, [this](u32 unit, u32 portion, u32 count) -> const trace::ResultView& {
            return units->results(unit, portion, count);
        });
}

// The calling thread reports progress and keeps the time limit while the workers run.
void Renderer::State::watch(Clock::time_point begin,
                            const std::function<void(const FrameProgress&)>& on_progress,
                            std::mutex& mutex,
                            std::condition_variable& changed,
                            const bool& is_running) {
    const film::Region crop = film->crop();
    const u64 pixels = u64{crop.width()} * crop.height();
    FrameProgress progress;
    progress.samples_total = pixels * settings.samples_per_pixel;
    std::unique_lock lock(mutex);
    while (is_running && !runtime->has_ended()) {
        changed.wait_for(lock, std::chrono::milliseconds(figures.first_image_s == 0 ? 5 : 50));
        lock.unlock();
        progress.elapsed_s = seconds_since(begin);
        progress.samples_done = waves->finished_samples();
        if (figures.first_image_s == 0 && progress.samples_done >= pixels) {
            figures.first_image_s = progress.elapsed_s;
        }
        if (is_stop_requested.load(std::memory_order_relaxed)) {
            waves->stop();
        } else if (progress.elapsed_s >= settings.time_limit_s) {
            waves->stop_after_wave();
        }
        if (on_progress) {
            on_progress(progress);
        }
        lock.lock();
    }
}

base::Status Renderer::State::run_units(
    const std::function<void(const FrameProgress&)>& on_progress) {
    const auto begin = Clock::now();
    std::mutex mutex;
    std::condition_variable changed;
    bool is_running = true;
    // The frame runs on a thread of the runtime, so that this one is free to watch.
    base::Status status = runtime->start([&](bool has_cpu, bool has_gpu) {
        base::Status ran = units->run(*waves, has_cpu, has_gpu);
        const std::lock_guard lock(mutex);
        is_running = false;
        changed.notify_one();
        return ran;
    });
    if (status.is_ok()) {
        watch(begin, on_progress, mutex, changed, is_running);
        status = runtime->wait();
    }
    figures.render_s = seconds_since(begin);
    return status;
}

void Renderer::State::collect_figures() {
    if (figures.first_image_s == 0) {
        figures.first_image_s = figures.render_s;
    }
    figures.structure_bytes = acceleration.size_bytes();
    figures.thread_count = settings.thread_count;
    figures.lights = static_cast<u32>(tables.lights.size());
    figures.routine_names = {"path", "closest", "shadow", "shade", "miss"};
    figures.shade_kernel = runtime->shade_story();
    figures.devices = units->device_figures();
    figures.run = units->run_figures();
    figures.samples += waves->finished_samples();
    figures.dropped_samples += waves->dropped_count();
    const std::vector<DroppedSample> dropped = waves->dropped();
    figures.dropped.insert(figures.dropped.end(), dropped.begin(), dropped.end());
    // Counters add up in the units.
    figures.integrator = {};
    figures.fibre = {};
    figures.storage_bytes = 0;
    for (const DeviceFigures& device : figures.devices) {
        figures.integrator.add(device.integrator);
        figures.fibre.add(device.fibre);
        figures.storage_bytes += device.storage_bytes;
    }
    u32 least = kNone;
    const film::Region crop = film->crop();
    for (u32 y = crop.y0; y < crop.y1; ++y) {
        for (u32 x = crop.x0; x < crop.x1; ++x) {
            least = std::min(least, film->sample_count(x, y));
        }
    }
    figures.samples_per_pixel = least == kNone ? 0 : least;
}

base::Status Renderer::render(const std::function<void(const FrameProgress&)>& on_progress) {
    return render_to(state_->settings.samples_per_pixel, on_progress);
}

base::Status Renderer::render_to(u32 samples,
                                 const std::function<void(const FrameProgress&)>& on_progress) {
    const View view = {.cameras = {&state_->camera, 1},
                       .sample_begin = state_->samples_done,
                       .sample_end = std::min(samples, state_->settings.samples_per_pixel),
                       .has_auxiliary = !state_->settings.aovs.empty()};
    const base::Result<command::SubmitFigures> submitted =
        state_->frame_list.submit(view, [&](const FrameCall& frame) -> base::Status {
            state_->units->set_view(frame.camera, frame.has_auxiliary);
            state_->cut_waves(frame);
            base::Status status = state_->run_units(on_progress);
            state_->collect_figures();
            state_->samples_done = state_->figures.samples_per_pixel;
            return status;
        });
    if (!submitted.is_ok()) {
        return submitted.error();
    }
    state_->figures.commands.add(submitted.value());
    return base::Done{};
}

u32 Renderer::samples_done() const {
    return state_->samples_done;
}

void Renderer::request_stop() {
    state_->is_stop_requested.store(true, std::memory_order_relaxed);
}

bool Renderer::detach_unit(u32 unit) {
    return state_->units->detach(unit);
}

void Renderer::attach_unit(u32 unit) {
    state_->units->attach(unit);
}

u32 Renderer::unit_count() const {
    return state_->units->unit_count();
}

const film::Film& Renderer::film() const {
    return *state_->film;
}

const FrameFigures& Renderer::figures() const {
    return state_->figures;
}

std::optional<Picked> Renderer::pick(float x, float y) const {
    UnitScene scene;
    scene.tables = &state_->tables;
    scene.acceleration = &state_->acceleration;
    return surface_at(scene,
                      state_->camera,
                      x / static_cast<float>(state_->settings.width),
                      y / static_cast<float>(state_->settings.height));
}

std::vector<std::string> Renderer::explain_sample(u32 x, u32 y, u32 sample) const {
    const trace::ReferenceTracer tracer(
        state_->tables, {state_->params, state_->camera, state_->drawn.tables.is_visible});
    std::vector<std::string> events;
    const auto rgba = tracer.explain_sample(x, y, sample, events);
    events.push_back(
        fmt::format("radiance {} {} {}, alpha {}", rgba[0], rgba[1], rgba[2], rgba[3]));
    return events;
}

}  // namespace weft::frame
