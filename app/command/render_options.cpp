#include "app/command/render_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <unistd.h>

#include "app/command/memory_option.h"
#include "app/command/messages.h"
#include "app/command/output_files.h"
#include "app/command/size_text.h"
#include "engine/film/whole_file.h"
#include "scheduler/base/memory_limit.h"

namespace weft::app {

namespace {

using base::Error;
using base::ErrorKind;

Error usage(std::string sentence) {
    return {ErrorKind::Usage, std::move(sentence)};
}

// Refuses to write a picture to a terminal.
base::Status check_standard_output(const RenderOptions& options) {
    if (film::is_standard_output(options.output) && ::isatty(STDOUT_FILENO) != 0) {
        return usage("-o " + options.output +
                     ": the standard output is a terminal; expected a pipe or a file there");
    }
    return base::Done{};
}

base::Status check_picture_target(const RenderOptions& options) {
    if (options.output.empty()) {
        return base::Done{};
    }
    if (!film::is_exr_file(options.output) && (options.keep_film || !options.aovs.empty())) {
        return usage(fmt::format("{}: --aov and --keep-film need an .exr file", options.output));
    }
    base::Status target = film::check_image_target(options.output, pick_image_config(options));
    return target.is_ok() ? check_standard_output(options) : target;
}

// Checks before the first sample that every output file can be written.
base::Status check_targets(const RenderOptions& options) {
    base::Status status = check_picture_target(options);
    if (status.is_ok()) {
        std::vector<NamedFile> inputs = {{"--environment", options.environment_file},
                                         {"--edits", options.edits_file}};
        for (const std::string& scene : options.scenes) {
            inputs.push_back({"SCENE", scene});
        }
        status = check_outputs({{"-o", options.output},
                                {"--stats", options.stats_file},
                                {"--trace", options.trace_file}},
                               inputs,
                               false);
    }
    for (const std::string* name : {&options.stats_file, &options.trace_file}) {
        if (name->empty() || !status.is_ok()) {
            continue;
        }
        const base::Result<film::WholeFile> target = film::WholeFile::open(*name);
        status = target.is_ok() ? status : target.error();
    }
    return status;
}

}  // namespace

base::Status apply_memory_limit(const std::string& size) {
    const u64 bytes = size.empty() ? 0 : parse_size(size);
    if (!size.empty() && bytes == 0) {
        return usage(fmt::format("--memory-limit {}: expected a size such as 512M or 8G", size));
    }
    base::set_memory_limit(bytes);
    return base::Done{};
}

void choose_messages(const RenderOptions& options) {
    const Level usual = options.is_quiet     ? Level::Error
                        : options.is_verbose ? Level::Debug
                                             : Level::Info;
    choose_messages(options.log_level.empty() ? usual : level_named(options.log_level),
                    options.progress == "json");
}

scene::ImportConfig import_config(const RenderOptions& options) {
    scene::ImportConfig config;
    config.thread_count = options.threads;
    config.asset_roots = options.asset_roots;
    config.missing_file = options.missing_file == "black"     ? scene::MissingFile::Black
                          : options.missing_file == "checker" ? scene::MissingFile::Checker
                                                              : scene::MissingFile::Error;
    return config;
}

base::Status check_options(const RenderOptions& options) {
    if (options.output.empty() && options.debug_pixel.empty() && !options.dry_run) {
        return usage("-o FILE is missing: say where the picture goes (.exr .png .hdr .jpg .tif)");
    }
    WEFT_TRY(check_targets(options));
    if (!options.look_at.empty() && options.look_at.size() != 6 && options.look_at.size() != 9) {
        return usage(
            fmt::format("--look-at has {} numbers; expected 6 (eye, target) or 9 (eye, target, up)",
                        options.look_at.size()));
    }
    if (!options.environment_file.empty() && !options.environment_color.empty()) {
        return usage("--environment and --environment-color exclude each other: give one of them");
    }
    return base::Done{};
}

namespace {

// "fullest" sets the policy of both kinds of rays; "shade=oldest" sets one routine's. Later texts
// override earlier ones.
base::Status read_policies(const std::vector<std::string>& texts,
                           trace::RoutinePolicies& policies) {
    constexpr std::array kPolicies = {fibre::Policy::DepthFirst,
                                      fibre::Policy::Fullest,
                                      fibre::Policy::Oldest,
                                      fibre::Policy::Priority,
                                      fibre::Policy::Balanced};
    const std::map<std::string, std::vector<fibre::Policy*>, std::less<>> routines = {
        {"", {&policies.closest, &policies.shadow}},
        {"path", {&policies.path}},
        {"closest", {&policies.closest}},
        {"shadow", {&policies.shadow}},
        {"shade", {&policies.shade}},
        {"miss", {&policies.miss}}};
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        const bool has_routine = equals != std::string::npos;
        const auto routine = routines.find(has_routine ? text.substr(0, equals) : "");
        const std::string name = has_routine ? text.substr(equals + 1) : text;
        const auto policy = std::find_if(kPolicies.begin(), kPolicies.end(), [&](fibre::Policy p) {
            return fibre::policy_name(p) == name;
        });
        if (routine == routines.end() || policy == kPolicies.end() || equals == 0) {
            return usage(fmt::format(
                "--policy {}: expected depth_first, fullest, oldest, priority or balanced, or "
                "ROUTINE=NAME with the routine path, closest, shadow, shade or miss",
                text));
        }
        for (fibre::Policy* const target : routine->second) {
            *target = *policy;
        }
    }
    return base::Done{};
}

// Sets width, height and crop.
base::Status set_size(const RenderOptions& options,
                      const scene::Camera& camera,
                      frame::RenderSettings& settings) {
    const auto [width, height] = picture_size(options.width, options.height, camera);
    settings.width = width;
    settings.height = height;
    if (!options.pixel_bounds.empty()) {
        const film::Region crop = {options.pixel_bounds[0],
                                   options.pixel_bounds[2],
                                   options.pixel_bounds[1],
                                   options.pixel_bounds[3]};
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

// Sets devices, threads, kernels and memory. They change the picture at most in its rounding.
void set_run(const RenderOptions& options, frame::RenderSettings& settings) {
    settings.integrator.path_count = options.paths;
    settings.integrator.trace_batch = std::min(options.batch, options.paths);
    settings.thread_count = options.threads;
    for (const shaders::Isa isa : {shaders::Isa::Sse4, shaders::Isa::Avx2, shaders::Isa::Avx512}) {
        if (options.isa == shaders::isa_name(isa)) {
            settings.isa = isa;
        }
    }
    settings.has_scene_kernels = options.jit == "auto";
    settings.has_heat = options.has_heat;
    settings.on_note = [](const std::string& line) { say(Level::Info, line); };
    settings.has_cpu = options.device != "egpu";
    settings.has_egpu = options.device == "egpu" || options.device == "cpu+egpu";
    settings.egpu_units = options.egpu_units;
    settings.egpu_memory_bytes = parse_size(options.egpu_memory);
    settings.share_samples = options.leaf;
    settings.memory_limit_bytes = base::memory_limit_bytes();
}

}  // namespace

std::array<u32, 2> picture_size(u32 width, u32 height, const scene::Camera& camera) {
    const float aspect = camera.aspect > 0 ? camera.aspect : 16.0F / 9.0F;
    if (width == 0 && height == 0) {
        height = 720;
    }
    if (width == 0) {
        width = std::max(1U, static_cast<u32>(static_cast<float>(height) * aspect + 0.5F));
    }
    if (height == 0) {
        height = std::max(1U, static_cast<u32>(static_cast<float>(width) / aspect + 0.5F));
    }
    return {width, height};
}

base::Result<frame::RenderSettings> pick_settings(const RenderOptions& options,
                                                  const scene::Camera& camera) {
    frame::RenderSettings settings;
    WEFT_TRY(set_size(options, camera, settings));
    settings.seed = options.seed;
    settings.max_bounces = options.max_bounces;
    if (options.clamp_direct > 0) {
        settings.clamp_direct = options.clamp_direct;
    }
    if (options.clamp_indirect > 0) {
        settings.clamp_indirect = options.clamp_indirect;
    }
    settings.filter = options.filter == "box"        ? trace::PixelFilter::Box
                      : options.filter == "gaussian" ? trace::PixelFilter::Gaussian
                                                     : trace::PixelFilter::BlackmanHarris;
    settings.is_film_transparent = options.film_transparent;
    base::Result<std::vector<shaders::ClipPlane>> planes = pick_clip_planes(options);
    WEFT_TRY(planes);
    settings.clip_planes = std::move(planes.value());
    settings.has_backface_culling = options.backface_culling;
    settings.has_autofocus = options.aperture_f_stop > 0 && options.focus_m == 0;
    for (const std::string& aov : options.aovs) {
        if (std::find(settings.aovs.begin(), settings.aovs.end(), aov) == settings.aovs.end()) {
            settings.aovs.push_back(aov);
        }
    }
    settings.samples_per_pixel = options.spp;
    if (options.time_limit_s > 0) {
        settings.time_limit_s = options.time_limit_s;
    }
    settings.integrator.mode = options.scheduler == "unkeyed"  ? trace::SchedulerMode::Unkeyed
                               : options.scheduler == "embree" ? trace::SchedulerMode::Embree
                                                               : trace::SchedulerMode::Keyed;
    WEFT_TRY(read_policies(options.policies, settings.integrator.policies));
    set_run(options, settings);
    return settings;
}

film::ImageConfig pick_image_config(const RenderOptions& options) {
    film::ImageConfig config;
    config.is_half = options.exr_type == "half";
    config.compression = options.exr_compression;
    config.keep_film = options.keep_film;
    config.has_alpha = options.film_transparent;
    config.view =
        film::view_transform_named(options.view_transform).value_or(film::ViewTransform::Standard);
    config.exposure_stops = options.exposure_stops;
    return config;
}

}  // namespace weft::app
