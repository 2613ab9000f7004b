// plain_image.cpp — renders a whole image as a conventional renderer does: threads take tiles by a
// counter and trace each to its end.
#include <algorithm>
#include <atomic>
#include <thread>

#include "engine/bench/image_bench.h"
#include "engine/bench/plain_tracer.h"
#include "scheduler/base/clock.h"
#include "scheduler/unit/float_state.h"

namespace weft::bench {

namespace {

constexpr u32 kPlainTile = 64;  // pixels on a side

PlainTracer::Trace embree_trace(const accel::EmbreeReference& embree, bool is_any) {
    return
        [&embree, is_any](
            const shaders::TraceScene& scene, shaders::TraceRay* rays, std::span<const u32> ids) {
            const auto count = static_cast<u32>(ids.size());
            if (is_any) {
                embree.any(scene, rays, ids.data(), count);
            } else {
                embree.closest(scene, rays, ids.data(), count);
            }
        };
}

// Path by path the kernels of one lane are faster than a register with one lane in use; the bits
// are the same.
const shaders::ShadeKernels* row_for(const BenchScene& scene, u32 path_count) {
    return path_count == 1 ? shaders::single_shade_kernels(scene.shade->isa) : scene.shade;
}

PlainTracer::Config tracer_config(const BenchScene& scene,
                                  const accel::EmbreeReference* maybe_embree,
                                  u32 path_count) {
    PlainTracer::Config config;
    config.path_count = path_count;
    config.shade = row_for(scene, path_count);
    config.closest =
        maybe_embree ? embree_trace(*maybe_embree, false) : own_trace(*scene.trace, false);
    config.any = maybe_embree ? embree_trace(*maybe_embree, true) : own_trace(*scene.trace, true);
    return config;
}

// Traces all samples of a tile, one run of pixels after another, so that paths in lockstep are
// neighbours.
void trace_tile(PlainTracer& tracer, film::Region crop, u32 tile, u32 samples, film::Film& film) {
    const u32 columns = (crop.width() + kPlainTile - 1) / kPlainTile;
    trace::SampleBlock block;
    block.tile = tile;
    block.x0 = crop.x0 + tile % columns * kPlainTile;
    block.y0 = crop.y0 + tile / columns * kPlainTile;
    block.width = std::min(kPlainTile, crop.x1 - block.x0);
    block.height = std::min(kPlainTile, crop.y1 - block.y0);
    block.pixel_end = block.width * block.height;
    block.sample_count = samples;
    tracer.trace(block, film);
}

}  // namespace

base::Result<PlainImage> render_plain(const BenchScene& scene,
                                      const accel::EmbreeReference* maybe_embree,
                                      u32 path_count) {
    const film::Region crop = scene.crop();
    film::Film film(scene.params.width, scene.params.height, crop, {});
    std::vector<std::unique_ptr<PlainTracer>> tracers;
    bool is_allocated = film.is_allocated();
    for (u32 k = 0; k < scene.settings.thread_count; ++k) {
        tracers.push_back(
            std::make_unique<PlainTracer>(scene, tracer_config(scene, maybe_embree, path_count)));
        is_allocated = is_allocated && tracers.back()->is_allocated();
    }
    if (!is_allocated) {
        return base::Error{base::ErrorKind::Memory, "out of memory: the conventional image"};
    }
    const u32 tiles = (crop.width() + kPlainTile - 1) / kPlainTile *
                      ((crop.height() + kPlainTile - 1) / kPlainTile);
    std::atomic<u32> next{0};
    std::vector<double> cpu_seconds(tracers.size());
    const base::Clock::time_point begin = base::Clock::now();
    {
        std::vector<std::jthread> threads;
        for (std::size_t k = 0; k < tracers.size(); ++k) {
            threads.emplace_back([&, k] {
                unit::set_float_state();
                // relaxed: tiles share nothing; the film is read after the join.
                for (u32 tile = next.fetch_add(1, std::memory_order_relaxed); tile < tiles;
                     tile = next.fetch_add(1, std::memory_order_relaxed)) {
                    trace_tile(*tracers[k], crop, tile, scene.settings.samples_per_pixel, film);
                }
                cpu_seconds[k] = thread_seconds();
            });
        }
    }
    PlainImage image;
    image.seconds = base::seconds_since(begin);
    for (std::size_t k = 0; k < tracers.size(); ++k) {
        image.cpu_seconds += cpu_seconds[k];
        image.rays += tracers[k]->ray_count();
    }
    image.film_hash = film.film_hash();
    return image;
}

}  // namespace weft::bench
