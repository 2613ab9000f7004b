#include "app/render_stats.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "app/version.h"
#include "engine/film/whole_file.h"

namespace weft::app {

namespace {

using nlohmann::json;

double ratio(u64 part, u64 whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

json scene_json(const scene::Scene& scene, u32 lights) {
    const scene::SceneSize size = scene::scene_size(scene);
    return {{"triangles", size.triangles},
            {"unique_triangles", size.unique_triangles},
            {"instances", scene.instances.size()},
            {"materials", scene.materials.size()},
            {"textures", scene.textures.size()},
            {"lights", lights},
            {"bytes", size.bytes}};
}

json trace_json(const shaders::TraceCounters& counters) {
    return {{"node_visits", counters.node_visits},
            {"node_tests", counters.node_tests},
            {"leaf_tests", counters.leaf_tests},
            {"group_lanes_issued", counters.lanes_issued},
            {"group_lanes_active", counters.lanes_active}};
}

json routines_json(const frame::FrameFigures& figures) {
    json routines = json::object();
    for (std::size_t k = 0; k < figures.routine_names.size(); ++k) {
        const fibre::RoutineCounters& counters = figures.fibre.routine[k];
        routines[figures.routine_names[k]] = {
            {"packets", counters.packets},
            {"fibres", counters.fibres},
            {"lanes_issued", counters.lanes_issued},
            {"lanes_active", counters.lanes_active},
            {"occupancy", ratio(counters.lanes_active, counters.lanes_issued)},
            {"distinct_keys", counters.distinct_keys},
            {"mixed_packets", counters.mixed_packets},
            {"rekeyed_lists", counters.rekeyed_lists},
            {"rekeyed_fibres", counters.rekeyed_fibres},
            {"refused_lists", counters.refused_lists},
            {"by_fullness", counters.by_fullness}};
    }
    return routines;
}

json scheduler_json(const RenderOptions& options, const frame::FrameFigures& figures) {
    u64 packets = 0;
    u64 keys = 0;
    for (const fibre::RoutineCounters& counters : figures.fibre.routine) {
        packets += counters.packets;
        keys += counters.distinct_keys;
    }
    // Lanes of the shading kernels: where lanes are fibres. Group places of traversal are listed
    // apart.
    const shaders::ShadeCounters& shade = figures.integrator.shade;
    return {{"mode", options.scheduler},
            {"policy", options.policy},
            {"packets", packets},
            {"lanes_issued", shade.lanes_issued},
            {"lanes_active", shade.lanes_active},
            {"occupancy", ratio(shade.lanes_active, shade.lanes_issued)},
            {"distinct_keys", keys},
            {"fibres_spawned", figures.fibre.fibres_spawned},
            {"fibres_completed", figures.fibre.fibres_completed},
            {"max_age", figures.fibre.max_age_packets},
            {"evicted_collections", figures.fibre.evicted_collections},
            {"max_collections", figures.fibre.max_collections},
            {"max_list_entries", figures.fibre.max_list_entries},
            {"max_elements", figures.fibre.max_elements},
            {"storage_high_water_bytes", figures.storage_bytes},
            {"routines", routines_json(figures)},
            {"closest", trace_json(figures.integrator.closest)},
            {"shadow", trace_json(figures.integrator.shadow)}};
}

}  // namespace

u64 peak_rss_bytes() {
    struct rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<u64>(usage.ru_maxrss) * 1024;
}

base::Status write_stats(const RenderOptions& options,
                         const scene::Scene& scene,
                         const frame::Renderer& renderer,
                         const RenderTimes& times,
                         const std::string& command_line) {
    const frame::FrameFigures& figures = renderer.figures();
    const trace::IntegratorCounters& counted = figures.integrator;
    const u64 rays = counted.camera_rays + counted.bounce_rays + counted.shadow_rays;
    const double render_s = std::max(figures.render_s, 1e-9);
    json dropped = json::array();
    for (const trace::DroppedSample& sample : figures.dropped) {
        dropped.push_back({{"x", sample.x}, {"y", sample.y}, {"sample", sample.sample}});
    }
    const json stats = {{"version", kVersion},
                        {"command_line", command_line},
                        {"scene", scene_json(scene, figures.lights)},
                        {"times",
                         {{"import_s", times.import_s},
                          {"build_s", figures.tables_s + figures.build_s},
                          {"first_image_s", figures.first_image_s},
                          {"render_s", figures.render_s},
                          {"total_s", times.total_s}}},
                        {"samples",
                         {{"spp", figures.samples_per_pixel},
                          {"total", counted.samples},
                          {"per_second", static_cast<double>(counted.samples) / render_s}}},
                        {"rays",
                         {{"camera", counted.camera_rays},
                          {"bounce", counted.bounce_rays},
                          {"shadow", counted.shadow_rays},
                          {"total", rays},
                          {"per_second", static_cast<double>(rays) / render_s}}},
                        {"scheduler", scheduler_json(options, figures)},
                        {"devices",
                         json::array({{{"name", "cpu"},
                                       {"isa", shaders::isa_name(figures.isa)},
                                       {"units", figures.thread_count},
                                       {"share", 1.0}}})},
                        {"memory",
                         {{"structure_bytes", figures.structure_bytes},
                          {"film_bytes", figures.film_bytes},
                          {"storage_bytes", figures.storage_bytes}}},
                        {"dropped_samples", counted.dropped_samples},
                        {"dropped", dropped},
                        {"medium_overflows", counted.shade.medium_overflows},
                        {"film_hash", renderer.film().film_hash()},
                        {"peak_rss_bytes", peak_rss_bytes()}};
    auto file = film::WholeFile::open(options.stats_file);
    if (!file.is_ok()) {
        return file.error();
    }
    const std::string text = stats.dump(2) + '\n';
    file.value().write_at(text.data(), text.size(), 0);
    return file.value().commit();
}

}  // namespace weft::app
