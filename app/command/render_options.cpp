#include "app/command/render_options.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

#include "app/command/colour_options.h"
#include "app/command/messages.h"
#include "app/command/option_names.h"
#include "engine/denoise/denoise_layers.h"
#include "engine/film/film_file.h"
#include "engine/film/whole_file.h"
#include "engine/frame/bias.h"
#include "scheduler/base/cache_folder.h"
#include "scheduler/base/memory_limit.h"

namespace weft::app {

namespace {

using base::Error;
using base::ErrorKind;

Error usage(std::string sentence) {
    return {ErrorKind::Usage, std::move(sentence)};
}

// The layers that a picture has beside those for denoising.
std::vector<film::Aov> written_layers(const RenderOptions& options) {
    std::vector<film::Aov> layers = options.aovs;
    if (options.noise_threshold > 0) {
        layers.push_back(film::Aov::Noise);
    }
    const std::vector<film::Aov> groups = film::light_layers(options.light_groups);
    layers.insert(layers.end(), groups.begin(), groups.end());
    return layers;
}

// Refuses to write a picture to a terminal.
base::Status check_standard_output(const RenderOptions& options) {
    if (film::is_standard_output(options.output) && ::isatty(STDOUT_FILENO) != 0) {
        return usage("-o " + options.output +
                     ": the standard output is a terminal; expected a pipe or a file there");
    }
    if (film::is_standard_output(options.output) && options.progress == ProgressStyle::OpenJd) {
        return usage("-o " + options.output +
                     ": --progress openjd writes to the standard output, too; expected a file");
    }
    return base::Done{};
}

base::Status check_picture_target(const RenderOptions& options) {
    if (options.output.empty()) {
        return base::Done{};
    }
    if (!film::is_exr_file(options.output) && options.slice) {
        return usage("-o " + options.output +
                     ": --slice needs an .exr file, which holds exact sums");
    }
    const bool has_layers = !options.aovs.empty() || !options.light_groups.empty();
    if (!film::is_exr_file(options.output) && (options.keep_film || has_layers)) {
        return usage(fmt::format("-o {}: --aov, --light-groups and --keep-film need an .exr file",
                                 options.output));
    }
    WEFT_TRY(check_picture_file(options.output, pick_image_config(options)));
    return check_standard_output(options);
}

// Refuses a checkpoint without a name, and to overwrite a file that is none.
base::Status check_checkpoint(const RenderOptions& options) {
    const bool has_checkpoint = !options.checkpoint.empty() || options.resume;
    const std::string path = checkpoint_path(options);
    if (!has_checkpoint && options.checkpoint_interval_s > 0) {
        return usage("--checkpoint-interval without --checkpoint or --resume saves nothing");
    }
    if (has_checkpoint && (path.empty() || film::is_standard_output(path))) {
        return usage("--checkpoint and --resume need a file: --checkpoint=FILE");
    }
    if (path.empty()) {
        return base::Done{};
    }
    std::error_code none;
    if (std::filesystem::exists(path, none) && !film::is_film_file(path)) {
        return Error{options.resume ? ErrorKind::Scene : ErrorKind::Output,
                     path +
                         ": exists and is no checkpoint, or a damaged one, and is left as it "
                         "is; expected another name, or no file"};
    }
    WEFT_TRY(film::WholeFile::open(path));
    return base::Done{};
}

// Checks before the first sample that every output file can be written.
base::Status check_targets(const RenderOptions& options) {
    WEFT_TRY(check_picture_target(options));
    std::vector<NamedFile> inputs = scene_inputs(options);
    inputs.push_back({"--edits", options.edits_file});
    WEFT_TRY(check_outputs({{"-o", options.output},
                            {"--checkpoint", checkpoint_path(options)},
                            {"--stats", options.stats_file},
                            {"--trace", options.trace_file}},
                           inputs,
                           false));
    WEFT_TRY(check_checkpoint(options));
    for (const std::string* name : {&options.stats_file, &options.trace_file}) {
        if (!name->empty()) {
            WEFT_TRY(film::WholeFile::open(*name));
        }
    }
    return base::Done{};
}

}  // namespace

void choose_messages(const RenderOptions& options) {
    const Level usual = options.is_quiet     ? Level::Error
                        : options.is_verbose ? Level::Debug
                                             : Level::Info;
    const MessageStyle style = options.progress == ProgressStyle::Json     ? MessageStyle::Json
                               : options.progress == ProgressStyle::OpenJd ? MessageStyle::OpenJd
                                                                           : MessageStyle::Text;
    choose_messages(options.log_level.value_or(usual), style);
}

namespace {

// The part of --geometry-memory for the arrays of triangles and vertices, where these are larger:
// builders scan them, and few other things read them.
constexpr u64 kVertexShare = 8;
constexpr u64 kLeastVertexBytes = u64{1} << 20;

// The folder of temporary files: of --cache-dir, of caches, or of temporary files.
std::string cache_folder(const RenderOptions& options) {
    const std::string usual = base::default_cache_folder().string();
    const char* const temporary = std::getenv("TMPDIR");
    return !options.cache_folder.empty() ? options.cache_folder
           : !usual.empty()              ? usual
           : temporary && *temporary     ? std::string(temporary)
                                         : "/tmp";
}

}  // namespace

// Where temporary files lie, page files have a folder of their own.
std::string page_folder(const RenderOptions& options) {
    const std::string folder = cache_folder(options);
    const bool is_own =
        !options.cache_folder.empty() || folder == base::default_cache_folder().string();
    std::error_code failed;
    const std::filesystem::path whole = std::filesystem::absolute(folder, failed);
    return is_own ? whole.string() : (whole / ("weft-" + std::to_string(::geteuid()))).string();
}

scene::ImportConfig import_config(const RenderOptions& options) {
    scene::ImportConfig config;
    config.thread_count = options.threads;
    config.asset_roots = options.asset_roots;
    config.missing_file = options.missing_file;
    config.variant = options.variant;
    config.colours = options.colours;
    config.texture_memory = {options.texture_memory_bytes, cache_folder(options)};
    if (options.geometry_memory_bytes != 0) {
        config.geometry_memory = {
            std::max(options.geometry_memory_bytes / kVertexShare, kLeastVertexBytes),
            page_folder(options)};
    }
    if (options.frame) {
        config.pose =
            scene::Pose{.time_s = (static_cast<double>(*options.frame) + options.frame_offset) /
                                  options.frames_per_s,
                        .animation = options.animation};
    }
    return config;
}

base::Result<scene::Scene> read_scenes(const RenderOptions& options,
                                       const scene::ImportConfig& config) {
    base::Result<scene::Scene> read = scene::import_scene(options.scenes, config);
    if (read.is_ok() || read.error().kind != base::ErrorKind::Scene) {
        return read;
    }
    return base::Error{base::ErrorKind::Scene, with_page(read.error().sentence, kFilesPage)};
}

std::string checkpoint_path(const RenderOptions& options) {
    if (!options.checkpoint.empty() && options.checkpoint != kBesideOutput) {
        return options.checkpoint;
    }
    const bool has_name = !options.output.empty() && !film::is_standard_output(options.output);
    return has_name && (!options.checkpoint.empty() || options.resume)
               ? options.output + ".checkpoint"
               : "";
}

u32 pixel_samples(const RenderOptions& options) {
    return options.spp.value_or(options.noise_threshold > 0 ? kMostNoiseSamples : kUsualSamples);
}

u32 path_count(const RenderOptions& options) {
    return options.paths.value_or(
        options.geometry_memory_bytes == 0 ? trace::IntegratorConfig{}.path_count : kPagedPaths);
}

bool is_denoised(const RenderOptions& options) {
    return options.denoise == kNoValue || options.denoise == "quality" || options.denoise == "fast";
}

denoise::Method denoise_method(const RenderOptions& options) {
    return options.denoise == "fast" ? denoise::Method::Fast : denoise::Method::Quality;
}

base::Status check_traversal(const RenderOptions& options) {
    if (options.traversal == TraversalChoice::Auto) {
        return base::Done{};
    }
    const std::string name =
        std::string("--traversal ") + std::string(name_in(traversal_names(), options.traversal));
    if (options.scheduler != trace::SchedulerMode::Keyed) {
        return usage(name + " is of keyed rays: expected --scheduler keyed");
    }
    const bool has_pages = options.geometry_memory_bytes != 0;
    if (has_pages != (options.traversal == TraversalChoice::Pages)) {
        return usage(name +
                     (has_pages ? " needs the whole tree in memory: expected no "
                                : " needs a tree with pages: expected ") +
                     "--geometry-memory");
    }
    return base::Done{};
}

base::Status check_whole_tree(const RenderOptions& options) {
    const char* const other = options.geometry_memory_bytes == 0 ? nullptr
                              : options.scheduler == trace::SchedulerMode::Embree
                                  ? "--scheduler embree"
                              : options.has_heat ? "--heat"
                                                 : nullptr;
    if (other != nullptr) {
        return usage(std::string("--geometry-memory and ") + other +
                     " exclude each other: a whole tree is needed; give one of them");
    }
    return base::Done{};
}

base::Status check_options(const RenderOptions& options) {
    if (options.output.empty() && !options.debug_pixel && !options.dry_run) {
        return usage("-o FILE is missing: say where the picture goes (.exr .png .hdr .jpg .tif)");
    }
    WEFT_TRY(check_targets(options));
    if (!options.environment_file.empty() && options.environment_color) {
        return usage("--environment and --environment-color exclude each other: give one of them");
    }
    if (is_denoised(options) && options.denoise_command) {
        return usage("--denoise and --denoise-command exclude each other: give one of them");
    }
    if (!is_denoised(options) && !options.denoise.empty() && options.denoise != "off") {
        return usage("--denoise=" + options.denoise + ": expected quality, fast or off");
    }
    WEFT_TRY(check_traversal(options));
    if (!options.cache_folder.empty() && options.texture_memory_bytes == 0 &&
        options.geometry_memory_bytes == 0) {
        return usage(
            "--cache-dir: nothing lies there without --texture-memory or "
            "--geometry-memory; expected one of them");
    }
    WEFT_TRY(check_whole_tree(options));
    // A block ends by all of its samples so far, which a slice or a moment does not have.
    if (options.noise_threshold > 0 && (options.slice || options.shutter > 0)) {
        return usage(std::string("--noise-threshold and ") +
                     (options.slice ? "--slice" : "--shutter") +
                     " exclude each other: give one of them");
    }
    return base::Done{};
}

namespace {

trace::RoutinePolicies routine_policies(const std::vector<PolicyChoice>& choices) {
    trace::RoutinePolicies policies;
    for (const PolicyChoice& choice : choices) {
        if (choice.routine) {
            policies.*choice.routine = choice.policy;
        } else {
            policies.closest = choice.policy;
            policies.shadow = choice.policy;
        }
    }
    return policies;
}

// Sets width, height and crop.
base::Status set_size(const RenderOptions& options,
                      const scene::Camera& camera,
                      frame::RenderSettings& settings) {
    const auto [width, height] = picture_size(options.width, options.height, camera);
    if (std::max(width, height) > kMostSide) {
        return usage(
            fmt::format("a picture of {} by {} pixels: expected sides of {} at most; --width and "
                        "--height set them, the aspect of the camera and frame/percent as well",
                        width,
                        height,
                        kMostSide));
    }
    settings.width = width;
    settings.height = height;
    if (options.pixel_bounds) {
        const film::Region& crop = *options.pixel_bounds;
        if (crop.x0 >= crop.x1 || crop.y0 >= crop.y1 || crop.x1 > settings.width ||
            crop.y1 > settings.height) {
            return usage(
                fmt::format("--pixelbounds {},{},{},{}: expected x0 < x1 ≤ {} and y0 < y1 ≤ {}",
                            crop.x0,
                            crop.x1,
                            crop.y0,
                            crop.y1,
                            settings.width,
                            settings.height));
        }
        settings.crop = crop;
    }
    return base::Done{};
}

// Sets the samples: all, or those of a slice.
base::Status set_samples(const RenderOptions& options, frame::RenderSettings& settings) {
    const SliceChoice slice = options.slice.value_or(SliceChoice{});
    const u32 samples = pixel_samples(options);
    if (slice.count > samples) {
        return usage(fmt::format("--slice {}/{}: expected at most as many slices as --spp, {}",
                                 slice.number,
                                 slice.count,
                                 samples));
    }
    const film::SampleRange range = film::slice_range(slice.number, slice.count, samples);
    settings.first_sample = range.begin;
    settings.samples_per_pixel = range.end;
    return base::Done{};
}

// Sets what biases the picture.
void set_bias(const RenderOptions& options, frame::RenderSettings& settings) {
    if (options.clamp_direct > 0) {
        settings.clamp_direct = options.clamp_direct;
    }
    if (options.clamp_indirect > 0) {
        settings.clamp_indirect = options.clamp_indirect;
    }
    settings.regularized_roughness = options.regularize;
}

// Sets devices, threads, kernels and memory. They change the picture at most in its rounding.
void set_run(const RenderOptions& options, frame::RenderSettings& settings) {
    settings.integrator.path_count = path_count(options);
    settings.egpu_path_count = options.paths.value_or(kDevicePaths);
    settings.integrator.traversal =
        options.traversal == TraversalChoice::Sets    ? trace::KeyedTraversal::Sets
        : options.traversal == TraversalChoice::Nodes ? trace::KeyedTraversal::Nodes
                                                      : trace::KeyedTraversal::Auto;
    settings.integrator.trace_batch = std::min(options.batch, settings.integrator.path_count);
    settings.geometry_memory_bytes = options.geometry_memory_bytes;
    settings.page_folder = page_folder(options);
    settings.page_folder_limit_bytes = options.cache_limit_bytes;
    settings.thread_count = options.threads;
    settings.isa = options.isa;
    settings.has_scene_kernels = options.has_scene_kernels;
    settings.has_heat = options.has_heat;
    settings.on_note = [](const std::string& line) { say(Level::Info, line); };
    settings.chooses_device = options.device == DeviceChoice::Auto;
    settings.has_cpu = options.device != DeviceChoice::Egpu;
    settings.has_egpu =
        options.device == DeviceChoice::Egpu || options.device == DeviceChoice::CpuAndEgpu;
    settings.egpu_units = options.egpu_units;
    settings.egpu_memory_bytes = options.egpu_memory_bytes;
    settings.share_samples = options.leaf;
    settings.memory_limit_bytes = base::memory_limit_bytes();
}

}  // namespace

std::string bias_text(const RenderOptions& options) {
    frame::RenderSettings settings;
    set_bias(options, settings);
    return frame::bias_text(settings);
}

namespace {

// Whole pixels; what is far beyond the largest side stays beyond it.
u32 side_of(float pixels) {
    return static_cast<u32>(std::clamp(pixels + 0.5F, 1.0F, 1e6F));
}

}  // namespace

std::array<u32, 2> picture_size(u32 width, u32 height, const scene::Camera& camera) {
    const float aspect = camera.aspect > 0 ? camera.aspect : 16.0F / 9.0F;
    if (width == 0 && height == 0) {
        height = 720;
    }
    if (width == 0) {
        width = side_of(static_cast<float>(height) * aspect);
    }
    if (height == 0) {
        height = side_of(static_cast<float>(width) / aspect);
    }
    return {width, height};
}

base::Result<frame::RenderSettings> pick_settings(const RenderOptions& options,
                                                  const scene::Camera& camera) {
    frame::RenderSettings settings;
    WEFT_TRY(set_size(options, camera, settings));
    settings.seed = options.seed;
    settings.max_bounces = options.max_bounces;
    set_bias(options, settings);
    settings.light_choice = options.light_choice;
    settings.guiding = options.guiding;
    settings.filter = options.filter;
    settings.is_film_transparent = options.film_transparent;
    settings.clip_planes = pick_clip_planes(options);
    settings.has_backface_culling = options.backface_culling;
    settings.has_autofocus = options.aperture_f_stop > 0 && options.focus_m == 0;
    std::vector<film::Aov> aovs = written_layers(options);
    if (is_denoised(options)) {
        const std::span<const film::Aov> wanted = denoise::wanted_aovs(denoise_method(options));
        aovs.insert(aovs.end(), wanted.begin(), wanted.end());
    }
    if (options.denoise_command) {
        const std::vector<film::Aov> read = options.denoise_command->layers();
        aovs.insert(aovs.end(), read.begin(), read.end());
    }
    for (const film::Aov aov : aovs) {
        if (std::find(settings.aovs.begin(), settings.aovs.end(), aov) == settings.aovs.end()) {
            settings.aovs.push_back(aov);
        }
    }
    settings.light_groups = options.light_groups;
    settings.noise_threshold = options.noise_threshold;
    WEFT_TRY(set_samples(options, settings));
    if (options.time_limit_s > 0) {
        settings.time_limit_s = options.time_limit_s;
    }
    settings.integrator.mode = options.scheduler;
    settings.integrator.policies = routine_policies(options.policies);
    set_run(options, settings);
    return settings;
}

std::vector<NamedFile> scene_inputs(const RenderOptions& options) {
    std::vector<NamedFile> inputs = {{"--environment", options.environment_file}};
    for (const std::string& scene : options.scenes) {
        inputs.push_back({"SCENE", scene});
    }
    if (options.colours) {
        inputs.push_back({"--ocio", options.colours->path()});
    }
    return inputs;
}

film::ImageConfig pick_image_config(const RenderOptions& options) {
    film::ImageConfig config;
    config.is_half = options.is_exr_half;
    config.compression = options.exr_compression;
    config.keep_film = options.keep_film || options.slice;
    // Layers for the denoiser alone are in a file of sums, which can be denoised again.
    if (is_denoised(options) && !config.keep_film) {
        config.layers = written_layers(options);
    }
    config.matte_ranks = options.cryptomatte_ranks;
    config.light_layers = film::light_layer_names(options.light_groups);
    config.has_alpha = options.film_transparent;
    set_view(options, config);
    config.exposure_stops = options.exposure_stops;
    config.on_cut = [](u64 pixels) {
        say(Level::Warning,
            fmt::format("{} of the picture {} brighter than 65504, the largest half float, and cut "
                        "off there; --exr-type float keeps {}",
                        pixels == 1 ? "1 pixel" : fmt::format("{} pixels", pixels),
                        pixels == 1 ? "is" : "are",
                        pixels == 1 ? "it" : "them"));
    };
    return config;
}

}  // namespace weft::app
