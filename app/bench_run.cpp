// bench_run.cpp — see bench_run.h.
#include "app/bench_run.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <thread>
#include <utility>

#include "app/bench_chart.h"
#include "app/bench_report.h"
#include "app/bus_report.h"
#include "app/noise_report.h"
#include "app/paging_report.h"
#include "app/render_stats.h"
#include "engine/scene/model/section_caps.h"
#include "scheduler/base/clock.h"
#include "scheduler/base/size_text.h"
#include "scheduler/unit/float_state.h"

namespace weft::app {

namespace {

// The scene with its lights, and how to view it.
struct Loaded {
    scene::Scene scene;
    scene::Camera camera;
    std::vector<std::string> hidden;
    frame::RenderSettings settings;
};

base::Status load(const RenderOptions& options, Loaded& loaded) {
    auto scene = read_scenes(options, import_config(options));
    WEFT_TRY(scene);
    loaded.scene = std::move(scene.value());
    base::Status environment = apply_environment(options, loaded.scene);
    WEFT_TRY(environment);
    scene::complete_scene(loaded.scene);
    auto camera = pick_camera(options, loaded.scene);
    WEFT_TRY(camera);
    loaded.camera = std::move(camera.value());
    auto hidden = pick_hidden(options, loaded.scene);
    WEFT_TRY(hidden);
    loaded.hidden = std::move(hidden.value());
    auto settings = pick_settings(options, loaded.camera);
    WEFT_TRY(settings);
    loaded.settings = std::move(settings.value());
    // Compared images need all their samples, so --time-limit bounds the measurement instead of one
    // frame.
    loaded.settings.time_limit_s = std::numeric_limits<double>::infinity();
    if (options.clip_cap) {
        scene::append_caps(loaded.scene, loaded.settings.clip_planes);
    }
    return base::Done{};
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : " + ") + name;
    }
    return text;
}

// --time-limit bounds the measurement without import and builds. Images get this part of the limit,
// rays the rest.
constexpr double kShareOfImages = 0.6;

double time_limit(const BenchOptions& options, double share) {
    return options.render.time_limit_s > 0 ? options.render.time_limit_s * share
                                           : std::numeric_limits<double>::infinity();
}

// Records rays, then times every variant of each class on them in turns.
base::Status measure_rays(const BenchOptions& options,
                          const BenchHooks& hooks,
                          bench::BenchScene& scene,
                          BenchFigures& figures) {
    hooks.on_line("recording rays");
    const base::Result<bench::RayRecord> record =
        bench::record_rays(scene, options.rays, scene.settings.samples_per_pixel);
    WEFT_TRY(record);
    figures.share = record.value().share;
    // Compare geometry alone, so that Weft's variants and Embree trace the same problem.
    scene.make_opaque();
    const auto embree = scene.build_embree(false);
    WEFT_TRY(embree);
    bench::Canary canary;
    const std::vector<bench::RayClass> classes = pick_classes(options);
    // Split the remaining time evenly among the remaining classes.
    const base::Clock::time_point begin = base::Clock::now();
    const double limit_s = time_limit(options, options.has_images ? 1 - kShareOfImages : 1);
    auto left = static_cast<double>(classes.size());
    for (const bench::RayClass ray_class : classes) {
        if (hooks.is_stopped()) {
            break;
        }
        hooks.on_line(fmt::format("rays: {}", bench::ray_class_name(ray_class)));
        const double spent_s = base::seconds_since(begin);
        base::Result<bench::ClassRows> rows = bench::compare_variants(
            scene,
            *embree.value(),
            record.value(),
            ray_class,
            {options.repeats, path_count(options.render), (limit_s - spent_s) / left},
            canary);
        --left;
        WEFT_TRY(rows);
        figures.rays.push_back(std::move(rows.value()));
    }
    return base::Done{};
}

base::Status measure_images(const BenchOptions& options,
                            const BenchHooks& hooks,
                            const Loaded& loaded,
                            const bench::BenchScene& scene,
                            BenchFigures& figures) {
    // Build with filter functions: images need alpha and tinted shadows, as in --scheduler embree.
    const auto embree = scene.build_embree(true);
    WEFT_TRY(embree);
    figures.embree_build_s = embree.value()->commit_s();
    bench::ImageBenchConfig config;
    config.repeats = options.image_repeats;
    config.policy_repeats = std::min(options.policy_repeats, options.image_repeats);
    config.time_limit_s = time_limit(options, options.has_rays ? kShareOfImages : 1);
    config.is_stopped = hooks.is_stopped;
    config.on_image = [&](const bench::ImageVariant& variant, u32 repeat) {
        hooks.on_line(fmt::format("image {} of {}: {}, {}, {}",
                                  repeat + 1,
                                  options.image_repeats,
                                  variant.scheduler,
                                  variant.policy,
                                  variant.shading));
    };
    auto rows = bench::compare_images(scene, *embree.value(), loaded.camera, config);
    WEFT_TRY(rows);
    figures.images = std::move(rows.value());
    return base::Done{};
}

base::Status measure(const BenchOptions& options,
                     const BenchHooks& hooks,
                     const Loaded& loaded,
                     BenchFigures& figures) {
    auto prepared =
        bench::BenchScene::prepare(loaded.scene, loaded.camera, loaded.settings, loaded.hidden);
    WEFT_TRY(prepared);
    hooks.on_begin();
    bench::BenchScene& scene = *prepared.value();
    figures.isa = shaders::isa_name(scene.shade->isa);
    figures.threads = scene.settings.thread_count;
    figures.width = scene.settings.width;
    figures.height = scene.settings.height;
    figures.tree_bytes = scene.acceleration.size_bytes();
    figures.build_s = scene.acceleration.build_s;
    // Measure images first: measure_rays() removes alpha from the scene's BVH.
    if (options.has_images) {
        WEFT_TRY(measure_images(options, hooks, loaded, scene, figures));
    }
    if (options.has_rays && !hooks.is_stopped()) {
        WEFT_TRY(measure_rays(options, hooks, scene, figures));
    }
    return base::Done{};
}

// Names what every report says of scene and machine.
BenchFigures describe(const BenchOptions& options,
                      const Loaded& loaded,
                      const std::string& command_line) {
    BenchFigures figures;
    figures.scene = joined(options.render.scenes);
    const scene::SceneSize size = scene::scene_size(loaded.scene);
    figures.triangles = size.triangles;
    figures.scene_bytes = size.bytes;
    figures.processor = processor_name();
    figures.repeats = options.repeats;
    figures.image_repeats = options.image_repeats;
    figures.command_line = command_line;
    return figures;
}

void describe_run(const Loaded& loaded, BenchFigures& figures) {
    figures.isa = shaders::isa_name(loaded.settings.isa.value_or(shaders::best_isa()));
    figures.threads = loaded.settings.thread_count != 0 ? loaded.settings.thread_count
                                                        : std::thread::hardware_concurrency();
    figures.width = loaded.settings.width;
    figures.height = loaded.settings.height;
    figures.peak_rss_bytes = peak_rss_bytes();
}

// --paging
base::Result<BenchReport> bench_paging(const BenchOptions& options,
                                       const BenchHooks& hooks,
                                       const Loaded& loaded,
                                       BenchFigures figures) {
    hooks.on_begin();
    bench::PagingBenchConfig config;
    config.repeats = options.image_repeats;
    config.has_control = options.has_control;
    config.budget_bytes = options.budget_bytes;
    config.is_stopped = hooks.is_stopped;
    config.on_frame = [&](const bench::PagingVariant& variant, u32 repeat) {
        hooks.on_line(fmt::format("frame {} of {}: {}, {}",
                                  repeat + 1,
                                  options.image_repeats,
                                  variant.scheduler,
                                  variant.divisor == 0
                                      ? std::string("in memory")
                                      : fmt::format("{} of pages of {}",
                                                    budget_text(variant),
                                                    base::size_text(variant.sizes.tree_bytes))));
    };
    if (!options.page_sizes.empty()) {
        config.sizes = options.page_sizes;
    }
    if (!options.reads_ahead.empty()) {
        config.reads_ahead = options.reads_ahead;
    }
    frame::RenderSettings settings = loaded.settings;
    settings.integrator.path_count = options.render.paths.value_or(kPagedPaths);
    const auto rows =
        bench::compare_paging(loaded.scene, loaded.camera, settings, loaded.hidden, config);
    WEFT_TRY(rows);
    describe_run(loaded, figures);
    return BenchReport{paging_table(figures, rows.value()),
                       paging_json(figures, rows.value()),
                       paging_chart(figures, rows.value())};
}

// --bus
base::Result<BenchReport> bench_bus(const BenchOptions& options,
                                    const BenchHooks& hooks,
                                    const Loaded& loaded,
                                    BenchFigures figures) {
    hooks.on_begin();
    bench::BusBenchConfig config;
    config.repeats = options.image_repeats;
    config.is_stopped = hooks.is_stopped;
    config.on_frame = [&](const bench::BusVariant& variant, u32 repeat) {
        hooks.on_line(fmt::format("frame {} of {}: {}, treelets of {} KiB",
                                  repeat + 1,
                                  options.image_repeats,
                                  variant.scheduler,
                                  variant.treelet_bytes >> 10));
    };
    const auto rows =
        bench::compare_bus(loaded.scene, loaded.camera, loaded.settings, loaded.hidden, config);
    WEFT_TRY(rows);
    describe_run(loaded, figures);
    return BenchReport{bus_table(figures, rows.value()),
                       bus_json(figures, rows.value()),
                       bus_chart(figures, rows.value())};
}

// --noise
base::Result<BenchReport> bench_noise(const BenchOptions& options,
                                      const BenchHooks& hooks,
                                      const Loaded& loaded,
                                      BenchFigures figures) {
    hooks.on_begin();
    bench::NoiseBenchConfig config;
    config.repeats = options.image_repeats;
    config.reference_samples = options.reference_samples;
    config.is_stopped = hooks.is_stopped;
    config.on_frame = [&](const bench::NoiseVariant& variant, u32 repeat) {
        hooks.on_line(fmt::format(
            "picture {} of {}: {} samples", repeat + 1, options.image_repeats, variant.samples));
    };
    if (!options.noise_samples.empty()) {
        config.samples = options.noise_samples;
    }
    config.noise_thresholds = options.noise_thresholds;
    hooks.on_line(fmt::format("rendering {} samples to compare with", config.reference_samples));
    const auto rows =
        bench::compare_noise(loaded.scene, loaded.camera, loaded.settings, loaded.hidden, config);
    WEFT_TRY(rows);
    describe_run(loaded, figures);
    return BenchReport{noise_table(figures, config.reference_samples, rows.value()),
                       noise_json(figures, rows.value()),
                       noise_chart(figures, rows.value())};
}

}  // namespace

base::Result<BenchReport> run_bench_of_scene(const BenchOptions& options,
                                             const std::string& command_line,
                                             const BenchHooks& hooks) {
    unit::set_float_state();
    Loaded loaded;
    WEFT_TRY(load(options.render, loaded));
    BenchFigures figures = describe(options, loaded, command_line);
    if (options.has_paging) {
        return bench_paging(options, hooks, loaded, std::move(figures));
    }
    if (options.has_bus) {
        return bench_bus(options, hooks, loaded, std::move(figures));
    }
    if (options.has_noise) {
        return bench_noise(options, hooks, loaded, std::move(figures));
    }
    WEFT_TRY(measure(options, hooks, loaded, figures));
    figures.peak_rss_bytes = peak_rss_bytes();
    return BenchReport{table_of(figures), json_of(figures), chart_of(figures)};
}

}  // namespace weft::app
