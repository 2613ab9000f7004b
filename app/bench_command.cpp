#include "app/bench_command.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "app/bench_chart.h"
#include "app/bench_report.h"
#include "app/bench_summary.h"
#include "app/bus_report.h"
#include "app/command/exit_code.h"
#include "app/command/messages.h"
#include "app/command/signals.h"
#include "app/command/size_text.h"
#include "app/command/standard_output.h"
#include "app/noise_report.h"
#include "app/paging_report.h"
#include "app/render_stats.h"
#include "engine/scene/model/section_caps.h"
#include "scheduler/base/clock.h"
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
    auto scene = scene::import_scene(options.scenes, import_config(options));
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
                          bench::BenchScene& scene,
                          BenchFigures& figures) {
    say(Level::Info, "recording rays");
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
        if (was_interrupted()) {
            break;
        }
        say(Level::Info, fmt::format("rays: {}", bench::ray_class_name(ray_class)));
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
    config.is_stopped = was_interrupted;
    config.on_image = [&](const bench::ImageVariant& variant, u32 repeat) {
        say(Level::Info,
            fmt::format("image {} of {}: {}, {}, {}",
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

base::Status measure(const BenchOptions& options, const Loaded& loaded, BenchFigures& figures) {
    auto prepared =
        bench::BenchScene::prepare(loaded.scene, loaded.camera, loaded.settings, loaded.hidden);
    WEFT_TRY(prepared);
    stop_on_signal();  // the report shows what was measured until then
    bench::BenchScene& scene = *prepared.value();
    figures.isa = shaders::isa_name(scene.shade->isa);
    figures.threads = scene.settings.thread_count;
    figures.width = scene.settings.width;
    figures.height = scene.settings.height;
    figures.tree_bytes = scene.acceleration.size_bytes();
    figures.build_s = scene.acceleration.build_s;
    // Measure images first: measure_rays() removes alpha from the scene's BVH.
    if (options.has_images) {
        WEFT_TRY(measure_images(options, loaded, scene, figures));
    }
    if (options.has_rays && !was_interrupted()) {
        WEFT_TRY(measure_rays(options, scene, figures));
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

base::Status write_files(const std::vector<std::pair<std::string, std::string>>& files) {
    for (const auto& [name, text] : files) {
        if (!name.empty()) {
            WEFT_TRY(write_text(name, text));
        }
    }
    return base::Done{};
}

int bench_summary(const BenchOptions& options) {
    const auto scenes = read_summaries(options.summary_folder);
    if (!scenes.is_ok()) {
        return fail(scenes.error());
    }
    const std::string table = summary_table(scenes.value());
    if (!put_on_stdout(table)) {
        return kExitOutput;
    }
    const base::Status status = write_files(
        {{options.table_file, table}, {options.chart_file, summary_chart(scenes.value())}});
    return status.is_ok() ? kExitDone : fail(status.error());
}

void describe_run(const Loaded& loaded, BenchFigures& figures) {
    figures.isa = shaders::isa_name(loaded.settings.isa.value_or(shaders::best_isa()));
    figures.threads = loaded.settings.thread_count != 0 ? loaded.settings.thread_count
                                                        : std::thread::hardware_concurrency();
    figures.width = loaded.settings.width;
    figures.height = loaded.settings.height;
    figures.peak_rss_bytes = peak_rss_bytes();
}

// Prints the table of a comparison and writes its files.
int put_comparison(const BenchOptions& options,
                   const std::string& table,
                   const std::string& json,
                   const std::string& chart) {
    if (!put_on_stdout(table)) {
        return kExitOutput;
    }
    const base::Status status =
        write_files({{options.json_file, json}, {options.chart_file, chart}});
    if (!status.is_ok()) {
        return fail(status.error());
    }
    return was_interrupted() ? kExitSignal : kExitDone;
}

// --paging
int bench_paging(const BenchOptions& options, const Loaded& loaded, BenchFigures figures) {
    stop_on_signal();
    bench::PagingBenchConfig config;
    config.repeats = options.image_repeats;
    config.has_control = options.has_control;
    config.budget_bytes = options.budget_bytes;
    config.is_stopped = was_interrupted;
    config.on_frame = [&](const bench::PagingVariant& variant, u32 repeat) {
        say(Level::Info,
            fmt::format("frame {} of {}: {}, {}",
                        repeat + 1,
                        options.image_repeats,
                        variant.scheduler,
                        variant.divisor == 0 ? std::string("in memory")
                                             : fmt::format("{} of pages of {}",
                                                           budget_text(variant),
                                                           size_text(variant.sizes.tree_bytes))));
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
    if (!rows.is_ok()) {
        return fail(rows.error());
    }
    describe_run(loaded, figures);
    return put_comparison(options,
                          paging_table(figures, rows.value()),
                          paging_json(figures, rows.value()),
                          paging_chart(figures, rows.value()));
}

// --bus
int bench_bus(const BenchOptions& options, const Loaded& loaded, BenchFigures figures) {
    stop_on_signal();
    bench::BusBenchConfig config;
    config.repeats = options.image_repeats;
    config.is_stopped = was_interrupted;
    config.on_frame = [&](const bench::BusVariant& variant, u32 repeat) {
        say(Level::Info,
            fmt::format("frame {} of {}: {}, treelets of {} KiB",
                        repeat + 1,
                        options.image_repeats,
                        variant.scheduler,
                        variant.treelet_bytes >> 10));
    };
    const auto rows =
        bench::compare_bus(loaded.scene, loaded.camera, loaded.settings, loaded.hidden, config);
    if (!rows.is_ok()) {
        return fail(rows.error());
    }
    describe_run(loaded, figures);
    return put_comparison(options,
                          bus_table(figures, rows.value()),
                          bus_json(figures, rows.value()),
                          bus_chart(figures, rows.value()));
}

// --noise
int bench_noise(const BenchOptions& options, const Loaded& loaded, BenchFigures figures) {
    stop_on_signal();
    bench::NoiseBenchConfig config;
    config.repeats = options.image_repeats;
    config.reference_samples = options.reference_samples;
    config.is_stopped = was_interrupted;
    config.on_frame = [&](const bench::NoiseVariant& variant, u32 repeat) {
        say(Level::Info,
            fmt::format("picture {} of {}: {} samples",
                        repeat + 1,
                        options.image_repeats,
                        variant.samples));
    };
    if (!options.noise_samples.empty()) {
        config.samples = options.noise_samples;
    }
    config.noise_thresholds = options.noise_thresholds;
    say(Level::Info, fmt::format("rendering {} samples to compare with", config.reference_samples));
    const auto rows =
        bench::compare_noise(loaded.scene, loaded.camera, loaded.settings, loaded.hidden, config);
    if (!rows.is_ok()) {
        return fail(rows.error());
    }
    describe_run(loaded, figures);
    return put_comparison(options,
                          noise_table(figures, config.reference_samples, rows.value()),
                          noise_json(figures, rows.value()),
                          noise_chart(figures, rows.value()));
}

int bench_scene(const BenchOptions& options, const std::string& command_line) {
    unit::set_float_state();
    base::Status status = check_bench_options(options);
    if (status.is_ok() && !options.summary_folder.empty()) {
        return bench_summary(options);
    }
    Loaded loaded;
    if (status.is_ok()) {
        status = load(options.render, loaded);
    }
    if (!status.is_ok()) {
        return fail(status.error());
    }
    BenchFigures figures = describe(options, loaded, command_line);
    if (options.has_paging) {
        return bench_paging(options, loaded, std::move(figures));
    }
    if (options.has_bus) {
        return bench_bus(options, loaded, std::move(figures));
    }
    if (options.has_noise) {
        return bench_noise(options, loaded, std::move(figures));
    }
    status = measure(options, loaded, figures);
    if (!status.is_ok()) {
        return fail(status.error());
    }
    figures.peak_rss_bytes = peak_rss_bytes();
    if (!put_on_stdout(table_of(figures))) {
        return kExitOutput;
    }
    status = write_files(
        {{options.json_file, json_of(figures)}, {options.chart_file, chart_of(figures)}});
    if (!status.is_ok()) {
        return fail(status.error());
    }
    return was_interrupted() ? kExitSignal : kExitDone;
}

}  // namespace

int run_bench(const BenchOptions& options, const std::string& command_line) {
    try {
        return bench_scene(options, command_line);
    } catch (const std::bad_alloc&) {
        return fail({base::ErrorKind::Memory,
                     "out of memory: the scene or its rays are too large for this machine"});
    } catch (const std::system_error& error) {
        return fail(no_thread(error));
    }
}

}  // namespace weft::app
