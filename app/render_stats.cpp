#include "app/render_stats.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "app/command/option_names.h"
#include "app/command/version.h"
#include "app/heat_stats.h"
#include "engine/film/whole_file.h"
#include "scheduler/base/trace_log.h"

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

json texels_json(const scene::TexelFigures& texels) {
    return {{"bytes", texels.bytes},
            {"budget_bytes", texels.budget_bytes},
            {"resident_bytes", texels.resident_bytes},
            {"let_go", texels.let_go},
            {"let_go_bytes", texels.let_go_bytes}};
}

json divergence_json(const shaders::DivergenceCounters& counters) {
    return {{"branches", counters.branches},
            {"divergent", counters.divergent},
            {"share", ratio(counters.divergent, counters.branches)}};
}

json shade_json(const shaders::ShadeCounters& counters) {
    return {{"lanes_issued", counters.lanes_issued},
            {"lanes_active", counters.lanes_active},
            {"occupancy", ratio(counters.lanes_active, counters.lanes_issued)},
            {"divergence", divergence_json(counters.divergence)}};
}

json trace_json(const shaders::TraceCounters& counters) {
    return {{"node_visits", counters.node_visits},
            {"node_tests", counters.node_tests},
            {"leaf_tests", counters.leaf_tests},
            {"rays_in_lists", counters.rays_in_lists},
            {"lanes_issued", counters.lanes_issued},
            {"lanes_active", counters.lanes_active},
            {"occupancy", ratio(counters.lanes_active, counters.lanes_issued)},
            {"divergence", divergence_json(counters.divergence)}};
}

// Counters of each kernel: lanes issued, lanes that held a fibre, traversal steps.
json kernels_json(const trace::IntegratorCounters& counters) {
    return {{"camera", shade_json(counters.camera)},
            {"shade", shade_json(counters.shade)},
            {"miss", shade_json(counters.miss)},
            {"closest", trace_json(counters.closest)},
            {"shadow", trace_json(counters.shadow)}};
}

// Counts packets by the reason why the scheduler released them.
json reasons_json(const fibre::RoutineCounters& counters) {
    json reasons = json::object();
    for (u32 k = 0; k < fibre::kLeaveReasons; ++k) {
        reasons[fibre::leave_reason_name(static_cast<fibre::LeaveReason>(k))] =
            counters.by_reason[k];
    }
    return reasons;
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
            {"by_fullness", counters.by_fullness},
            {"by_age", counters.by_age},
            {"by_reason", reasons_json(counters)}};
    }
    return routines;
}

json threads_json(const fibre::CoarseCounters& threads) {
    return {{"taken", threads.threads_taken},
            {"with_range", threads.threads_with_range},
            {"kept_apart", threads.threads_kept_apart},
            {"refused", threads.threads_refused},
            {"finished", threads.threads_finished},
            {"held_up", threads.threads_held_up},
            {"overtaken", threads.threads_overtaken},
            {"max_wait_packets", threads.max_wait},
            {"max_waiting", threads.max_waiting}};
}

json data_json(const fibre::DataCounters& counters) {
    return {{"ranges", counters.ranges_given},
            {"urgent_ranges", counters.ranges_urgent},
            {"threads", counters.threads_made},
            {"finished", counters.threads_finished},
            {"numbers", counters.numbers_taken},
            {"waited", counters.threads_waited},
            {"back_pressure", counters.back_pressure}};
}

json claims_json(const fibre::ClaimCounters& claims) {
    return {{"granted", claims.granted}, {"refused", claims.refused}};
}

json fibre_json(const fibre::FibreCounters& counters) {
    const fibre::AgeBins ages = counters.ages();
    return {{"fibres_spawned", counters.fibres_spawned},
            {"fibres_completed", counters.fibres_completed},
            {"fibres_dropped", counters.dropped_fibres},
            {"max_age", counters.max_age_packets},
            {"age_p50", fibre::age_of_quantile(ages, 0.5)},
            {"age_p95", fibre::age_of_quantile(ages, 0.95)},
            {"evicted_collections", counters.evicted_collections},
            {"max_collections", counters.max_collections},
            {"max_list_entries", counters.max_list_entries},
            {"max_elements", counters.max_elements},
            {"max_waiting_fibres", counters.max_waiting_fibres},
            {"mean_waiting_fibres", ratio(counters.waiting_fibres_sum, counters.packets())},
            {"launch_pieces", counters.launch_pieces},
            {"put_aside_packets", counters.put_aside_packets},
            {"put_aside_elements", counters.put_aside_elements},
            {"scattered_packets", counters.scattered_packets},
            {"mean_share", ratio(counters.scattered_fibres, counters.scattered_slices)},
            {"mean_largest_share", ratio(counters.largest_slices, counters.scattered_packets)},
            {"managed_elements", counters.managed_elements},
            {"split_moves", counters.split_moves},
            {"threads", threads_json(counters.threads)},
            {"claims", claims_json(counters.claims)},
            {"cache",
             {{"hits", counters.cache.hits},
              {"misses", counters.cache.misses},
              {"evictions", counters.cache.evictions},
              {"bytes", counters.cache_bytes},
              {"hit_rate", ratio(counters.cache.hits, counters.cache.lookups())}}}};
}

std::string policy_texts(const std::vector<PolicyChoice>& choices) {
    std::string texts;
    for (const PolicyChoice& choice : choices) {
        texts += (texts.empty() ? "" : ",") + policy_text(choice);
    }
    return texts;
}

json scheduler_json(const RenderOptions& options, const frame::FrameFigures& figures) {
    u64 packets = 0;
    u64 keys = 0;
    for (const fibre::RoutineCounters& counters : figures.fibre.routine) {
        packets += counters.packets;
        keys += counters.distinct_keys;
    }
    // Sum over the kernels that run one fibre per lane.
    const trace::IntegratorCounters& kernels = figures.integrator;
    const u64 issued =
        kernels.camera.lanes_issued + kernels.shade.lanes_issued + kernels.miss.lanes_issued;
    const u64 active =
        kernels.camera.lanes_active + kernels.shade.lanes_active + kernels.miss.lanes_active;
    json scheduler = fibre_json(figures.fibre);
    scheduler.update({{"mode", name_in(scheduler_names(), options.scheduler)},
                      {"policy", policy_texts(options.policies)},
                      {"packets", packets},
                      {"lanes_issued", issued},
                      {"lanes_active", active},
                      {"occupancy", ratio(active, issued)},
                      {"distinct_keys", keys},
                      {"storage_high_water_bytes", figures.storage_bytes},
                      {"routines", routines_json(figures)},
                      {"kernels", kernels_json(kernels)}});
    return scheduler;
}

json run_json(const frame::RunFigures& run) {
    json units = json::array();
    for (const unit::UnitFigures& unit : run.units) {
        units.push_back({{"leaves", unit.shares},
                         {"samples", unit.work},
                         {"busy_s", static_cast<double>(unit.busy_ns) * 1e-9},
                         {"samples_per_s", unit.work_per_s},
                         {"doorbells", unit.doorbells},
                         {"round_trip_ns", unit.round_trip_ns},
                         {"parts_retried", unit.parts_retried},
                         {"leaves_taken_back", unit.shares_taken_back},
                         {"is_lost", unit.is_lost}});
    }
    json workers = json::array();
    for (const unit::WorkerFigures& worker : run.workers) {
        workers.push_back({{"roots", worker.roots},
                           {"leaves", worker.shares},
                           {"divisions", worker.divisions},
                           {"steals", worker.steals},
                           {"steal_attempts", worker.steal_attempts},
                           {"parks", worker.parks},
                           {"division_ns", worker.division_ns},
                           {"hand_over_ns", worker.hand_over_ns},
                           {"leaf_samples", worker.last_target_work}});
    }
    return {{"units", units}, {"workers", workers}};
}

json pages_json(const frame::FrameFigures& figures) {
    const pages::PageFigures pages = figures.pages.value_or(pages::PageFigures{});
    const trace::PagedCounters& rays = figures.integrator.paged;
    return {{"count", pages.count},
            {"bytes", pages.bytes},
            {"surface_bytes", pages.record_bytes},
            {"budget_bytes", pages.budget_bytes},
            {"resident_bytes", pages.resident_bytes},
            {"most_bytes", pages.most_bytes},
            {"reads", pages.reads},
            {"bytes_read", pages.bytes_read},
            {"surface_reads", pages.record_reads},
            {"is_direct", pages.is_direct},
            {"has_io_uring", pages.has_ring},
            {"evictions", pages.evictions},
            {"reader_waits", pages.reader_waits},
            {"walks", pages.walks},
            {"tasks", pages.tasks[task::Figure::Launched]},
            {"rays_waited", rays.rays_waited},
            {"page_visits", rays.page_visits},
            {"kernel_calls", rays.kernel_calls},
            {"restarts", rays.restarts},
            {"hits_waited", rays.hits_waited}};
}

// Copies from the device's memory to the local memories of its units.
json bus_json(const frame::DeviceFigures& device) {
    const trace::IntegratorCounters& counted = device.integrator;
    const u64 rays = counted.camera_rays + counted.bounce_rays + counted.shadow_rays;
    const u64 bytes = counted.local.bus.bytes;
    const u64 texel_bytes = counted.texels.copied.bytes;
    const auto per_ray = [rays](u64 sum) {
        return static_cast<double>(sum) / static_cast<double>(std::max<u64>(rays, 1));
    };
    return {{"transfers", counted.local.bus.transfers},
            {"bytes", bytes},
            {"bytes_per_ray", per_ray(bytes)},
            {"texel_transfers", counted.texels.copied.transfers},
            {"texel_bytes", texel_bytes},
            {"texel_bytes_per_ray", per_ray(texel_bytes)},
            {"texel_reads", counted.texels.reads},
            {"modelled_ms", device.bus_ms},
            {"ray_visits", counted.local.ray_visits},
            {"kernel_calls", counted.local.kernel_calls},
            {"rays_alone", counted.local.singly}};
}

json devices_json(const frame::FrameFigures& figures) {
    json devices = json::array();
    for (const frame::DeviceFigures& device : figures.devices) {
        devices.push_back({{"name", device.name},
                           {"isa", shaders::isa_name(device.isa)},
                           {"units", device.units},
                           {"lanes", device.lane_count},
                           {"lost_units", device.lost_units},
                           {"samples", device.samples},
                           {"share", device.share},
                           {"memory",
                            {{"limit_bytes", device.memory_limit_bytes},
                             {"used_bytes", device.memory_used_bytes},
                             {"copied_in_bytes", device.copied_in_bytes},
                             {"copied_out_bytes", device.copied_out_bytes}}},
                           {"bus", bus_json(device)},
                           {"kernels", kernels_json(device.integrator)},
                           {"fibres", fibre_json(device.fibre)}});
    }
    return devices;
}

// Counters of the data managers, which split work into scheduler threads: camera samples, placed
// geometry and computed tables.
json data_managers_json(const frame::FrameFigures& figures) {
    fibre::DataCounters camera;
    for (const frame::DeviceFigures& device : figures.devices) {
        camera.add(device.camera);
    }
    return {{"camera", data_json(camera)},
            {"geometry", data_json(figures.placed)},
            {"compute", data_json(figures.computed)}};
}

json runtime_json(const frame::RuntimeFigures& runtime) {
    return {{"contexts", runtime.objects.contexts.created},
            {"buffers", runtime.objects.buffers.created},
            {"lent_buffers", runtime.objects.lent},
            {"mapped_buffers", runtime.objects.mapped},
            {"images", runtime.objects.images},
            {"kernel_objects", runtime.objects.kernels.created},
            {"bindings", runtime.objects.bound},
            {"programs", runtime.queue.enqueued},
            {"followers", runtime.queue.followers}};
}

}  // namespace

base::Status write_text(const std::string& path, const std::string& text) {
    auto file = film::WholeFile::open(path);
    WEFT_TRY(file);
    file.value().write_at(text.data(), text.size(), 0);
    return file.value().commit();
}

u64 peak_rss_bytes() {
    struct rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<u64>(usage.ru_maxrss) * 1024;
}

std::string stats_text(const RenderOptions& options,
                       const scene::Scene& scene,
                       const frame::Renderer& renderer,
                       const RenderTimes& times,
                       const std::string& command_line) {
    const frame::FrameFigures& figures = renderer.figures();
    const trace::IntegratorCounters& counted = figures.integrator;
    const u64 rays = counted.camera_rays + counted.bounce_rays + counted.shadow_rays;
    const double render_s = std::max(figures.render_s, 1e-9);
    json dropped = json::array();
    for (const frame::DroppedSample& sample : figures.dropped) {
        dropped.push_back({{"x", sample.x}, {"y", sample.y}, {"sample", sample.sample}});
    }
    // Collect the figures, group by group.
    json stats = {
        {"schema", kStatsSchema},
        {"version", kVersion},
        {"command_line", command_line},
        {"scene", scene_json(scene, figures.lights)},
        {"times",
         {{"import_s", times.import_s},
          {"build_s", figures.tables_s + figures.build_s},
          {"pilot_s", figures.pilot.seconds},
          {"first_image_s", figures.first_image_s},
          {"render_s", figures.render_s},
          {"total_s", times.total_s}}},
        {"trees",
         {{"kept", figures.trees.kept},
          {"patched", figures.trees.patched},
          {"built", figures.trees.built},
          {"kept_triangles", figures.trees.triangles.kept_triangles},
          {"refitted_triangles", figures.trees.triangles.refitted_triangles},
          {"built_triangles", figures.trees.triangles.built_triangles}}},
        {"samples",
         {{"spp", figures.samples_per_pixel},
          {"stopped_by", stop_rule_name(figures.stopped_by)},
          {"found", figures.samples_found},
          {"holds", figures.holds},
          {"empty_pixels", figures.empty_pixels},
          {"total", figures.samples},
          {"per_second", static_cast<double>(figures.samples - figures.samples_found) / render_s}}},
        {"rays",
         {{"camera", counted.camera_rays},
          {"bounce", counted.bounce_rays},
          {"shadow", counted.shadow_rays},
          {"total", rays},
          {"per_second", static_cast<double>(rays) / render_s}}},
        {"scheduler", scheduler_json(options, figures)},
        {"data_managers", data_managers_json(figures)},
        {"devices", devices_json(figures)},
        {"pages", pages_json(figures)},
        {"shade_kernel", figures.shade_kernel},
        {"runtime", runtime_json(figures.runtime)},
        {"commands",
         {{"lists", figures.commands.submitted.lists},
          {"recorded", figures.commands.recorded},
          {"reused", figures.commands.reused},
          {"executed_groups", figures.commands.executed},
          {"groups_taken_over", figures.commands.taken_over},
          {"commands", figures.commands.submitted.commands},
          {"patches", figures.commands.submitted.patches},
          {"patch_bytes", figures.commands.submitted.patch_bytes},
          {"draws", figures.commands.submitted.draws},
          {"draws_skipped", figures.commands.submitted.draws_skipped},
          {"scene_s", figures.lists_s}}},
        {"run", run_json(figures.run)},
        {"memory",
         {{"structure_bytes", figures.structure_bytes},
          {"film_bytes", figures.film_bytes},
          {"guide_bytes", figures.pilot.guide_bytes},
          {"storage_bytes", figures.storage_bytes}}},
        {"texels", texels_json(scene.texels.figures())},
        {"dropped_samples", figures.dropped_samples},
        {"dropped", dropped},
        {"medium_overflows", counted.shade.medium_overflows},
        {"film_hash", renderer.film().film_hash()},
        {"peak_rss_bytes", peak_rss_bytes()}};
    if (const std::string bias = bias_text(options); !bias.empty()) {
        stats["bias"] = bias;
    }
    if (options.guiding != frame::Guiding::Off) {
        const frame::PilotFigures& pilot = figures.pilot;
        stats["guiding"] = {
            {"asked", frame::guiding_name(options.guiding)},
            {"verdict", frame::verdict_name(pilot.verdict)},
            {"worth_of_ray", pilot.worth_of_ray > 0 ? json(pilot.worth_of_ray) : json()}};
    }
    if (figures.noise) {
        stats["noise"] = {{"threshold", options.noise_threshold},
                          {"mean", figures.noise->mean},
                          {"most", figures.noise->most},
                          {"samples_saved", figures.samples_saved}};
    }
    if (!figures.heat.is_empty()) {
        stats["heat"] = heat_json(scene, *renderer.scene().heat, figures.heat);
    }
    return stats.dump(2, ' ', false, json::error_handler_t::replace) + '\n';
}

base::Status write_stats(const RenderOptions& options,
                         const scene::Scene& scene,
                         const frame::Renderer& renderer,
                         const RenderTimes& times,
                         const std::string& command_line) {
    return write_text(options.stats_file,
                      stats_text(options, scene, renderer, times, command_line));
}

const char* stop_rule_name(frame::StopRule rule) {
    switch (rule) {
        case frame::StopRule::Samples:
            return "samples";
        case frame::StopRule::Noise:
            return "noise";
        case frame::StopRule::TimeLimit:
            return "time_limit";
        case frame::StopRule::Request:
            return "signal";
        case frame::StopRule::Memory:
            break;
    }
    return "memory";
}

const char* stop_rule_text(frame::StopRule rule) {
    switch (rule) {
        case frame::StopRule::Samples:
            return "--spp";
        case frame::StopRule::Noise:
            return "--noise-threshold";
        case frame::StopRule::TimeLimit:
            return "--time-limit";
        case frame::StopRule::Request:
            return "a signal";
        case frame::StopRule::Memory:
            break;
    }
    return "the memory limit";
}

base::Status write_trace(const std::string& path) {
    base::stop_trace();
    return write_text(path, base::trace_json());
}

}  // namespace weft::app
