// bench_options.h — the options of `weft bench`.
//
// Scene, picture, camera and device take the options of `weft render`. check_bench_options()
// refuses contradictory options before the program reads any file. One thread.
#pragma once

#include <string>
#include <vector>

#include "app/command/render_options.h"
#include "engine/bench/paging_bench.h"
#include "engine/bench/ray_record.h"

namespace weft::app {

struct BenchOptions {
    RenderOptions render;
    u32 repeats = 5;                       // of each ray variant
    u32 image_repeats = 3;                 // of each whole image
    u32 policy_repeats = 3;                // of each whole image under another policy
    u32 rays = 1U << 18;                   // per class, at most
    std::vector<bench::RayClass> classes;  // empty: all
    bool has_rays = true;
    bool has_images = true;
    bool has_paging = false;  // --paging: frames of trees in pages, and nothing else
    bool has_control = true;  // --no-control: --paging without unkeyed frames
    u64 budget_bytes = 0;     // --geometry-memory with --paging; 0: parts of the pages
    std::vector<bench::PageSizes> page_sizes;  // --page-size; empty: the usual ones
    std::vector<u32> reads_ahead;              // --reads-ahead; empty: the usual number
    bool has_bus = false;            // --bus: frames of the emulated GPU, and nothing else
    bool has_noise = false;          // --noise: errors of pictures of few samples, and nothing else
    std::vector<u32> noise_samples;  // --noise-samples; empty: the usual ones
    std::vector<float> noise_thresholds;
    u32 reference_samples = 4096;
    std::string json_file;
    std::string chart_file;
    std::string summary_folder;  // holds JSON files; if set, bench summarises and does not measure
    std::string table_file;      // where the summary's table goes

    BenchOptions();
};

void add_bench_options(Command& command, BenchOptions& options);

base::Status check_bench_options(const BenchOptions& options);

// Returns the classes that `options` name, or all classes if they name none.
std::vector<bench::RayClass> pick_classes(const BenchOptions& options);

}  // namespace weft::app
