// ray_bench.h — compares all variants on one class of rays: rates, counts, and whether they find
// the same hits.
//
// Variants take turns, so that a busy machine slows all of them alike; the first round warms up and
// is checked instead of timed. Own variants must agree in every bit of every hit. Embree has
// another triangle test and must hit the same surface; its differences are counted. One thread.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "engine/bench/cache_model.h"
#include "engine/bench/canary.h"
#include "engine/bench/ray_variant.h"

namespace weft::bench {

// Least, middle and greatest of some repeats.
struct Spread {
    double min = 0;
    double median = 0;
    double max = 0;

    static Spread of(std::vector<double> values);
};

struct VariantRow {
    std::string variant;    // "U1" ...
    std::string traversal;  // of Embree's calls: which of its two traversals was faster
    std::string way;        // of U2 and K2: their traversal strategy at the end
    u64 rays = 0;
    Spread mrays_per_s;
    std::string hits_hash;  // of every ray's hit; own variants: of all of its bits
    u64 differences = 0;  // rays whose hit is not U1's: own variants bit by bit, Embree's see below
    bool is_counted = false;  // whether the counts below are known
    double nodes_per_ray = 0;
    double leaves_per_ray = 0;
    double rays_per_fetch = 0;  // node tests per node fetched
    double occupancy = 0;       // fibre places of groups and lanes of packets that had a ray
    double scheduler_bytes_per_ray = 0;
    bool has_misses = false;  // own variants of a counting build
    // Missed lines of the tree, by kCacheNames, in the record's second half; the first half warms
    // the caches.
    std::array<double, kCacheLevels> misses_per_ray{};
};

struct ClassRows {
    RayClass ray_class = RayClass::Primary;
    u64 rays = 0;
    u32 repeats = 0;                   // timed rounds
    std::vector<VariantRow> variants;  // empty where the scene has no such rays
    Spread canary_ns;

    // The median rate of a variant; 0 where it is missing.
    [[nodiscard]] double rate(std::string_view variant) const;
};

struct RayBenchConfig {
    u32 repeats = 5;
    u32 chunk = 4096;  // rays in flight: as many as a unit has paths
    // No further repeat begins after so many seconds; the first always does.
    double time_limit_s = std::numeric_limits<double>::infinity();
};

// A hit of Embree's differs from ours if only one of the two hits, or if their distances differ by
// more than this fraction.
inline constexpr float kSameDistance = 1e-3F;

// `embree` has no filters, `scene` is opaque. Errors: memory.
base::Result<ClassRows> compare_variants(const BenchScene& scene,
                                         const accel::EmbreeReference& embree,
                                         const RayRecord& record,
                                         RayClass ray_class,
                                         const RayBenchConfig& config,
                                         Canary& canary);

// The ratios of a class; 0 where a variant is missing.
struct Ratios {
    double key = 0;      // K2 / U2: what keying is worth with equal latency hiding
    double latency = 0;  // U2 / U1
    double total = 0;    // K2 / U1
    double honest = 0;   // K2 / the best of U1, U2 and Embree
};

Ratios ratios_of(const ClassRows& rows);

}  // namespace weft::bench
