#include "app/bench_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/command/version.h"
#include "engine/bench/image_prediction.h"

namespace weft::app {

namespace {

using nlohmann::json;

// The JSON's name of a class. All diffuse bounces share one name; the member "bounce" separates
// them.
std::string_view contract_class(bench::RayClass ray_class) {
    switch (ray_class) {
        case bench::RayClass::Diffuse1:
        case bench::RayClass::Diffuse2:
        case bench::RayClass::Diffuse3:
            return "diffuse";
        default:
            return bench::ray_class_name(ray_class);
    }
}

json ray_json(const bench::ClassRows& rows, const bench::VariantRow& row) {
    json out = {{"class", contract_class(rows.ray_class)},
                {"bounce", bench::bounce_of(rows.ray_class)},
                {"kind", bench::is_any_hit(rows.ray_class) ? "shadow" : "closest"},
                {"arm", row.variant},
                {"variant", row.traversal},
                {"way", row.way},
                {"rays", row.rays},
                {"mrays_per_s_min", row.mrays_per_s.min},
                {"mrays_per_s_median", row.mrays_per_s.median},
                {"mrays_per_s_max", row.mrays_per_s.max},
                {"nodes_per_ray", nullptr},
                {"leaves_per_ray", nullptr},
                {"rays_per_fetch", nullptr},
                {"occupancy", nullptr},
                {"scheduler_bytes_per_ray", nullptr},
                {"misses_per_ray", nullptr},
                {"hits_hash", row.hits_hash},
                {"repeats", rows.repeats},
                {"differences", row.differences},
                {"canary_ns", rows.canary_ns.median}};
    if (row.is_counted) {
        out["nodes_per_ray"] = row.nodes_per_ray;
        out["leaves_per_ray"] = row.leaves_per_ray;
        out["rays_per_fetch"] = row.rays_per_fetch;
        out["occupancy"] = row.occupancy;
        out["scheduler_bytes_per_ray"] = row.scheduler_bytes_per_ray;
    }
    for (u32 level = 0; level < bench::kCacheLevels && row.has_misses; ++level) {
        out["misses_per_ray"][std::string(bench::kCacheNames[level])] = row.misses_per_ray[level];
    }
    return out;
}

json image_json(const bench::ImageRow& row) {
    return {{"scheduler", row.variant.scheduler},
            {"policy", row.variant.policy},
            {"shading", row.variant.shading},
            {"spp", row.spp},
            {"threads", row.threads},
            {"repeats", row.repeats},
            {"seconds", row.seconds.median},
            {"seconds_min", row.seconds.min},
            {"seconds_max", row.seconds.max},
            {"cpu_seconds", row.cpu_seconds.median},
            {"cpu_seconds_min", row.cpu_seconds.min},
            {"msamples_per_s", row.msamples_per_s},
            {"mrays_per_s", row.mrays_per_s},
            {"film_hash", row.film_hash},
            {"is_repeatable", row.is_repeatable}};
}

// Cache misses by variant; only counting builds have them.
std::string misses_table(const bench::ClassRows& rows) {
    std::string text;
    for (const bench::VariantRow& row : rows.variants) {
        if (!row.has_misses) {
            continue;
        }
        text += fmt::format("  {:<4} lines of the tree missed per ray:", row.variant);
        for (u32 level = 0; level < bench::kCacheLevels; ++level) {
            text += fmt::format(" {} {:.2f}", bench::kCacheNames[level], row.misses_per_ray[level]);
        }
        text += '\n';
    }
    return text;
}

std::string rays_table(const BenchFigures& figures, const bench::ClassRows& rows) {
    // Head: the class, its rays and the canary.
    std::string text = fmt::format(
        "\n{} ({}, {} rays, {:.1f} % of a picture's rays; canary {:.0f} ns per load, {:.0f} to "
        "{:.0f})\n",
        bench::ray_class_name(rows.ray_class),
        bench::is_any_hit(rows.ray_class) ? "any hit" : "closest hit",
        rows.rays,
        100 * figures.share[static_cast<u32>(rows.ray_class)],
        rows.canary_ns.median,
        rows.canary_ns.min,
        rows.canary_ns.max);
    if (rows.variants.empty()) {
        return text + "  this scene has no such rays\n";
    }
    text += fmt::format("  {:<4} {:>26} {:>7} {:>7} {:>9} {:>6} {:>7}  {:<8} {}\n",
                        "arm",
                        "Mray/s median (min to max)",
                        "nodes",
                        "leaves",
                        "per fetch",
                        "lanes",
                        "sched B",
                        "hits",
                        "how");
    // A line for each variant.
    for (const bench::VariantRow& row : rows.variants) {
        const std::string counts =
            row.is_counted ? fmt::format("{:>7.1f} {:>7.1f} {:>9.1f} {:>6.2f} {:>7.1f}",
                                         row.nodes_per_ray,
                                         row.leaves_per_ray,
                                         row.rays_per_fetch,
                                         row.occupancy,
                                         row.scheduler_bytes_per_ray)
                           : fmt::format("{:>7} {:>7} {:>9} {:>6} {:>7}", "-", "-", "-", "-", "-");
        const std::string how =
            row.differences == 0 ? row.way + row.traversal
                                 : fmt::format("{}{}{}{} rays differ",
                                               row.way,
                                               row.traversal,
                                               row.way.empty() && row.traversal.empty() ? "" : ", ",
                                               row.differences);
        text += fmt::format("  {:<4} {:>10.2f} ({:>5.2f} to {:>5.2f}) {}  {:<8} {}\n",
                            row.variant,
                            row.mrays_per_s.median,
                            row.mrays_per_s.min,
                            row.mrays_per_s.max,
                            counts,
                            row.hits_hash.substr(0, 8),
                            how);
    }
    // Foot: misses and ratios.
    text += misses_table(rows);
    const bench::Ratios ratios = bench::ratios_of(rows);
    return text + fmt::format(
                      "  key K2/U2 {:.2f}, latency U2/U1 {:.2f}, total K2/U1 {:.2f}, honest "
                      "K2/max(U1, U2, E) {:.2f}\n",
                      ratios.key,
                      ratios.latency,
                      ratios.total,
                      ratios.honest);
}

// Returns "5", or "2 to 5" if the time limit ended some rows earlier than others.
template <typename Rows>
std::string repeats_of(const Rows& all, bool (*is_counted)(const typename Rows::value_type&)) {
    u32 least = ~0U;
    u32 most = 0;
    for (const auto& rows : all) {
        least = is_counted(rows) ? std::min(least, rows.repeats) : least;
        most = std::max(most, rows.repeats);
    }
    return least < most ? fmt::format("{} to {}", least, most) : fmt::format("{}", most);
}

std::string images_table(const BenchFigures& figures) {
    if (figures.images.empty()) {
        return {};
    }
    std::string text = fmt::format(
        "\nwhole images, {}x{}, {} samples per pixel, {} threads, {} repeats in turn\n  {:<8} "
        "{:<12} {:<13} "
        "{:>24} {:>8} {:>10} {:>8}  {}\n",
        figures.width,
        figures.height,
        figures.images.front().spp,
        figures.threads,
        repeats_of(figures.images, [](const bench::ImageRow&) { return true; }),
        "mode",
        "policy",
        "shading",
        "s median (min to max)",
        "cpu s",
        "Msamples/s",
        "Mray/s",
        "film hash");
    for (const bench::ImageRow& row : figures.images) {
        text += fmt::format(
            "  {:<8} {:<12} {:<13} {:>8.2f} ({:>5.2f} to {:>5.2f}) {:>8.2f} "
            "{:>10.2f} {:>8.2f}  {}{}\n",
            row.variant.scheduler,
            row.variant.policy,
            row.variant.shading,
            row.seconds.median,
            row.seconds.min,
            row.seconds.max,
            row.cpu_seconds.median,
            row.msamples_per_s,
            row.mrays_per_s,
            row.film_hash.substr(0, 16),
            row.is_repeatable ? "" : " (repeats differ)");
    }
    return text;
}

std::optional<bench::ImagePrediction> prediction_of(const BenchFigures& figures) {
    return bench::predict_image(figures.images, figures.rays, figures.share);
}

std::string prediction_line(const BenchFigures& figures) {
    const auto prediction = prediction_of(figures);
    return prediction ? fmt::format(
                            "  cpu s embree/keyed {:.2f}, {:.2f} by what their rays gain "
                            "({:.0f} % of Embree's image are its calls); keyed Mray/s over "
                            "Embree's calls alone {:.2f}\n",
                            prediction->measured,
                            prediction->predicted,
                            100 * prediction->embree_share,
                            prediction->renderer_over_embree)
                      : std::string();
}

json prediction_json(const BenchFigures& figures) {
    const auto prediction = prediction_of(figures);
    return prediction ? json{{"embree_share", prediction->embree_share},
                             {"predicted", prediction->predicted},
                             {"measured", prediction->measured},
                             {"renderer_over_embree", prediction->renderer_over_embree}}
                      : json();
}

json machine_json(const BenchFigures& figures) {
    return {{"processor", figures.processor},
            {"isa", figures.isa},
            {"threads", figures.threads},
            {"version", kVersion}};
}

}  // namespace

std::string table_of(const BenchFigures& figures) {
    std::string text = fmt::format(
        "{}: {} triangles; {}, {}\nscene of {} MiB, tree of {} MiB, built in {:.2f} s{}; peak {} "
        "MiB\n",
        figures.scene,
        figures.triangles,
        figures.processor,
        figures.isa,
        figures.scene_bytes >> 20,
        figures.tree_bytes >> 20,
        figures.build_s,
        figures.embree_build_s > 0 ? fmt::format(" (Embree's: {:.2f} s)", figures.embree_build_s)
                                   : std::string(),
        figures.peak_rss_bytes >> 20);
    if (!figures.rays.empty()) {
        text += fmt::format(
            "rays of a real render on one thread, {} interleaved repeats; counts are per ray\n",
            repeats_of(figures.rays,
                       [](const bench::ClassRows& rows) { return !rows.variants.empty(); }));
    }
    for (const bench::ClassRows& rows : figures.rays) {
        text += rays_table(figures, rows);
    }
    return text + images_table(figures) + prediction_line(figures);
}

std::string json_of(const BenchFigures& figures) {
    json rays = json::array();
    json ratios = {{"key", json::object()},
                   {"latency", json::object()},
                   {"total", json::object()},
                   {"honest", json::object()}};
    json share = json::object();
    // Collect rows and ratios by class.
    for (const bench::ClassRows& rows : figures.rays) {
        const std::string name(bench::ray_class_name(rows.ray_class));
        share[name] = figures.share[static_cast<u32>(rows.ray_class)];
        for (const bench::VariantRow& row : rows.variants) {
            rays.push_back(ray_json(rows, row));
        }
        if (!rows.variants.empty()) {
            const bench::Ratios of_class = bench::ratios_of(rows);
            ratios["key"][name] = of_class.key;
            ratios["latency"][name] = of_class.latency;
            ratios["total"][name] = of_class.total;
            ratios["honest"][name] = of_class.honest;
        }
    }
    // Collect images.
    json images = json::array();
    for (const bench::ImageRow& row : figures.images) {
        images.push_back(image_json(row));
    }
    const json out = {
        {"scene", figures.scene},
        {"triangles", figures.triangles},
        {"scene_bytes", figures.scene_bytes},
        {"tree_bytes", figures.tree_bytes},
        {"build_s", figures.build_s},
        {"embree_build_s", figures.embree_build_s > 0 ? json(figures.embree_build_s) : json()},
        {"peak_rss_bytes", figures.peak_rss_bytes},
        {"machine", machine_json(figures)},
        {"command_line", figures.command_line},
        {"width", figures.width},
        {"height", figures.height},
        {"repeats", figures.repeats},
        {"image_repeats", figures.image_repeats},
        {"share", share},
        {"rays", rays},
        {"images", images},
        {"prediction", prediction_json(figures)},
        {"ratios", ratios}};
    return out.dump(2, ' ', false, json::error_handler_t::replace) + '\n';
}

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "unknown processor";
}

}  // namespace weft::app
