#include "app/view/session/render_line.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/command/option_names.h"
#include "app/command/shell_word.h"

namespace weft::app {

namespace {

// Collects the words of the command; options at their defaults are left out.
class Words {
public:
    void word(const std::string& text) { line_ += ' ' + shell_word(text); }

    void option(const char* name, const std::string& value) {
        line_ += ' ';
        line_ += name;
        word(value);
    }

    template <typename T>
    void option_unless(const char* name, const T& value, const T& usual) {
        if (value != usual) {
            option(name, fmt::format("{}", value));
        }
    }

    void flag(const char* name, bool is_on) {
        if (is_on) {
            line_ += ' ';
            line_ += name;
        }
    }

    template <typename T>
    void choice_unless(const char* name, const Names<T>& names, const T& value, const T& usual) {
        if (value != usual) {
            option(name, std::string(name_in(names, value)));
        }
    }

    template <std::size_t N>
    void numbers(const char* name, const std::array<float, N>& numbers) {
        option(name, fmt::format("{}", fmt::join(numbers, ",")));
    }

    [[nodiscard]] const std::string& line() const { return line_; }

private:
    std::string line_ = "weft render";
};

std::string look_at_text(const LookAt& look_at) {
    const std::string text =
        fmt::format("{},{}", fmt::join(look_at.eye, ","), fmt::join(look_at.target, ","));
    return look_at.up ? fmt::format("{},{}", text, fmt::join(*look_at.up, ",")) : text;
}

// An absolute path, so that the command works in any folder.
std::string whole_path(const std::string& name) {
    std::error_code problem;
    return std::filesystem::exists(name, problem)
               ? std::filesystem::absolute(name, problem).lexically_normal().string()
               : name;
}

void add_scene(const RenderOptions& options, Words& words) {
    const RenderOptions usual;
    for (const std::string& scene : options.scenes) {
        words.word(whole_path(scene));
    }
    words.choice_unless(
        "--missing-file", missing_file_names(), options.missing_file, usual.missing_file);
    words.option_unless("--variant", options.variant, usual.variant);
    for (const std::string& folder : options.asset_roots) {
        words.option("--asset-root", whole_path(folder));
    }
    if (!options.environment_file.empty()) {
        words.option("--environment", whole_path(options.environment_file));
    }
    if (options.environment_color) {
        words.numbers("--environment-color", *options.environment_color);
    }
    words.option_unless(
        "--environment-rotation", options.environment_rotation_deg, usual.environment_rotation_deg);
    words.option_unless(
        "--environment-strength", options.environment_strength, usual.environment_strength);
    words.option_unless("--camera", options.camera, usual.camera);
    if (options.look_at) {
        words.option("--look-at", look_at_text(*options.look_at));
    }
    words.option_unless("--fov", options.fov_deg, usual.fov_deg);
    words.option_unless("--aperture", options.aperture_f_stop, usual.aperture_f_stop);
    words.option_unless("--focus", options.focus_m, usual.focus_m);
    for (const std::string& node : options.hide) {
        words.option("--hide", node);
    }
    for (const std::string& node : options.show) {
        words.option("--show", node);
    }
    for (const std::array<float, 4>& plane : options.clip_planes) {
        words.numbers("--clip-plane", plane);
    }
    words.flag("--clip-cap", options.clip_cap);
    if (options.colours) {
        words.option("--ocio", whole_path(options.colours->path()));
        words.option("--display-device", options.display_device);
        words.option_unless("--look", options.look, usual.look);
    }
    const std::string standard(film::view_transform_name(film::ViewTransform::Standard));
    words.option_unless("--view-transform",
                        options.view_transform.value_or(standard),
                        options.colours ? std::string() : standard);
    words.option_unless("--exposure", options.exposure_stops, usual.exposure_stops);
}

void add_picture(const frame::RenderSettings& settings, Words& words) {
    const frame::RenderSettings usual;
    words.option("--width", std::to_string(settings.width));
    words.option("--height", std::to_string(settings.height));
    if (settings.crop) {
        const film::Region& part = *settings.crop;
        words.option("--pixelbounds",
                     fmt::format("{},{},{},{}", part.x0, part.x1, part.y0, part.y1));
    }
    words.option("--spp", std::to_string(settings.samples_per_pixel));
    words.option_unless("--noise-threshold", settings.noise_threshold, usual.noise_threshold);
    words.option_unless("--seed", settings.seed, usual.seed);
    words.option_unless("--max-bounces", settings.max_bounces, usual.max_bounces);
    words.option_unless("--clamp-direct", settings.clamp_direct, usual.clamp_direct);
    words.option_unless("--clamp-indirect", settings.clamp_indirect, usual.clamp_indirect);
    words.option_unless(
        "--regularize", settings.regularized_roughness, usual.regularized_roughness);
    words.choice_unless(
        "--light-choice", light_choice_names(), settings.light_choice, usual.light_choice);
    words.choice_unless("--filter", filter_names(), settings.filter, usual.filter);
    words.flag("--film-transparent", settings.is_film_transparent);
    words.flag("--backface-culling", settings.has_backface_culling);
    if (!settings.light_groups.empty()) {
        words.option("--light-groups", film::text_of(settings.light_groups));
    }
    // The layers of light groups follow from the groups.
    std::vector<const char*> aovs;
    for (const film::Aov aov : settings.aovs) {
        if (!film::is_light_group(aov)) {
            aovs.push_back(film::aov_name(aov));
        }
    }
    if (!aovs.empty()) {
        words.option("--aov", fmt::format("{}", fmt::join(aovs, ",")));
    }
}

// How an EXR is written: the film is the same, the file is not.
void add_file(const RenderOptions& options, Words& words) {
    const RenderOptions usual;
    words.choice_unless("--exr-type", exr_type_names(), options.is_exr_half, usual.is_exr_half);
    words.choice_unless("--exr-compression",
                        exr_compression_names(),
                        options.exr_compression,
                        usual.exr_compression);
    words.option_unless("--cryptomatte-ranks", options.cryptomatte_ranks, usual.cryptomatte_ranks);
    words.flag("--keep-film", options.keep_film);
}

void add_run(const RenderOptions& options, const frame::RenderSettings& settings, Words& words) {
    words.choice_unless("--isa", isa_names(), options.isa, {});
    if (settings.has_egpu) {
        const DeviceChoice device =
            settings.has_cpu ? DeviceChoice::CpuAndEgpu : DeviceChoice::Egpu;
        words.option("--device", std::string(name_in(device_names(), device)));
        words.option("--egpu-units", std::to_string(settings.egpu_units));
    }
    words.choice_unless(
        "--scheduler", scheduler_names(), settings.integrator.mode, trace::SchedulerMode::Keyed);
    const trace::RoutinePolicies usual;
    const trace::RoutinePolicies& policies = settings.integrator.policies;
    for (const Named<RoutinePolicy>& routine : routine_names()) {
        const fibre::Policy now = policies.*routine.value;
        if (now != usual.*routine.value) {
            words.option("--policy", policy_text({routine.value, now}));
        }
    }
}

}  // namespace

std::string render_line(const RenderLine& wanted) {
    Words words;
    add_scene(wanted.options, words);
    if (!wanted.edits_file.empty()) {
        words.option("--edits", whole_path(wanted.edits_file));
    }
    for (const scene::Edit& edit : wanted.edits) {
        words.option("--set", edit.path + '=' + edit.value);
    }
    add_picture(wanted.settings, words);
    add_file(wanted.options, words);
    add_run(wanted.options, wanted.settings, words);
    words.option("-o", wanted.output);
    return words.line();
}

}  // namespace weft::app
