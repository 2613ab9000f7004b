// paging_bench.h — compares frames whose tree is in memory with frames that have a fraction of its
// pages in memory, keyed and unkeyed (engine/trace/paged_rays.h).
//
// Paged variants have equally many paths in flight; those in memory have as many as suit the cache.
// All take turns. The page file is there before the
// first of them; reads are direct. Times do not include opening the file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/bench/ray_bench.h"
#include "engine/frame/renderer.h"

namespace weft::bench {

struct PagingVariant {
    std::string scheduler{};  // keyed, unkeyed
    // The budget holds this part of the pages' bytes, or the least that works; 0: no pages.
    u32 divisor = 0;
};

struct PagingRow {
    PagingVariant variant{};
    u64 budget_bytes = 0;
    u64 page_bytes = 0;  // of all pages
    u64 rays = 0;
    u64 reads = 0;  // of the first repeat
    u64 rays_waited = 0;
    std::vector<double> bytes_of_repeats{};
    u32 repeats = 0;
    Spread seconds{};
    std::string film_hash{};
    bool is_repeatable = true;

    // Read from the file, of all repeats.
    [[nodiscard]] Spread bytes_read() const { return Spread::of(bytes_of_repeats); }

    // Of the median.
    [[nodiscard]] double bytes_per_ray() const {
        return rays == 0 ? 0 : bytes_read().median / static_cast<double>(rays);
    }
};

struct PagingBenchConfig {
    u32 repeats = 5;
    std::vector<u32> divisors = {4, 16};
    // Called before each frame, for progress; may be empty.
    std::function<void(const PagingVariant& variant, u32 repeat)> on_frame;
    // Called between frames: true ends the comparison with the rows so far. May be empty.
    std::function<bool()> is_stopped;
};

// Renders frames with the settings, but for mode and budget; settings.page_folder is set. Errors:
// those of a render.
base::Result<std::vector<PagingRow>> compare_paging(const scene::Scene& scene,
                                                    const scene::Camera& camera,
                                                    const frame::RenderSettings& settings,
                                                    const std::vector<std::string>& hidden,
                                                    const PagingBenchConfig& config);

}  // namespace weft::bench
