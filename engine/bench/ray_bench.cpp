#include "engine/bench/ray_bench.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "engine/film/film_hash.h"
#include "scheduler/base/clock.h"
#include "shaders/traverse/fetch_trace.h"

namespace weft::bench {

namespace {

using shaders::TraceRay;

struct Contender {
    std::unique_ptr<RayVariant> variant;
    bool is_own = false;
    std::vector<double> seconds;
    std::vector<TraceRay> hits;
};

// `hits` has as many entries as `rays`, or none.
double run(RayVariant& variant,
           std::span<const TraceRay> rays,
           u32 chunk,
           std::span<TraceRay> hits) {
    double seconds = 0;
    for (std::size_t first = 0; first < rays.size(); first += chunk) {
        const std::size_t count = std::min<std::size_t>(chunk, rays.size() - first);
        seconds += variant.trace(rays.subspan(first, count),
                                 hits.empty() ? hits : hits.subspan(first, count));
    }
    return seconds;
}

std::string hash_of(const std::vector<TraceRay>& hits, bool is_any, bool is_own) {
    film::Hash128 hash;
    const auto word = [](u32 high, u32 low) { return u64{high} << 32 | low; };
    for (const TraceRay& hit : hits) {
        if (is_any) {
            hash.absorb(hit.t < 0 ? 1 : 0);
            continue;
        }
        hash.absorb(word(hit.instance, hit.primitive));
        hash.absorb(word(std::bit_cast<u32>(hit.t), 0));
        if (is_own) {
            hash.absorb(word(std::bit_cast<u32>(hit.u), std::bit_cast<u32>(hit.v)));
        }
    }
    return hash.hex();
}

bool is_same_own(const TraceRay& a, const TraceRay& b) {
    return std::bit_cast<u32>(a.t) == std::bit_cast<u32>(b.t) && a.primitive == b.primitive &&
           a.instance == b.instance && std::bit_cast<u32>(a.u) == std::bit_cast<u32>(b.u) &&
           std::bit_cast<u32>(a.v) == std::bit_cast<u32>(b.v);
}

bool is_same_surface(const TraceRay& ours, const TraceRay& theirs, bool is_any) {
    if (is_any) {
        return (ours.t < 0) == (theirs.t < 0);
    }
    if ((ours.primitive == kNone) != (theirs.primitive == kNone)) {
        return false;
    }
    return ours.primitive == kNone || std::fabs(ours.t - theirs.t) <= kSameDistance * ours.t;
}

void fill_counts(VariantRow& row, const VariantCounts& counts, double rays) {
    const shaders::TraceCounters& counted = counts.trace;
    if (counted.node_visits == 0) {
        return;
    }
    const auto ratio = [](u64 a, double b) { return b > 0 ? static_cast<double>(a) / b : 0; };
    row.is_counted = true;
    row.nodes_per_ray = ratio(counted.node_tests, rays);
    row.leaves_per_ray = ratio(counted.leaf_tests, rays);
    row.rays_per_fetch = ratio(counted.node_tests, static_cast<double>(counted.node_visits));
    row.occupancy = ratio(counted.lanes_active, static_cast<double>(counted.lanes_issued));
    row.scheduler_bytes_per_ray = ratio(counts.scheduler_bytes, rays);
}

VariantRow row_of(const Contender& contender, const Contender& first, u32 rounds, bool is_any) {
    VariantRow row;
    row.variant = contender.variant->name();
    row.traversal = contender.variant->traversal();
    row.way = contender.variant->way();
    row.rays = contender.hits.size();
    std::vector<double> rates;
    for (const double seconds : contender.seconds) {
        rates.push_back(static_cast<double>(row.rays) / std::max(seconds, 1e-9) * 1e-6);
    }
    row.mrays_per_s = Spread::of(std::move(rates));
    row.hits_hash = hash_of(contender.hits, is_any, contender.is_own);
    for (std::size_t k = 0; k < contender.hits.size(); ++k) {
        const bool is_same = contender.is_own
                                 ? is_same_own(first.hits[k], contender.hits[k])
                                 : is_same_surface(first.hits[k], contender.hits[k], is_any);
        row.differences += is_same ? 0 : 1;
    }
    fill_counts(row, contender.variant->counts(), static_cast<double>(row.rays) * rounds);
    return row;
}

// Traces the record once more with simulated caches, for own variants of a counting build. The
// first half fills the caches, as they are in the middle of a picture; misses count in the second
// half.
void fill_misses(VariantRow& row,
                 const Contender& contender,
                 std::span<const TraceRay> rays,
                 u32 chunk) {
    const std::size_t half = rays.size() / 2;
    if (!shaders::kIsCounting || !contender.is_own || half == 0) {
        return;
    }
    CacheModel model;
    const shaders::FetchListener listener = {[](void* context, const void* data, u32 size_bytes) {
                                                 static_cast<CacheModel*>(context)->fetch(
                                                     data, size_bytes);
                                             },
                                             &model};
    shaders::fetch_listener = &listener;
    run(*contender.variant, rays.first(half), chunk, {});
    const std::array<u64, kCacheLevels> before = model.misses();
    run(*contender.variant, rays.subspan(half), chunk, {});
    shaders::fetch_listener = nullptr;
    const std::array<u64, kCacheLevels> misses = model.misses();
    row.has_misses = true;
    for (u32 level = 0; level < kCacheLevels; ++level) {
        row.misses_per_ray[level] = static_cast<double>(misses[level] - before[level]) /
                                    static_cast<double>(rays.size() - half);
    }
}

// Keeps the faster one of Embree's two traversals for each call.
void keep_best(std::vector<VariantRow>& rows, VariantRow row) {
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const VariantRow& other) {
        return other.variant == row.variant;
    });
    if (same == rows.end()) {
        rows.push_back(std::move(row));
    } else if (row.mrays_per_s.median > same->mrays_per_s.median) {
        *same = std::move(row);
    }
}

}  // namespace

Spread Spread::of(std::vector<double> values) {
    if (values.empty()) {
        return {};
    }
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    const double median =
        values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
    return {values.front(), median, values.back()};
}

double ClassRows::rate(std::string_view variant) const {
    for (const VariantRow& row : variants) {
        if (row.variant == variant) {
            return row.mrays_per_s.median;
        }
    }
    return 0;
}

base::Result<ClassRows> compare_variants(const BenchScene& scene,
                                         const accel::EmbreeReference& embree,
                                         const RayRecord& record,
                                         RayClass ray_class,
                                         const RayBenchConfig& config,
                                         Canary& canary) {
    // All variants trace the rays that Embree accepts.
    std::vector<TraceRay> rays = record.of(ray_class);
    std::erase_if(rays, [&](const TraceRay& ray) { return !embree.accepts(ray); });
    ClassRows result;
    result.ray_class = ray_class;
    result.rays = rays.size();
    if (rays.empty()) {
        return result;
    }
    // Make the variants.
    std::vector<Contender> contenders;
    for (auto& variant : make_own_variants(scene, ray_class, config.chunk)) {
        contenders.push_back({std::move(variant), true, {}, {}});
    }
    if (contenders.empty()) {
        return base::Error{base::ErrorKind::Memory, "out of memory: fibres of the variants"};
    }
    for (auto& variant : make_embree_variants(embree, ray_class, config.chunk)) {
        contenders.push_back({std::move(variant), false, {}, {}});
    }
    // Warm up, and keep the hits.
    for (Contender& contender : contenders) {
        contender.hits.resize(rays.size());
        run(*contender.variant, rays, config.chunk, contender.hits);
    }
    // Time the variants in turn.
    std::vector<double> canary_ns;
    const base::Clock::time_point begin = base::Clock::now();
    const auto spent_s = [&] { return base::seconds_since(begin); };
    u32 repeat = 0;
    for (; repeat < config.repeats && (repeat == 0 || spent_s() < config.time_limit_s); ++repeat) {
        canary_ns.push_back(canary.ns_per_load());
        // Begin each repeat with another variant.
        for (std::size_t k = 0; k < contenders.size(); ++k) {
            Contender& contender = contenders[(k + repeat) % contenders.size()];
            contender.seconds.push_back(run(*contender.variant, rays, config.chunk, {}));
        }
    }
    // Compute rates, counts and differences.
    result.repeats = repeat;
    result.canary_ns = Spread::of(std::move(canary_ns));
    for (const Contender& contender : contenders) {
        VariantRow row = row_of(contender, contenders.front(), repeat + 1, is_any_hit(ray_class));
        fill_misses(row, contender, rays, config.chunk);
        keep_best(result.variants, std::move(row));
    }
    return result;
}

Ratios ratios_of(const ClassRows& rows) {
    const double u1 = rows.rate("U1");
    const double u2 = rows.rate("U2");
    const double k2 = rows.rate("K2");
    const double embree = std::max({rows.rate("E1"), rows.rate("E16"), rows.rate("ES")});
    const double best = std::max({u1, u2, embree});
    const auto ratio = [](double a, double b) { return b > 0 ? a / b : 0; };
    return {ratio(k2, u2), ratio(u2, u1), ratio(k2, u1), ratio(k2, best)};
}

}  // namespace weft::bench
