#include "app/render_command.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <new>

#include "app/edit_options.h"
#include "app/exit_code.h"
#include "app/messages.h"
#include "app/progress.h"
#include "app/render_stats.h"
#include "app/signals.h"
#include "app/standard_output.h"
#include "app/version.h"
#include "engine/scene/section_caps.h"
#include "scheduler/base/trace_log.h"

namespace weft::app {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Notes that a person should see without asking: what was put in the place of something missing.
void print_notes(const RenderOptions& options, const scene::Scene& scene) {
    if (options.is_quiet) {
        return;
    }
    for (const scene::Note& note : scene.notes) {
        if (note.kind != scene::Note::Kind::Found || options.is_verbose) {
            say(note.sentence);
        }
    }
}

// "12,34" or "12,34,5"; false where it is neither or outside of the picture.
bool parse_debug_pixel(const std::string& text, u32 (&numbers)[3]) {
    const char* at = text.data();
    const char* const end = at + text.size();
    for (u32 k = 0; k < 3; ++k) {
        const auto [rest, error] = std::from_chars(at, end, numbers[k]);
        if (error != std::errc{}) {
            return false;
        }
        if (rest == end) {
            return k >= 1;
        }
        if (*rest != ',') {
            return false;
        }
        at = rest + 1;
    }
    return false;
}

int debug_pixel(const RenderOptions& options,
                const frame::RenderSettings& settings,
                const frame::Renderer& renderer) {
    u32 numbers[3] = {0, 0, 0};
    if (!parse_debug_pixel(options.debug_pixel, numbers) || numbers[0] >= settings.width ||
        numbers[1] >= settings.height) {
        return fail({base::ErrorKind::Usage,
                     fmt::format("--debug-pixel {}: expected x,y[,sample] with x < {} and y < {}",
                                 options.debug_pixel,
                                 settings.width,
                                 settings.height)});
    }
    std::string text;
    for (const std::string& event : renderer.explain_sample(numbers[0], numbers[1], numbers[2])) {
        text += event + '\n';
    }
    return put_on_stdout(text) ? kExitDone : kExitOutput;
}

std::string camera_text(const scene::Camera& camera) {
    std::string text;
    for (const float c : camera.to_world) {
        text += fmt::format("{}{}", text.empty() ? "" : " ", c);
    }
    return text;
}

film::ImageConfig image_config(const RenderOptions& options,
                               const frame::Renderer& renderer,
                               const scene::Camera& camera,
                               const std::string& command_line) {
    film::ImageConfig config = pick_image_config(options);
    const frame::FrameFigures& figures = renderer.figures();
    config.metadata = {{"version", kVersion},
                       {"command_line", command_line},
                       {"samples_per_pixel", std::to_string(figures.samples_per_pixel)},
                       {"seed", std::to_string(options.seed)},
                       {"arithmetic_class", figures.isa == shaders::Isa::Sse4 ? "sse4" : "fma"},
                       {"camera_name", camera.name},
                       {"camera_to_world", camera_text(camera)},
                       {"camera_yfov_rad", fmt::format("{}", camera.yfov_rad)},
                       {"dropped_samples", std::to_string(figures.dropped_samples)}};
    return config;
}

void print_summary(const RenderOptions& options, const frame::Renderer& renderer) {
    const frame::FrameFigures& figures = renderer.figures();
    const trace::IntegratorCounters& counted = figures.integrator;
    if (options.is_quiet) {
        return;
    }
    if (!figures.dropped.empty()) {
        const frame::DroppedSample& first = figures.dropped.front();
        say(
            fmt::format("{} samples were not finite or out of range and were dropped, the first of "
                        "them: --debug-pixel {},{},{}",
                        figures.dropped_samples,
                        first.x,
                        first.y,
                        first.sample));
    }
    const u64 rays = counted.camera_rays + counted.bounce_rays + counted.shadow_rays;
    const double render_s = std::max(figures.render_s, 1e-9);
    say(
        fmt::format("{} samples per pixel in {:.2f} s ({:.2f} Msamples/s, {:.2f} Mrays/s, {} on "
                    "{} threads); "
                    "structure built in {:.2f} s; {} MiB",
                    figures.samples_per_pixel,
                    figures.render_s,
                    static_cast<double>(figures.samples) / render_s * 1e-6,
                    static_cast<double>(rays) / render_s * 1e-6,
                    shaders::isa_name(figures.isa),
                    figures.thread_count,
                    figures.build_s,
                    peak_rss_bytes() >> 20));
}

base::Result<scene::Scene> load_scene(const RenderOptions& options) {
    auto scene = scene::import_scene(options.scenes, import_config(options));
    if (!scene.is_ok()) {
        return scene;
    }
    base::Status environment = apply_environment(options, scene.value());
    if (!environment.is_ok()) {
        return environment.error();
    }
    scene::complete_scene(scene.value());
    return scene;
}

base::Status render_frame(const RenderOptions& options, frame::Renderer& frame) {
    ProgressPrinter printer(progress_style(options.progress, options.is_quiet));
    return frame.render([&](const frame::FrameProgress& progress) {
        if (was_interrupted()) {
            frame.request_stop();
        }
        printer.show(progress);
    });
}

// Says what becomes of the output after a signal; whether there is anything to save.
bool say_interrupted(const RenderOptions& options, const frame::Renderer& frame) {
    const u64 samples = frame.figures().samples;
    if (!options.is_quiet) {
        say(samples == 0
                ? "interrupted before the first sample; " + options.output + " is left as it was"
                : "interrupted; writing " + options.output + " (again to leave without it)");
    }
    return samples != 0;
}

// Picture, summary, figures and trace of a frame that ran.
base::Status write_outputs(const RenderOptions& options,
                           const scene::Scene& scene,
                           const scene::Camera& camera,
                           const frame::Renderer& frame,
                           RenderTimes& times,
                           const std::string& command_line) {
    base::Status status = film::write_image(
        options.output, frame.picture(), image_config(options, frame, camera, command_line));
    if (!status.is_ok()) {
        return status;
    }
    print_summary(options, frame);
    times.total_s = seconds_since(times.begin);
    if (!options.stats_file.empty()) {
        status = write_stats(options, scene, frame, times, command_line);
    }
    if (status.is_ok() && !options.trace_file.empty()) {
        status = write_trace(options.trace_file);
    }
    return status;
}

// Everything that a render needs to know, after options and edits.
struct Plan {
    RenderOptions options;  // with what edits say of exposure and view transform
    scene::Scene scene;
    scene::EditContext context;
    frame::RenderSettings settings;
};

// Import, edits, camera, settings.
base::Result<Plan> make_plan(const RenderOptions& options, RenderTimes& times) {
    Plan plan;
    plan.options = options;
    base::Result<scene::Scene> loaded = load_scene(options);
    if (!loaded.is_ok()) {
        return loaded.error();
    }
    plan.scene = std::move(loaded.value());
    times.import_s = seconds_since(times.begin);
    base::Result<scene::EditContext> context = edited_context(options, plan.scene);
    if (!context.is_ok()) {
        return context.error();
    }
    plan.context = std::move(context.value());
    plan.options.exposure_stops = plan.context.exposure_stops;
    plan.options.view_transform = plan.context.view_transform;
    base::Result<frame::RenderSettings> settings = edited_settings(options, plan.context);
    if (!settings.is_ok()) {
        return settings.error();
    }
    plan.settings = std::move(settings.value());
    plan.settings.picture = film::resolve_config(options.output, pick_image_config(plan.options));
    if (plan.context.has_clip_cap) {
        scene::append_caps(plan.scene, plan.settings.clip_planes);
    }
    return plan;
}

int say_dry_run(const Plan& plan) {
    const bool is_shown = put_on_stdout(
        fmt::format("{}x{}, {} samples per pixel: everything that a render needs is there\n",
                    plan.settings.width,
                    plan.settings.height,
                    plan.settings.samples_per_pixel));
    return is_shown ? kExitDone : kExitOutput;
}

// Renders, and writes what there is.
int render_plan(const Plan& plan,
                frame::Renderer& frame,
                RenderTimes& times,
                const std::string& command_line) {
    stop_on_signal();
    base::Status rendered = render_frame(plan.options, frame);
    const bool has_run_out = !rendered.is_ok() && rendered.error().kind == base::ErrorKind::Memory;
    if (!rendered.is_ok() && (!has_run_out || frame.figures().samples == 0)) {
        return fail(rendered.error());
    }
    if (was_interrupted() && !say_interrupted(plan.options, frame)) {
        return kExitSignal;
    }
    base::Status written =
        write_outputs(plan.options, plan.scene, plan.context.camera, frame, times, command_line);
    if (!written.is_ok()) {
        return fail(written.error());
    }
    if (has_run_out) {
        return fail(
            {rendered.error().kind,
             rendered.error().sentence + "; the samples until then are in " + plan.options.output});
    }
    return was_interrupted() ? kExitSignal : kExitDone;
}

int render_to_file(const RenderOptions& options, const std::string& command_line) {
    RenderTimes times;
    times.begin = Clock::now();
    if (!options.trace_file.empty()) {
        base::start_trace();
    }
    base::Status checked = check_options(options);
    if (!checked.is_ok()) {
        return fail(checked.error());
    }
    if (options.no_clobber && std::filesystem::exists(options.output)) {
        if (!options.is_quiet) {
            say(options.output + " exists and is kept (--no-clobber)");
        }
        return kExitDone;
    }
    const auto leave_while = [&](const std::string& what) {
        leave_on_signal(
            options.is_quiet
                ? ""
                : "before the first sample, while " + what +
                      (options.output.empty() ? "" : "; " + options.output + " is left as it was"));
    };
    leave_while("the scene was read");
    const base::Result<Plan> planned = make_plan(options, times);
    if (!planned.is_ok()) {
        return fail(planned.error());
    }
    const Plan& plan = planned.value();
    print_notes(plan.options, plan.scene);
    leave_while("the structure was built");
    auto renderer = frame::Renderer::prepare(
        plan.scene, plan.context.camera, plan.settings, plan.context.hidden);
    if (!renderer.is_ok()) {
        return fail(renderer.error());
    }
    const std::string far = scene::far_note(renderer.value()->scene().tables->boxes);
    if (!far.empty() && !plan.options.is_quiet) {
        fmt::print(stderr, "weft: {}\n", far);
    }
    if (!options.debug_pixel.empty()) {
        return debug_pixel(plan.options, plan.settings, *renderer.value());
    }
    return options.dry_run ? say_dry_run(plan)
                           : render_plan(plan, *renderer.value(), times, command_line);
}

}  // namespace

int run_render(const RenderOptions& options, const std::string& command_line) {
    try {
        return render_to_file(options, command_line);
    } catch (const std::bad_alloc&) {
        return fail({base::ErrorKind::Memory,
                     "out of memory: the scene or the picture is too large for this machine"});
    }
}

}  // namespace weft::app
