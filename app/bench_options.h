// bench_options.h — the options of `weft bench` as typed.
//
// Scene, picture, camera and device are said as for `weft render`. check_bench_options() holds the
// options against each other before anything is read. One thread.
#pragma once

#include <string>
#include <vector>

#include "app/command/render_options.h"
#include "engine/bench/ray_record.h"

namespace weft::app {

struct BenchOptions {
    RenderOptions render;
    u32 repeats = 5;         // of the variants of rays
    u32 image_repeats = 3;   // of whole images
    u32 policy_repeats = 3;  // of those under other policies
    u32 rays = 1U << 18;     // of a class, at most
    std::vector<std::string> classes;
    bool has_rays = true;
    bool has_images = true;
    std::string json_file;
    std::string chart_file;
    std::string summary_folder;  // of JSON files: nothing is measured
    std::string table_file;      // of the summary

    BenchOptions();
};

void add_bench_options(CLI::App& command, BenchOptions& options);

base::Status check_bench_options(const BenchOptions& options);

// The classes asked for; all where none is named.
std::vector<bench::RayClass> pick_classes(const BenchOptions& options);

}  // namespace weft::app
