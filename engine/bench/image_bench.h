// image_bench.h — whole images: the product's modes, policies and a conventional renderer against
// each other.
//
// Gathered variants are frames of frame::Renderer. The conventional variants answer "what would an
// ordinary renderer do": Embree's calls path by path, each path's shading at once, unsorted and in
// one lane of the same kernels; or as many paths as a register has lanes in lockstep, which is the
// kinder way to use these kernels without gathering. They have no scheduler, no queues and no
// fibres, and threads take tiles by a counter. Variants take turns; building trees is not in the
// times.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "engine/bench/ray_bench.h"
#include "engine/frame/renderer.h"

namespace weft::bench {

struct ImageVariant {
    std::string scheduler;  // keyed, unkeyed, embree
    std::string policy;     // of rays: depth_first, ...
    std::string shading;    // gathered, path by path, lockstep
};

struct ImageRow {
    ImageVariant variant;
    u32 spp = 0;
    u32 threads = 0;
    u32 repeats = 0;
    u64 rays = 0;
    Spread seconds;             // from the first ray to the last sample in the film
    Spread cpu_seconds;         // of all threads together: what a busy machine does not blur
    double msamples_per_s = 0;  // by the median of seconds
    double mrays_per_s = 0;
    std::string film_hash;  // of every repeat; where they differ, of the first
    bool is_repeatable = true;
};

struct ImageBenchConfig {
    u32 repeats = 3;
    u32 policy_repeats = 3;  // rounds in which other policies take part, the first ones
    // After so many seconds no further round of all variants is begun; one there is always.
    double time_limit_s = std::numeric_limits<double>::infinity();
    // Told before each image, for progress; may be empty.
    std::function<void(const ImageVariant& variant, u32 repeat)> on_image;
    // Asked between images: true ends the comparison with what there is. May be empty.
    std::function<bool()> is_stopped;
};

// Images of the scene's settings (mode and policies aside). `embree` has filters. Errors: as those
// of a render.
base::Result<std::vector<ImageRow>> compare_images(const BenchScene& scene,
                                                   const accel::EmbreeReference& embree,
                                                   const scene::Camera& camera,
                                                   const ImageBenchConfig& config);

// What one conventional image came to.
struct PlainImage {
    double seconds = 0;
    double cpu_seconds = 0;
    u64 rays = 0;
    std::string film_hash;
};

// One image without a scheduler: `path_count` paths at a time per thread, Embree's calls, or our
// own single-ray kernel where `maybe_embree` is null (then the hash is the product's).
base::Result<PlainImage> render_plain(const BenchScene& scene,
                                      const accel::EmbreeReference* maybe_embree,
                                      u32 path_count);

}  // namespace weft::bench
