// image_bench.h — compares whole images: the product's modes and policies, and a conventional
// renderer.
//
// Gathered variants are frames of frame::Renderer. Conventional variants work as an ordinary
// renderer does: they call Embree path by path and shade each path at once, unsorted, in one lane
// of the same kernels; or they run as many paths in lockstep as a register has lanes, which suits
// these kernels better. They have no scheduler, no queues and no fibres; threads take tiles by a
// counter. Variants take turns. Times do not include building trees.
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
    std::string policy;   // of rays: depth_first, ...; sets, nodes: depth first, by that way alone
    std::string shading;  // gathered, path by path, lockstep
};

struct ImageRow {
    ImageVariant variant;
    u32 spp = 0;
    u32 threads = 0;
    u32 repeats = 0;
    u64 rays = 0;
    Spread seconds;             // from the first ray to the last sample in the film
    Spread cpu_seconds;         // of all threads together: hardly depends on the machine's load
    double msamples_per_s = 0;  // by the median of seconds
    double mrays_per_s = 0;
    std::string film_hash;  // of every repeat; where they differ, of the first
    bool is_repeatable = true;
};

struct ImageBenchConfig {
    u32 repeats = 3;
    u32 policy_repeats = 3;  // first rounds, in which other policies take part
    // No further round of all variants begins after so many seconds; the first always does.
    double time_limit_s = std::numeric_limits<double>::infinity();
    // Called before each image, for progress; may be empty.
    std::function<void(const ImageVariant& variant, u32 repeat)> on_image;
    // Called between images: true ends the comparison with the images so far. May be empty.
    std::function<bool()> is_stopped;
};

// Renders images with the scene's settings, but for mode and policies. `embree` has filters.
// Errors: those of a render.
base::Result<std::vector<ImageRow>> compare_images(const BenchScene& scene,
                                                   const accel::EmbreeReference& embree,
                                                   const scene::Camera& camera,
                                                   const ImageBenchConfig& config);

// The figures of one conventional image.
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
