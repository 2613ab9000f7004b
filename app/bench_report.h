// bench_report.h — the figures of `weft bench` as a table for people and as JSON for programs.
//
// Other programs read the JSON: do not rename its fields. There `arm` is the name of a ray variant
// (engine/bench/ray_variant.h), and `variant` the faster of Embree's traversals. Pure; one thread.
#pragma once

#include <string>
#include <vector>

#include "engine/bench/image_bench.h"
#include "engine/bench/ray_bench.h"

namespace weft::app {

struct BenchFigures {
    std::string scene;
    u64 triangles = 0;
    u64 scene_bytes = 0;        // geometry, textures, tables of the scene model
    u64 tree_bytes = 0;         // Weft's own BVH
    double build_s = 0;         // of Weft's own BVH
    double embree_build_s = 0;  // of Embree's BVH at the same quality; 0: not built
    u64 peak_rss_bytes = 0;
    std::string processor;
    std::string isa;
    u32 threads = 0;
    u32 width = 0;
    u32 height = 0;
    u32 repeats = 0;
    u32 image_repeats = 0;
    std::string command_line;
    std::vector<bench::ClassRows> rays;
    std::array<double, bench::kRayClasses> share{};  // each class's part of a picture's rays
    std::vector<bench::ImageRow> images;
};

std::string table_of(const BenchFigures& figures);

std::string json_of(const BenchFigures& figures);

// Returns the "model name" of the machine's first processor.
std::string processor_name();

}  // namespace weft::app
