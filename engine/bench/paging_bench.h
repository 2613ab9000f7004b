// paging_bench.h — compares frames whose tree is in memory with frames that have a fraction of its
// pages in memory, keyed and unkeyed (engine/trace/paged_rays.h).
//
// Paged variants have equally many paths in flight; those in memory have as many as suit the cache.
// They differ in the size of pages, and unkeyed ones in the number of reads ahead: what suits keys
// best need not suit the control best. Keyed pages leave by a clock, the control's in the order of
// their last use (engine/pages/page_lives.h). All take turns. The page files are there before the
// first of them; reads are direct. Times do not include opening the file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/bench/ray_bench.h"
#include "engine/frame/renderer.h"

namespace weft::bench {

// Most bytes of a page of the tree, and of a page of triangles' records.
struct PageSizes {
    u64 tree_bytes = u64{256} << 10;
    u64 record_bytes = u64{256} << 10;
    friend bool operator==(const PageSizes&, const PageSizes&) = default;
};

struct PagingVariant {
    std::string scheduler{};  // keyed, unkeyed
    // The budget holds this part of the pages' bytes, or the least that works; 0: no pages.
    u32 divisor = 0;
    PageSizes sizes{};
    u32 reads_ahead = 0;   // of the control with pages; else 0
    u64 budget_bytes = 0;  // that was asked for, whatever part it is (the divisor is 1); 0: none
};

struct PagingRow {
    PagingVariant variant{};
    u64 budget_bytes = 0;
    u64 page_bytes = 0;      // of all pages
    u64 resident_bytes = 0;  // always in memory, beside the budget
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

    // Whether the budget is the least that works, and larger than the variant's part of all pages.
    [[nodiscard]] bool has_more_than_its_part() const {
        return variant.divisor != 0 && variant.budget_bytes == 0 &&
               budget_bytes > page_bytes / variant.divisor;
    }

    // Of the median.
    [[nodiscard]] double bytes_per_ray() const {
        return rays == 0 ? 0 : bytes_read().median / static_cast<double>(rays);
    }
};

struct PagingBenchConfig {
    u32 repeats = 5;
    std::vector<u32> divisors = {4, 16};
    u64 budget_bytes = 0;     // of all rows with pages, instead of parts of these; 0: parts
    bool has_control = true;  // unkeyed frames, too
    // Small pages suit the control best, and bytes; large ones suit keys and time.
    std::vector<PageSizes> sizes = {{u64{16} << 10, u64{16} << 10},
                                    {u64{64} << 10, u64{64} << 10},
                                    {u64{256} << 10, u64{256} << 10}};
    std::vector<u32> reads_ahead = {trace::IntegratorConfig{}.reads_ahead};
    // Called before each frame, for progress; may be empty.
    std::function<void(const PagingVariant& variant, u32 repeat)> on_frame;
    // Called between frames: true ends the comparison with the rows so far. May be empty.
    std::function<bool()> is_stopped;
};

// Renders frames with the settings, but for mode, pages and budget; settings.page_folder is set.
// Errors: those of a render.
base::Result<std::vector<PagingRow>> compare_paging(const scene::Scene& scene,
                                                    const scene::Camera& camera,
                                                    const frame::RenderSettings& settings,
                                                    const std::vector<std::string>& hidden,
                                                    const PagingBenchConfig& config);

}  // namespace weft::bench
