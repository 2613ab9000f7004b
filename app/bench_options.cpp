#include "app/bench_options.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "app/command/option_names.h"
#include "app/command/option_values.h"
#include "app/command/output_files.h"
#include "engine/film/whole_file.h"
#include "scheduler/base/size_text.h"

namespace weft::app {

namespace {

constexpr const char* kMachine = "Machine";
constexpr const char* kMeasuring = "Measuring";
constexpr const char* kReports = "Reports";

const Names<bench::RayClass>& ray_class_names() {
    static const Names<bench::RayClass> names = [] {
        Names<bench::RayClass> all;
        for (const bench::RayClass ray_class : bench::kAllRayClasses) {
            all.push_back({bench::ray_class_name(ray_class), ray_class});
        }
        return all;
    }();
    return names;
}

// Multiples of the pages of a disk.
constexpr u64 kLeastPageBytes = u64{16} << 10;
constexpr u64 kMostPageBytes = u64{1} << 20;
// Of so many reads under way at once (engine/pages/page_store.h).
constexpr u32 kMostReadsAhead = 16;
constexpr u32 kMostSamplesOfNoise = 1U << 20;

std::optional<u64> page_size(const std::string& text) {
    const u64 bytes = base::parse_size(text);
    const bool is_right =
        bytes >= kLeastPageBytes && bytes <= kMostPageBytes && bytes % pages::kPageAlign == 0;
    return is_right ? std::optional(bytes) : std::nullopt;
}

OptionValue page_sizes(std::vector<bench::PageSizes>& values) {
    OptionValue option = value_list<bench::PageSizes>(
        values, "SIZE", [](const std::string& text) -> base::Result<bench::PageSizes> {
            const std::size_t colon = text.find(':');
            const std::optional<u64> tree = page_size(text.substr(0, colon));
            const std::optional<u64> records =
                colon == std::string::npos ? tree : page_size(text.substr(colon + 1));
            if (tree && records) {
                return bench::PageSizes{*tree, *records};
            }
            return unexpected("a size from 16K to 1M in whole 4K, or two such as 64K:256K", text);
        });
    option.takes = Takes::ManyWords;
    return option;
}

// Whole numbers from 1 to `most`.
OptionValue whole_numbers(std::vector<u32>& values, u32 most) {
    OptionValue option =
        value_list<u32>(values, "N", [most](const std::string& text) -> base::Result<u32> {
            const std::optional<u64> number = number_of<u64>(text);
            if (number && *number >= 1 && *number <= most) {
                return static_cast<u32>(*number);
            }
            return unexpected(fmt::format("a whole number from 1 to {}", most), text);
        });
    option.takes = Takes::ManyWords;
    return option;
}

OptionValue thresholds(std::vector<float>& values) {
    OptionValue option =
        value_list<float>(values, "X", [](const std::string& text) -> base::Result<float> {
            const std::optional<float> number = number_of<float>(text);
            if (number && *number > 0 && std::isfinite(*number)) {
                return *number;
            }
            return unexpected("a number above 0", text);
        });
    option.takes = Takes::ManyWords;
    return option;
}

}  // namespace

BenchOptions::BenchOptions() {
    // Rates need few samples; nobody keeps the picture.
    render.spp = 4;
    render.dry_run = true;
    render.device = DeviceChoice::Cpu;
}

void add_bench_options(Command& command, BenchOptions& options) {
    add_scene_options(command, options.render);
    command.set_required("SCENE", false);  // --summary reads no scene
    add_picture_options(command, options.render);
    add_device_options(command, options.render);
    add_cache_options(command, kMachine, options.render);
    command.remove("--cache-limit");
    command.remove("--geometry-memory");  // of --paging alone, below
    command.set_help("--time-limit",
                     "seconds of measuring, after which no further repeat is begun");
    add_traversal_option(command, kMeasuring, options.render);
    command.set_help(
        "--traversal",
        "how keyed images and the rays of K2 go: the way that is fastest when "
        "measured, as sets from the root, or keyed by tree node; with --paging, by page");
    add_path_options(command, kMeasuring, options.render);
    command.add({"--rays", "rays of each class, at most", kMeasuring},
                whole(options.rays, 16, 1U << 24));
    command.add({"--repeats", "timed rounds of every variant of rays", kMeasuring},
                whole(options.repeats, 1, 1000));
    command.add({"--image-repeats", "timed rounds of whole images", kMeasuring},
                whole(options.image_repeats, 1, 1000));
    command.add({"--policy-repeats",
                 "of them with other policies of the scheduler: the first rounds only",
                 kMeasuring},
                whole(options.policy_repeats, 0, 1000));
    command.add({"--classes", "of rays, separated by commas", kMeasuring, "all"},
                several_of(options.classes, ray_class_names()));
    command.add_flag({"!--no-rays", "no variants of rays: whole images alone", kMeasuring},
                     options.has_rays);
    command.add_flag({"--images,!--no-images", "whole images, too (the default)", kMeasuring},
                     options.has_images);
    command.add_flag({"--paging",
                      "instead of rays and images: frames with a quarter and a sixteenth of the "
                      "tree's pages in memory, keyed and unkeyed",
                      kMeasuring},
                     options.has_paging);
    command.add({"--geometry-memory",
                 "with --paging: compare with this much of the tree in memory, instead of a "
                 "quarter and a sixteenth of the pages",
                 kMeasuring},
                memory_size(options.budget_bytes));
    command.add_flag({"!--no-control", "with --paging: keyed frames alone", kMeasuring},
                     options.has_control);
    command.add({"--page-size",
                 "with --paging: most bytes of a page, from 16K to 1M; TREE:RECORDS where pages of "
                 "the triangles' records have another size; several separated by commas",
                 kMeasuring,
                 "16K,64K,256K"},
                page_sizes(options.page_sizes));
    command.add({"--reads-ahead",
                 "with --paging: pages that the control reads ahead; several separated by commas",
                 kMeasuring,
                 "16"},
                whole_numbers(options.reads_ahead, kMostReadsAhead));
    command.add_flag({"--bus",
                      "instead of rays and images: frames of the emulated GPU, with the bytes that "
                      "its units copy from its memory, keyed and unkeyed",
                      kMeasuring},
                     options.has_bus);
    command.add_flag({"--noise",
                      "instead of rays and images: how far pictures of few samples are from one of "
                      "many, noisy, denoised, and with lights chosen by power",
                      kMeasuring},
                     options.has_noise);
    command.add({"--noise-samples",
                 "with --noise: samples per pixel; several separated by commas",
                 kMeasuring,
                 "16,64"},
                whole_numbers(options.noise_samples, kMostSamplesOfNoise));
    command.add({"--noise-thresholds",
                 "with --noise: pictures whose blocks of pixels end at so much noise; several "
                 "separated by commas",
                 kMeasuring,
                 "none"},
                thresholds(options.noise_thresholds));
    command.add({"--reference-samples",
                 "with --noise: of the picture that the others are compared with",
                 kMeasuring},
                whole(options.reference_samples, 1, kMostSamplesOfNoise));
    command.add({"--json", "all figures as JSON", kReports},
                file_name(options.json_file, {".json"}));
    command.add({"--chart", "a picture of the figures (.svg)", kReports},
                file_name(options.chart_file, {".svg"}));
    command.add(
        {"--summary", "no SCENE: a table and a chart of the JSON files of a folder", kReports},
        any_text(options.summary_folder, "FOLDER"));
    command.add({"--table", "the summary's table (.md), beside stdout", kReports},
                file_name(options.table_file, {".md"}));
    add_message_options(command, options.render);
}

namespace {

base::Error usage(std::string sentence) {
    return {base::ErrorKind::Usage, std::move(sentence)};
}

// --traversal names a way that the measured rays can go.
base::Status check_bench_traversal(const BenchOptions& options) {
    const TraversalChoice choice = options.render.traversal;
    if (choice == TraversalChoice::Auto) {
        return base::Done{};
    }
    const std::string name = fmt::format("--traversal {}", name_in(traversal_names(), choice));
    if (choice == TraversalChoice::Pages) {
        return options.has_paging
                   ? base::Status(base::Done{})
                   : base::Status(usage(name + " needs a tree with pages: expected --paging"));
    }
    if (options.has_paging || options.has_bus) {
        return usage(name + " is of trees in memory: expected no " +
                     (options.has_paging ? "--paging" : "--bus"));
    }
    return base::Done{};
}

// What is measured instead of rays and images, and options of it alone.
base::Status check_bench_ways(const BenchOptions& options) {
    const std::pair<bool, const char*> ways[] = {{options.has_paging, "--paging"},
                                                 {options.has_bus, "--bus"},
                                                 {options.has_noise, "--noise"}};
    std::string former;
    for (const auto& [is_given, name] : ways) {
        if (is_given && !former.empty()) {
            return usage(former + " and " + name + " measure different frames: give one of them");
        }
        former = is_given ? name : former;
    }
    if (!options.render.aovs.empty() && (options.has_noise || !options.has_images)) {
        return usage(std::string("--aov is of whole images: expected no ") +
                     (options.has_noise ? "--noise" : "--no-images") + " with it");
    }
    const std::pair<bool, const char*> of_pages[] = {
        {options.budget_bytes != 0, "--geometry-memory"},
        {!options.page_sizes.empty(), "--page-size"},
        {!options.reads_ahead.empty(), "--reads-ahead"},
        {!options.has_control, "--no-control"}};
    for (const auto& [is_given, name] : of_pages) {
        if (is_given && !options.has_paging) {
            return usage(std::string(name) + " is of frames with pages: expected --paging with it");
        }
    }
    const std::pair<bool, const char*> of_noise[] = {
        {!options.noise_samples.empty(), "--noise-samples"},
        {!options.noise_thresholds.empty(), "--noise-thresholds"},
        {options.reference_samples != BenchOptions{}.reference_samples, "--reference-samples"}};
    for (const auto& [is_given, name] : of_noise) {
        if (is_given && !options.has_noise) {
            return usage(std::string(name) + " is of noisy pictures: expected --noise with it");
        }
    }
    return base::Done{};
}

}  // namespace

base::Status check_bench_options(const BenchOptions& options) {
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
    WEFT_TRY(check_bench_ways(options));
    WEFT_TRY(check_bench_traversal(options));
    if (options.render.device != DeviceChoice::Cpu) {
        return usage(
            fmt::format("--device {}: bench compares ways to use the processor; expected cpu",
                        name_in(device_names(), options.render.device)));
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
    WEFT_TRY(outputs);
    for (const std::string* const name :
         {&options.json_file, &options.chart_file, &options.table_file}) {
        if (name->empty()) {
            continue;
        }
        const base::Result<film::WholeFile> target = film::WholeFile::open(*name);
        WEFT_TRY(target);
    }
    // --paging uses the folder without --geometry-memory.
    RenderOptions render = options.render;
    if (options.has_paging) {
        render.cache_folder.clear();
        render.traversal = TraversalChoice::Auto;
    }
    return check_options(render);
}

std::vector<bench::RayClass> pick_classes(const BenchOptions& options) {
    std::vector<bench::RayClass> classes;
    for (const bench::RayClass ray_class : bench::kAllRayClasses) {
        const auto wanted = std::find(options.classes.begin(), options.classes.end(), ray_class);
        if (options.classes.empty() || wanted != options.classes.end()) {
            classes.push_back(ray_class);
        }
    }
    return classes;
}

}  // namespace weft::app
