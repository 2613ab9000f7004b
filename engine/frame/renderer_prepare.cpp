// renderer_prepare.cpp — makes a Renderer: takes all memory and finds errors before the first ray.
#include <algorithm>
#include <fmt/format.h>
#include <thread>
#include <utility>

#include "engine/film/film_file.h"
#include "engine/frame/autofocus.h"
#include "engine/frame/camera_media.h"
#include "engine/frame/noise_rule.h"
#include "engine/frame/pilot.h"
#include "engine/frame/renderer_state.h"
#include "scheduler/base/clock.h"
#include "scheduler/base/ensure.h"
#include "scheduler/base/memory_limit.h"

namespace weft::frame {

namespace {

base::Error out_of_memory(const char* what, u64 bytes) {
    return {base::ErrorKind::TooLarge,
            fmt::format("out of memory: {} needs {} MiB", what, bytes >> 20)};
}

u32 thread_count_of(const RenderSettings& settings) {
    return settings.thread_count != 0 ? settings.thread_count
                                      : std::max(1U, std::thread::hardware_concurrency());
}

// Which devices take part, where the runtime chose them.
void take_choice(const FrameRuntime& runtime, RenderSettings& settings) {
    settings.has_cpu = runtime.kernels(compute::DeviceType::Cpu) != nullptr;
    settings.has_egpu = runtime.kernels(compute::DeviceType::Gpu) != nullptr;
}

}  // namespace

UnitScene unit_scene(const PreparedScene& prepared) {
    UnitScene scene;
    scene.scene = prepared.scene.get();
    scene.tables = prepared.tables.get();
    scene.acceleration = prepared.acceleration.get();
    scene.embree = prepared.embree.get();
    scene.heat = prepared.heat.get();
    return scene;
}

base::Result<std::unique_ptr<Renderer>> Renderer::prepare(const scene::Scene& scene,
                                                          const scene::Camera& camera,
                                                          const RenderSettings& settings,
                                                          const std::vector<std::string>& hidden) {
    const std::shared_ptr<const scene::Scene> borrowed(std::shared_ptr<void>(), &scene);
    return prepare(SceneRequest{.scene = borrowed, .hidden = hidden}, camera, settings);
}

base::Result<std::unique_ptr<Renderer>> Renderer::prepare(SceneRequest request,
                                                          const scene::Camera& camera,
                                                          const RenderSettings& settings) {
    RenderSettings known = settings;
    known.thread_count = thread_count_of(settings);
    // Refuse settings that no device can meet before building anything.
    auto runtime = std::make_unique<FrameRuntime>(known);
    WEFT_TRY(runtime->choose(known));
    take_choice(*runtime, known);
    request.settings = &known;
    base::Result<PreparedScene> prepared = prepare_scene(std::move(request));
    WEFT_TRY(prepared);
    return make(std::move(runtime), std::move(prepared.value()), camera, known, nullptr);
}

base::Result<std::unique_ptr<Renderer>> Renderer::prepare(PreparedScene scene,
                                                          const scene::Camera& camera,
                                                          const RenderSettings& settings,
                                                          Renderer* maybe_spent) {
    RenderSettings known = settings;
    known.thread_count = thread_count_of(settings);
    if (maybe_spent) {
        if (std::unique_ptr<RenderUnits> units = maybe_spent->give_units(known)) {
            return make(std::move(maybe_spent->state_->runtime),
                        std::move(scene),
                        camera,
                        known,
                        std::move(units));
        }
    }
    auto runtime = std::make_unique<FrameRuntime>(known);
    WEFT_TRY(runtime->choose(known));
    take_choice(*runtime, known);
    return make(std::move(runtime), std::move(scene), camera, known, nullptr);
}

std::unique_ptr<RenderUnits> Renderer::give_units(const RenderSettings& settings) {
    const bool is_free = state_->units && state_->waves && is_done();
    return is_free && RenderUnits::can_serve(state_->settings, settings) ? std::move(state_->units)
                                                                         : nullptr;
}

base::Result<std::unique_ptr<Renderer>> Renderer::make(std::unique_ptr<FrameRuntime> runtime,
                                                       PreparedScene scene,
                                                       const scene::Camera& camera,
                                                       const RenderSettings& settings,
                                                       std::unique_ptr<RenderUnits> maybe_units) {
    // Take over settings, runtime and scene.
    auto state = std::make_unique<State>();
    state->settings = settings;
    state->whole_samples = settings.first_sample;
    state->time_limit = {.limit_s = settings.time_limit_s, .thread_count = settings.thread_count};
    state->runtime = std::move(runtime);
    state->runtime->set_drawing(settings.is_display_drawn);
    state->runtime->set_urgency(settings.urgency);
    state->scene = std::move(scene);
    // Take memory for the film, then point the units at the scene.
    state->filter_table = trace::make_filter_table(settings.filter);
    const trace::SceneTables& tables = *state->scene.tables;
    if (maybe_units && !maybe_units->fits(tables)) {
        maybe_units = nullptr;
    }
    WEFT_TRY(state->allocate_film(maybe_units ? 0 : RenderUnits::needed_bytes(tables, settings)));
    const UnitScene shared = state->show(camera);
    if (maybe_units) {
        state->units = std::move(maybe_units);
        WEFT_TRY(state->units->aim(shared, state->settings));
    } else {
        WEFT_TRY(state->make_units(shared));
    }
    state->figures.isa = state->units->isa();
    if (settings.has_scene_kernels) {
        state->runtime->specialise(*state->scene.tables);
    }
    return std::unique_ptr<Renderer>(new Renderer(std::move(state)));
}

void FrameTrees::add(const PreparedScene& scene) {
    const accel::TreeFigures& made = scene.acceleration->figures;
    if (!scene.has_new_tree) {
        ++kept;
        triangles.kept_triangles +=
            made.kept_triangles + made.refitted_triangles + made.built_triangles;
        return;
    }
    ++(scene.has_built_tree ? built : patched);
    triangles.kept_triangles += made.kept_triangles;
    triangles.refitted_triangles += made.refitted_triangles;
    triangles.built_triangles += made.built_triangles;
}

UnitScene Renderer::State::shared_scene() const {
    UnitScene shared = unit_scene(scene);
    shared.heat = settings.has_heat ? shared.heat : nullptr;
    shared.filter_table = &filter_table;
    shared.params = render_params(settings, filter_table);
    shared.guide = settings.guide.get();
    shared.media = media;
    return shared;
}

// Samples are missing that a guide is wanted for.
bool Renderer::State::wants_pilot() const {
    if (settings.guiding == Guiding::Off || settings.guide || has_learned) {
        return false;
    }
    if (!is_continued) {
        return true;
    }
    if (whole_samples >= settings.samples_per_pixel) {
        return false;
    }
    const NoiseConfig rule{.threshold = settings.noise_threshold,
                           .sample_end = settings.samples_per_pixel,
                           .tile_count = 0};
    return settings.noise_threshold == 0 || !NoiseRule(*film, rule).is_met();
}

base::Status Renderer::State::learn() {
    if (!wants_pilot()) {
        return base::Done{};
    }
    // The frame's units take no memory beside the pilot's.
    {
        const std::lock_guard lock(waves_mutex);
        units = nullptr;
    }
    const auto begin = std::chrono::steady_clock::now();
    base::Result<Learned> learned = learn_guide(scene, seen_by, settings, [this] {
        return is_stop_requested.load(std::memory_order_relaxed);
    });
    WEFT_TRY(learned);
    settings.guide = std::move(learned.value().guide);
    has_learned = learned.value().verdict != PilotVerdict::None;
    figures.pilot = {.seconds = base::seconds_since(begin),
                     .guide_bytes = settings.guide ? settings.guide->bytes() : 0,
                     .verdict = learned.value().verdict,
                     .worth_of_ray = learned.value().worth_of_ray};
    const auto claim =
        base::claim_memory(first_run_bytes(figures), "the frame beside the guide of its paths");
    if (!claim.is_ok()) {
        return base::Error{base::ErrorKind::Memory, claim.error().sentence};
    }
    return make_units(shared_scene());
}

base::Status Renderer::learn() {
    return state_->learn();
}

base::Status Renderer::check_pilot() const {
    return state_->wants_pilot() ? check_pilot_memory(*state_->scene.tables, state_->settings)
                                 : base::Status(base::Done{});
}

base::Status Renderer::State::make_units(const UnitScene& shared) {
    return runtime->make_ready([&]() -> base::Status {
        auto made = RenderUnits::make(shared, settings, *runtime);
        WEFT_TRY(made);
        const std::lock_guard lock(waves_mutex);
        units = std::move(made.value());
        return base::Done{};
    });
}

UnitScene Renderer::State::show(const scene::Camera& seen) {
    figures.lists_s += scene.lists_s;
    figures.tables_s += scene.tables_s;
    figures.build_s += scene.build_s;
    figures.trees.add(scene);
    if (scene.has_new_tables) {
        figures.commands.add(scene.drawn->figures);
    } else {
        figures.commands.reused += scene.drawn->lists->list_count();
    }
    seen_by = seen;
    UnitScene shared = shared_scene();
    camera = trace::make_camera(seen, settings.width, settings.height);
    if (settings.has_autofocus) {
        const float focus_m = distance_in_the_middle(shared, camera);
        camera.focus_m = focus_m > 0 ? focus_m : camera.focus_m;
    }
    media = media_around(shared, camera);
    shared.media = media;
    params = shared.params;
    ids = surface_ids(*scene.scene, settings.aovs);
    return shared;
}

base::Status Renderer::change_scene(PreparedScene scene, const scene::Camera& camera) {
    ENSURE(is_whole(), ==, true);
    State& state = *state_;
    const PreparedScene former = std::exchange(state.scene, std::move(scene));
    const UnitScene shared = state.show(camera);
    if (RenderUnits::can_serve(state.settings, state.settings) &&
        state.units->fits(*shared.tables)) {
        return state.units->aim(shared, state.settings);
    }
    // Units of a device hold a copy of the scene, and paths may lack memory: make others. A shading
    // kernel compiled for the former scene may lack features of this one, so the generic one shades
    // from here on.
    state.settings.has_scene_kernels = false;
    let_go_of_units();
    return state.make_units(shared);
}

bool Renderer::has_pages() const {
    return state_->scene.acceleration && state_->scene.acceleration->store;
}

void Renderer::let_go_of_units() {
    State& state = *state_;
    if (!state.units) {
        return;
    }
    const std::lock_guard lock(state.waves_mutex);
    state.former_units.devices = state.figures.devices;
    state.former_units.run = state.figures.run;
    if (state.waves && state.waves->is_held()) {
        state.tear();
    }
    state.units = nullptr;
}

// The film goes on as that of another process does: each pixel has a prefix of its samples.
void Renderer::State::tear() {
    dropped_before += waves->dropped_count();
    early_dropped = figures.dropped;
    waves = nullptr;
    const film::SampleRange held = film::held_samples(*film, settings.first_sample);
    is_continued = true;
    is_torn = held.end != held.reach;
    torn_reach = held.reach;
    whole_samples = held.end;
    samples_before.store(tried_samples(), std::memory_order_relaxed);
}

void Renderer::let_go_of_scene() {
    ENSURE(is_whole(), ==, true);
    if (RenderUnits::can_serve(state_->settings, state_->settings)) {
        state_->scene = {};
    }
}

void Renderer::end_out_of_memory() {
    State& state = *state_;
    ENSURE(is_whole(), ==, true);
    state.has_run_out = true;
    if (state.picture) {
        state.picture->finish();
    }
    if (state.units) {  // else the figures are those of the last run
        state.collect_figures();
    }
    // The caller may have asked for the samples of this scene alone, and those are there.
    state.figures.stopped_by = StopRule::Memory;
}

u64 film_bytes(const RenderSettings& settings) {
    const film::Region crop =
        settings.crop.value_or(film::Region{0, 0, settings.width, settings.height});
    const u64 pixels = u64{crop.width()} * crop.height();
    u64 pixel_bytes = 4 * sizeof(film::ExactSum) + 2 * sizeof(u32);  // beauty, counts, dropped
    u64 values = 5;  // the display bytes count as one
    for (const film::Aov aov : settings.aovs) {
        pixel_bytes += film::layer_pixel_bytes(aov);
        values += film::aov_values(aov);
    }
    return pixels * (pixel_bytes + (settings.picture ? values * sizeof(float) : 0));
}

base::Status Renderer::State::allocate_film(u64 unit_bytes) {
    const film::Region crop =
        settings.crop.value_or(film::Region{0, 0, settings.width, settings.height});
    figures.film_bytes = film_bytes(settings);
    figures.unit_bytes = unit_bytes;
    // Claim film and picture, and the memory that units first touch while they run.
    const base::Result<base::MemoryClaim> claim =
        base::claim_memory(figures.film_bytes + unit_bytes,
                           fmt::format("a film of {}x{} pixels with the paths of {} threads",
                                       crop.width(),
                                       crop.height(),
                                       settings.thread_count));
    WEFT_TRY(claim);
    // Allocate both.
    film = std::make_unique<film::Film>(settings.width, settings.height, crop, settings.aovs);
    if (!film->is_allocated()) {
        return out_of_memory("the film", figures.film_bytes);
    }
    if (settings.picture) {
        picture = std::make_unique<film::ResolvedFilm>(*film, *settings.picture);
        if (!picture->is_allocated()) {
            return out_of_memory("the film", figures.film_bytes);
        }
    }
    return base::Done{};
}

}  // namespace weft::frame
