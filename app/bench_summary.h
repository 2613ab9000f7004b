// bench_summary.h — what many runs of `weft bench --json` come to: one table and one chart.
//
// `weft bench --summary FOLDER` reads every .json of a folder, smallest scene first. It measures
// nothing, so that a chart may be drawn anew without the machine that its figures are of. Pure but
// for reading; one thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/bench/ray_record.h"
#include "scheduler/base/result.h"

namespace weft::app {

// Of one class of rays; absent: the scene has fewer than kFewRays, or they were not measured.
struct ClassSummary {
    double key = 0;            // K2 / U2
    double honest = 0;         // K2 / max(U1, U2, E)
    double k2_mrays = 0;       // per second, median
    double best_mrays = 0;     // of U1, U2 and Embree's calls
    std::string best_variant;  // who that is
};

struct SceneSummary {
    std::string name;  // without folders and extension
    u64 triangles = 0;
    std::array<std::optional<ClassSummary>, bench::kRayClasses> classes;
    // Seconds of whole images, median; 0: not measured.
    double keyed_s = 0;
    double unkeyed_s = 0;
    double embree_s = 0;        // with our gathered shading
    double conventional_s = 0;  // Embree path by path or in lockstep, whichever was faster
    double best_policy_s = 0;   // keyed, under the fastest other policy
    // Processor time of Embree's gathered image over the keyed one's: measured, and as the rays'
    // rates predict; and rays per second, the renderer's over Embree's calls alone. 0: not known.
    double embree_over_keyed = 0;
    double predicted = 0;
    double renderer_over_embree = 0;
    double build_s = 0;
    double embree_build_s = 0;
    double bytes_per_triangle = 0;  // scene and tree
    u32 image_repeats = 0;
    u32 ray_repeats = 0;
};

// So few rays take no longer than the clock and the scheduler's start.
inline constexpr u64 kFewRays = 256;

// A ratio from here on, and its inverse, counts as a tie.
inline constexpr double kTie = 0.95;

// Errors: a folder without such files, a file that is none; they name it.
base::Result<std::vector<SceneSummary>> read_summaries(const std::string& folder);

// GitHub's Markdown. Losses are bold.
std::string summary_table(const std::vector<SceneSummary>& scenes);

// Left: K2 against the best of U1, U2 and Embree, class by class. Right: whole images.
std::string summary_chart(const std::vector<SceneSummary>& scenes);

}  // namespace weft::app
