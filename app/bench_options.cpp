#include "app/bench_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

#include "app/command/option_checks.h"
#include "app/command/output_files.h"
#include "engine/film/whole_file.h"

namespace weft::app {

namespace {

constexpr const char* kMeasuring = "Measuring";
constexpr const char* kReports = "Reports";

}  // namespace

BenchOptions::BenchOptions() {
    // Rates need few samples; nobody keeps the picture.
    render.spp = 4;
    render.dry_run = true;
}

void add_bench_options(CLI::App& command, BenchOptions& options) {
    add_scene_options(command, options.render);
    command.get_option("SCENE")->required(false);  // --summary reads no scene
    add_picture_options(command, options.render);
    add_device_options(command, options.render);
    command.get_option("--time-limit")
        ->description("seconds of measuring, after which no further repeat is begun");
    command.add_option("--paths", options.render.paths, "paths in flight per worker")
        ->transform(whole(64, 1U << 20))
        ->group(kMeasuring);
    command.add_option("--batch", options.render.batch, "rays that start at the root together")
        ->transform(whole(16, 1U << 20))
        ->group(kMeasuring);
    command.add_option("--rays", options.rays, "rays of each class, at most")
        ->transform(whole(16, 1U << 24))
        ->group(kMeasuring);
    command.add_option("--repeats", options.repeats, "timed rounds of every variant of rays")
        ->transform(whole(1, 1000))
        ->group(kMeasuring);
    command.add_option("--image-repeats", options.image_repeats, "timed rounds of whole images")
        ->transform(whole(1, 1000))
        ->group(kMeasuring);
    command
        .add_option("--policy-repeats",
                    options.policy_repeats,
                    "of them with other policies of the scheduler: the first rounds only")
        ->transform(whole(0, 1000))
        ->group(kMeasuring);
    std::vector<std::string> names;
    for (const bench::RayClass ray_class : bench::kAllRayClasses) {
        names.emplace_back(bench::ray_class_name(ray_class));
    }
    command.add_option("--classes", options.classes, "of rays, separated by commas")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(one_of(names))
        ->default_str("all")
        ->group(kMeasuring);
    command.add_flag("!--no-rays", options.has_rays, "no variants of rays: whole images alone")
        ->group(kMeasuring);
    command
        .add_flag("--images,!--no-images", options.has_images, "whole images, too (the default)")
        ->group(kMeasuring);
    command.add_option("--json", options.json_file, "all figures as JSON")
        ->type_name("FILE")
        ->group(kReports);
    command.add_option("--chart", options.chart_file, "a picture of the figures (.svg)")
        ->type_name("FILE")
        ->group(kReports);
    command
        .add_option("--summary",
                    options.summary_folder,
                    "no SCENE: a table and a chart of the JSON files of a folder")
        ->type_name("FOLDER")
        ->group(kReports);
    command.add_option("--table", options.table_file, "the summary's table (.md), beside stdout")
        ->type_name("FILE")
        ->group(kReports);
    add_message_options(command, options.render);
}

base::Status check_bench_options(const BenchOptions& options) {
    const auto usage = [](std::string sentence) {
        return base::Error{base::ErrorKind::Usage, std::move(sentence)};
    };
    if (options.render.scenes.empty() == options.summary_folder.empty()) {
        return usage("expected either a SCENE or --summary FOLDER");
    }
    if (options.summary_folder.empty() && !options.table_file.empty()) {
        return usage("--table is of a summary; expected --summary FOLDER with it");
    }
    if (!options.has_rays && !options.has_images) {
        return usage("--no-rays and --no-images leave nothing to measure: give one of them");
    }
    if (!options.has_rays && !options.classes.empty()) {
        return usage("--classes names rays, which --no-rays leaves out: give one of them");
    }
    if (options.render.device != "cpu" && options.render.device != "auto") {
        return usage(
            fmt::format("--device {}: bench compares ways to use the processor; expected cpu",
                        options.render.device));
    }
    if (!options.chart_file.empty() && !options.chart_file.ends_with(".svg")) {
        return usage(
            fmt::format("--chart {}: expected a name that ends in .svg", options.chart_file));
    }
    base::Status outputs = check_outputs({{"--json", options.json_file},
                                          {"--chart", options.chart_file},
                                          {"--table", options.table_file}},
                                         {},
                                         true);
    if (!outputs.is_ok()) {
        return outputs;
    }
    for (const std::string* const name :
         {&options.json_file, &options.chart_file, &options.table_file}) {
        if (name->empty()) {
            continue;
        }
        const base::Result<film::WholeFile> target = film::WholeFile::open(*name);
        if (!target.is_ok()) {
            return target.error();
        }
    }
    return check_options(options.render);
}

std::vector<bench::RayClass> pick_classes(const BenchOptions& options) {
    std::vector<bench::RayClass> classes;
    for (const bench::RayClass ray_class : bench::kAllRayClasses) {
        const auto named = std::find(
            options.classes.begin(), options.classes.end(), bench::ray_class_name(ray_class));
        if (options.classes.empty() || named != options.classes.end()) {
            classes.push_back(ray_class);
        }
    }
    return classes;
}

}  // namespace weft::app
