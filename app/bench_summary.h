// bench_summary.h — summarises many runs of `weft bench --json` as one table and one chart.
//
// `weft bench --summary FOLDER` reads every .json file of a folder and sorts the scenes by size,
// smallest first. It measures nothing, so any machine can redraw a chart. Pure except
// read_summaries(); one thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/bench/ray_record.h"
#include "scheduler/base/result.h"

namespace weft::app {

// One class of rays of one scene. Absent if the scene has fewer than kFewRays rays of that class,
// or if the run did not measure the class.
struct ClassSummary {
    double key = 0;            // K2 / U2
    double honest = 0;         // K2 / max(U1, U2, E)
    double k2_mrays = 0;       // per second, median
    double best_mrays = 0;     // of U1, U2 and Embree's calls
    std::string best_variant;  // the variant that reached best_mrays
};

struct SceneSummary {
    std::string name;  // file name without folder and extension
    u64 triangles = 0;
    std::array<std::optional<ClassSummary>, bench::kRayClasses> classes;
    // Median seconds per whole image; 0: not measured.
    double keyed_s = 0;
    double unkeyed_s = 0;
    double embree_s = 0;        // with Weft's gathered shading
    double conventional_s = 0;  // faster of Embree path by path and Embree in lockstep
    double best_policy_s = 0;   // keyed, with the fastest policy other than the default
    // Ratios; 0: unknown. `embree_over_keyed` divides the processor time of Embree's gathered image
    // by that of the keyed image; `predicted` computes the same ratio from the ray rates.
    // `renderer_over_embree` divides the renderer's rays per second by those of Embree's calls.
    double embree_over_keyed = 0;
    double predicted = 0;
    double renderer_over_embree = 0;
    double build_s = 0;
    double embree_build_s = 0;
    double bytes_per_triangle = 0;  // of scene and BVH
    u32 image_repeats = 0;
    u32 ray_repeats = 0;
};

// Fewer rays take no longer than reading the clock and starting the scheduler.
inline constexpr u64 kFewRays = 256;

// Ratios in [kTie, 1 / kTie] count as ties.
inline constexpr double kTie = 0.95;

// Errors: the folder has no .json file, or a file is not the JSON of `weft bench`. The sentence
// names the folder or the file.
base::Result<std::vector<SceneSummary>> read_summaries(const std::string& folder);

// Returns a table in GitHub's Markdown. Ratios below kTie are bold.
std::string summary_table(const std::vector<SceneSummary>& scenes);

// Returns an SVG file. The left panel shows K2 relative to the best of U1, U2 and Embree, by class
// of rays; the right panel shows whole images.
std::string summary_chart(const std::vector<SceneSummary>& scenes);

}  // namespace weft::app
