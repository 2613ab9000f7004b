#include "engine/bench/plain_tracer.h"

#include <algorithm>
#include <numeric>

#include "scheduler/base/ensure.h"

namespace weft::bench {

using shaders::PathView;

PlainTracer::PlainTracer(const BenchScene& scene, const Config& config)
    : scene_(scene),
      config_(config),
      slots_(config.path_count,
             {.has_boundaries = scene.tables.has_boundaries(),
              .has_tints = scene.tables.has_tints(),
              .has_light_tree = scene.tables.has_light_tree(),
              .is_regularized = scene.params.regularized_alpha > 0},
             memory_),
      trace_scene_(scene.trace_scene()) {
    trace_scene_.alpha_keys = shaders::AlphaKeys(slots_.view().record);
    trace_scene_.shadow_tints = slots_.view().shadow_tint;
    trace_scene_.shadow_media = slots_.view().shadow_media;
    pixels_.resize(config.path_count);
    for (std::vector<u32>* const ids : {&live_, &shadow_, &hit_, &missed_}) {
        ids->reserve(config.path_count);
    }
}

void PlainTracer::trace(const trace::SampleBlock& block, film::Film& film) {
    const u32 size = block.size();
    for (u32 first = 0; first < size; first += config_.path_count) {
        start(block, first, std::min(config_.path_count, size - first));
        while (!live_.empty() || !shadow_.empty()) {
            bounce(film);
        }
    }
}

void PlainTracer::start(const trace::SampleBlock& block, u32 first, u32 count) {
    const PathView& paths = slots_.view();
    const u32 pixels = block.pixel_count();
    live_.resize(count);
    std::iota(live_.begin(), live_.end(), 0U);
    for (u32 slot = 0; slot < count; ++slot) {
        const u32 launch = first + slot;
        const trace::PixelPlace place = trace::place_of(block, block.pixel_begin + launch % pixels);
        pixels_[slot] = place.y * scene_.params.width + place.x;
        paths.record[slot].pixel_hash = pixels_[slot];
        paths.record[slot].sample = block.sample_begin + launch / pixels;
    }
    config_.shade->camera(scene_.camera, scene_.params, paths, live_.data(), count, counters_);
    trace::start_in(scene_.media, paths, live_);
}

// Traces one ray of every live path and shades its hit or miss.
void PlainTracer::bounce(film::Film& film) {
    const PathView& paths = slots_.view();
    ray_count_ += live_.size() + shadow_.size();
    if (!live_.empty()) {
        if (config_.on_closest) {
            config_.on_closest(paths, live_);
        }
        config_.closest(trace_scene_, paths.ray, live_);
    }
    if (!shadow_.empty()) {
        if (config_.on_any) {
            config_.on_any(paths, shadow_);
        }
        config_.any(trace_scene_, paths.shadow, shadow_);
    }
    settle(film);
    const auto count_of = [](const std::vector<u32>& ids) { return static_cast<u32>(ids.size()); };
    if (!hit_.empty()) {
        config_.shade->shade(
            scene_.tables.view, scene_.params, paths, hit_.data(), count_of(hit_), counters_);
    }
    if (!missed_.empty()) {
        config_.shade->miss(
            scene_.tables.view, scene_.params, paths, missed_.data(), count_of(missed_), counters_);
    }
    // Sort paths: those that continue, those with a shadow ray, and those that have ended.
    live_.clear();
    shadow_.clear();
    for (const u32 slot : hit_) {
        if ((paths.gain[slot].flags & shaders::kPathShadow) != 0) {
            shadow_.push_back(slot);
        }
        if ((paths.gain[slot].flags & shaders::kPathAlive) != 0) {
            live_.push_back(slot);
        }
    }
    for (const std::vector<u32>* const ended : {&hit_, &missed_}) {
        for (const u32 slot : *ended) {
            if ((paths.gain[slot].flags & (shaders::kPathShadow | shaders::kPathAlive)) == 0) {
                finish(slot, film);
            }
        }
    }
}

// Adds unblocked light samples, and sorts live paths into hits and misses.
void PlainTracer::settle(film::Film& film) {
    const PathView& paths = slots_.view();
    for (const u32 slot : shadow_) {
        trace::dim_light(scene_.tables.view, paths, slot);
        trace::add_light(paths.gain[slot], paths.shadow[slot].t);
        if ((paths.gain[slot].flags & shaders::kPathAlive) == 0) {
            finish(slot, film);
        }
    }
    hit_.clear();
    missed_.clear();
    for (const u32 slot : live_) {
        (paths.ray[slot].primitive == kNone ? missed_ : hit_).push_back(slot);
    }
}

void PlainTracer::finish(u32 slot, film::Film& film) {
    const PathView& paths = slots_.view();
    const u32 pixel = pixels_[slot];
    const shaders::PathGain& gain = paths.gain[slot];
    film.add_sample(pixel % scene_.params.width,
                    pixel / scene_.params.width,
                    {gain.radiance[0], gain.radiance[1], gain.radiance[2], gain.alpha});
}

PlainTracer::Trace own_trace(const shaders::TraceKernels& row, bool is_any) {
    const auto kernel = is_any ? row.any_group : row.closest_group;
    return
        [kernel](
            const shaders::TraceScene& scene, shaders::TraceRay* rays, std::span<const u32> ids) {
            shaders::TraceCounters counters;
            kernel(scene, scene.bvh.root, rays, ids.data(), static_cast<u32>(ids.size()), counters);
        };
}

}  // namespace weft::bench
