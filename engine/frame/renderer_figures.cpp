// renderer_figures.cpp — what a Renderer counts, at the end of a run and while it runs.
#include <algorithm>

#include "engine/film/noise.h"
#include "engine/frame/renderer_state.h"
#include "engine/frame/unit_totals.h"

namespace weft::frame {

namespace {

std::vector<std::string> routine_names(const PreparedScene& scene) {
    std::vector<std::string> names = {"path", "closest", "shadow", "shade", "miss"};
    // Where surfaces lie in pages, hits gather.
    const auto& store = scene.acceleration ? scene.acceleration->store : nullptr;
    if (store && store->figures().record_bytes > 0) {
        names.emplace_back("gather");
    }
    return names;
}

}  // namespace

void Renderer::State::collect_figures() {
    if (figures.first_image_s == 0) {
        figures.first_image_s = figures.render_s;
    }
    // Copy the figures of scene, settings and units. After let_go_of_scene(), those of its last run
    // stay.
    if (scene.acceleration) {
        figures.routine_names = routine_names(scene);
        figures.structure_bytes = scene.acceleration->size_bytes();
        if (scene.acceleration->store) {
            figures.pages = scene.acceleration->store->figures();
        }
        figures.lights = static_cast<u32>(scene.tables->lights.size());
        figures.placed = scene.tables->geometry;
        figures.computed = scene.tables->computed;
    }
    figures.thread_count = settings.thread_count;
    figures.shade_kernel = runtime->shade_story();
    figures.runtime = {runtime->runtime().object_figures(), runtime->runtime().queue_figures()};
    figures.devices = units->device_figures();
    figures.run = units->run_figures();
    figures.heat = units->late_heat();
    // Count samples, and those that were dropped.
    figures.samples = finished_samples();
    figures.dropped_samples = dropped_before;
    figures.dropped = early_dropped;
    if (waves) {
        figures.tasks = waves->task_figures();
        figures.dropped_samples += waves->dropped_count();
        figures.dropped.insert(
            figures.dropped.end(), waves->dropped().begin(), waves->dropped().end());
    }
    // Add up over devices and pixels.
    add_up_units(figures, former_units);
    count_samples();
    figures.samples_saved = waves ? waves->saved_samples() : 0;
    if (film::noise_layer(*film) != kNone) {
        figures.noise = film_noise(*film);
    }
    figures.stopped_by = stop_rule();
    if (waves && !waves->is_held()) {
        whole_samples = settings.first_sample +
                        static_cast<u32>((figures.samples + figures.samples_saved) / pixel_count());
    }
}

StopRule Renderer::State::stop_rule() const {
    if (figures.samples + figures.samples_saved >= wanted_samples()) {
        // A block that has all samples may still be above the threshold.
        const bool is_clean =
            figures.noise && figures.noise->most <= static_cast<double>(settings.noise_threshold);
        return is_clean ? StopRule::Noise : StopRule::Samples;
    }
    if (has_run_out) {
        return StopRule::Memory;
    }
    return is_stop_requested.load(std::memory_order_relaxed) ? StopRule::Request
                                                             : StopRule::TimeLimit;
}

// Counts the samples that every pixel has, and the pixels without any.
void Renderer::State::count_samples() {
    u32 least = kNone;
    figures.empty_pixels = 0;
    const film::Region crop = film->crop();
    for (u32 y = crop.y0; y < crop.y1; ++y) {
        for (u32 x = crop.x0; x < crop.x1; ++x) {
            const u32 count = film->sample_count(x, y);
            least = std::min(least, count);
            figures.empty_pixels += count == 0 ? 1U : 0U;
        }
    }
    figures.samples_per_pixel = least == kNone ? 0 : least;
}

const FrameFigures& Renderer::figures() const {
    return state_->figures;
}

std::optional<pages::PageFigures> Renderer::page_figures() const {
    const auto& store = state_->scene.acceleration->store;
    return store ? std::optional(store->figures()) : std::nullopt;
}

FrameFigures Renderer::late_figures() const {
    FrameFigures figures;
    figures.routine_names = routine_names(state_->scene);
    figures.thread_count = state_->settings.thread_count;
    figures.isa = state_->figures.isa;
    figures.structure_bytes = state_->scene.acceleration->size_bytes();
    figures.lights = static_cast<u32>(state_->scene.tables->lights.size());
    const std::lock_guard lock(state_->waves_mutex);
    if (state_->units) {
        figures.devices = state_->units->late_device_figures();
        figures.run = state_->units->late_run_figures();
    }
    add_up_units(figures, state_->former_units);
    figures.samples = state_->samples_before.load(std::memory_order_relaxed);
    if (state_->waves) {
        figures.samples += state_->waves->finished_samples();
        figures.tasks = state_->waves->task_figures();
    }
    return figures;
}

trace::HeatFigures Renderer::late_heat() const {
    return state_->units->late_heat();
}

}  // namespace weft::frame
